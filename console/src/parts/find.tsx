// Where is it? One box over everything: URLs, hosts, jobs, places, then pages by their words.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { problemOf, request } from "../api";
import { PLACES } from "../places";
import { addressOf, go } from "../router";
import type { Listed } from "../types";
import { tame } from "../words";
import { Dialog } from "./dialog";

interface Found {
  jobs: string[];
  hosts: string[];
  url: string | null;
}
interface Hit {
  url: string;
  url_hash: string;
  title: string | null;
}
interface Entry {
  kind: string;
  text: string;
  more?: string;
  to: string;
}

const WAIT = 200;
const NOTHING: Found = { jobs: [], hosts: [], url: null };

export function Find({ onClose }: { onClose: () => void }) {
  const asked = useSignal("");
  const found = useSignal<Found>(NOTHING);
  const hits = useSignal<Hit[]>([]);
  const problem = useSignal("");
  const chosen = useSignal(0);
  const box = useRef<HTMLInputElement>(null);
  const text = asked.value.trim();
  useEffect(() => box.current?.focus(), []);
  useEffect(() => {
    chosen.value = 0;
    problem.value = "";
    if (!text) {
      found.value = NOTHING;
      hits.value = [];
      return;
    }
    let isOld = false;
    const timer = setTimeout(async () => {
      try {
        const near = await request<Found>("GET", addressOf("/api/find", { q: text }));
        if (!isOld) found.value = near;
      } catch (error) {
        if (!isOld) problem.value = problemOf(error, "").detail;
      }
      if (text.length < 3 || text.includes("://")) {
        if (!isOld) hits.value = [];
        return;
      }
      // Words that cannot be asked for are no mistake here.
      const pages = await request<Listed<Hit>>(
        "GET",
        addressOf("/api/search", { q: text, limit: 5 }),
      ).catch(() => null);
      if (!isOld) hits.value = pages?.items ?? [];
    }, WAIT);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [text, chosen, found, hits, problem]);
  const entries = useMemo(
    () => entriesOf(text, found.value, hits.value),
    [text, found.value, hits.value],
  );
  const open = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    go(entry.to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const by = event.key === "ArrowDown" ? 1 : -1;
      chosen.value = Math.max(0, Math.min(entries.length - 1, chosen.value + by));
      event.preventDefault();
    } else if (event.key === "Enter") {
      open(entries[chosen.value]);
      event.preventDefault();
    }
  };
  return (
    <Dialog title="Find anything" onClose={onClose} class="finder">
      <input
        ref={box}
        class="field"
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={entries.length ? `found-${chosen.value}` : undefined}
        aria-label="A URL, a host, a job, or words of a page"
        placeholder="A URL, a host, a job, or words of a page"
        autocomplete="off"
        spellcheck={false}
        value={asked.value}
        onInput={event => {
          asked.value = event.currentTarget.value;
        }}
        onKeyDown={onKeyDown}
      />
      {problem.value && <p class="failed small">{problem.value}</p>}
      <div class="found" id="found" role="listbox" aria-label="What was found">
        {entries.map((entry, n) => (
          <a
            key={`${entry.kind} ${entry.to}`}
            id={`found-${n}`}
            role="option"
            tabIndex={-1}
            aria-selected={n === chosen.value}
            href={entry.to}
            onMouseMove={() => {
              chosen.value = n;
            }}
            onClick={onClose}
          >
            <span class="dim kind">{entry.kind}</span>
            <bdi class="foreign" dir="auto">
              {tame(entry.text)}
            </bdi>
            {entry.more && <bdi class="foreign dim mono">{tame(entry.more)}</bdi>}
          </a>
        ))}
      </div>
      {text && entries.length === 0 && <p class="nothing">Nothing of that name.</p>}
    </Dialog>
  );
}

function entriesOf(text: string, found: Found, hits: readonly Hit[]): Entry[] {
  const word = text.toLowerCase();
  const places = PLACES.flatMap(([, group]) => group).filter(
    place => !word || place.name.toLowerCase().includes(word),
  );
  const url = found.url ?? (/^[a-z]+:\/\//i.test(text) ? text : null);
  return [
    ...(url ? [{ kind: "Why", text: url, to: addressOf("/url", { u: url }) }] : []),
    ...found.jobs.map(job => ({ kind: "Job", text: job, to: `/jobs/${encodeURIComponent(job)}` })),
    ...found.hosts.map(host => ({
      kind: "Host",
      text: host,
      to: `/hosts/${encodeURIComponent(host)}`,
    })),
    ...places.map(place => ({ kind: "Go to", text: place.name, to: place.to })),
    ...hits.map(hit => ({
      kind: "Page",
      text: hit.title || hit.url,
      more: hit.url,
      to: `/pages/${hit.url_hash}`,
    })),
    ...(text.length > 2
      ? [{ kind: "Search", text: `pages with “${text}”`, to: addressOf("/pages", { q: text }) }]
      : []),
  ];
}
