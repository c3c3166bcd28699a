// What is a job asked to do? Its wishes as fields, and what its door says of URLs while they change.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call, isAdmin, type Problem, problemOf, request } from "../api";
import { plural } from "../format";
import { meaning } from "../reasons";
import { addressOf } from "../router";
import type { JobSpec, Listed, Preview, PreviewedUrl, UrlRow } from "../types";
import { Address, tame, words } from "../words";
import { Card } from "./block";

/** As they stand in the fields: text, one wish a line. */
export interface Wishes {
  seeds: string;
  sitemaps: string;
  scope: string;
  include: string;
  exclude: string;
  max_pages: string;
  max_depth: string;
  recrawl: string;
  schedule: string;
}

export const NO_WISHES: Wishes = {
  seeds: "",
  sitemaps: "",
  scope: "host",
  include: "",
  exclude: "",
  max_pages: "",
  max_depth: "",
  recrawl: "",
  schedule: "",
};

const UNITS: Record<string, number> = { s: 1, min: 60, m: 60, h: 3600, d: 86_400, w: 604_800 };
const lines = (text: string) =>
  text
    .split("\n")
    .map(line => line.trim())
    .filter(Boolean);

/** `6h` → 21600; NaN when it is none. */
export function secondsIn(text: string): number {
  const found = /^(\d+(?:\.\d+)?)\s*(s|min|m|h|d|w)?$/.exec(text.trim());
  return found ? Number(found[1]) * (UNITS[found[2] ?? "s"] ?? Number.NaN) : Number.NaN;
}

function said(seconds: number): string {
  for (const [unit, worth] of [
    ["d", 86_400],
    ["h", 3600],
    ["min", 60],
  ] as const)
    if (seconds >= worth && seconds % worth === 0) return `${seconds / worth}${unit}`;
  return `${seconds}s`;
}

const number = (text: string) => (text.trim() ? Number(text) : undefined);

/** As the API takes them: what is empty is not named. */
export function bodyOf(wishes: Wishes): Record<string, unknown> {
  const given: Record<string, unknown> = {
    seeds: lines(wishes.seeds),
    sitemaps: lines(wishes.sitemaps),
    scope: wishes.scope,
    include: lines(wishes.include),
    exclude: lines(wishes.exclude),
    max_pages: number(wishes.max_pages),
    max_depth: number(wishes.max_depth),
    recrawl: wishes.recrawl.trim() ? secondsIn(wishes.recrawl) : undefined,
    schedule: wishes.schedule.trim() || undefined,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** What a job was asked for, as fields; seeds and sitemaps are only ever added. */
export const wishesOf = (spec: JobSpec): Wishes => ({
  seeds: "",
  sitemaps: "",
  scope: spec.scope,
  include: spec.include.join("\n"),
  exclude: spec.exclude.join("\n"),
  max_pages: spec.max_pages === null ? "" : String(spec.max_pages),
  max_depth: spec.max_depth === null ? "" : String(spec.max_depth),
  recrawl: spec.recrawl === null ? "" : said(spec.recrawl),
  schedule: spec.schedule ?? "",
});

interface FieldProps {
  wishes: Signal<Wishes>;
  name: keyof Wishes;
  label: string;
  hint?: string;
  rows?: number;
  isNumber?: boolean;
  isMono?: boolean;
}

export function WishField({ wishes, name, label, hint, rows, isNumber, isMono }: FieldProps) {
  const shared = {
    class: `field${isMono ? " mono" : ""}`,
    name,
    value: wishes.value[name],
    placeholder: hint,
    spellcheck: false,
    autocomplete: "off" as const,
    onInput: (event: Event) => {
      const { value } = event.currentTarget as HTMLInputElement;
      wishes.value = { ...wishes.peek(), [name]: value };
    },
  };
  const id = `wish-${name}`;
  return (
    <div class="wish">
      <label htmlFor={id}>{label}</label>
      {rows ? (
        <textarea {...shared} id={id} rows={rows} />
      ) : (
        <input {...shared} id={id} inputMode={isNumber ? "numeric" : "text"} />
      )}
    </div>
  );
}

const SCOPES = [
  ["host", "the hosts of the seeds"],
  ["domain", "their domains with all subdomains"],
  ["prefix", "what begins like a seed"],
  ["any", "wherever links lead"],
] as const;

export function ScopeField({ wishes }: { wishes: Signal<Wishes> }) {
  return (
    <fieldset class="choices">
      <legend>Scope</legend>
      {SCOPES.map(([scope, told]) => (
        <label key={scope}>
          <input
            type="radio"
            name="scope"
            value={scope}
            checked={wishes.value.scope === scope}
            onChange={() => {
              wishes.value = { ...wishes.peek(), scope };
            }}
          />
          <b>{scope}</b> <span class="dim">{told}</span>
        </label>
      ))}
    </fieldset>
  );
}

const WAIT = 300;
const MOST = 200;

/** What would be taken and refused, asked a moment after the last key. `seeds`: those of a job that is
 * there already. */
export function DoorPreview({ wishes, seeds }: { wishes: Signal<Wishes>; seeds?: string[] }) {
  const samples = useSignal("");
  const found = useSignal<Preview | null>(null);
  const problem = useSignal<Problem | null>(null);
  const isBusy = useSignal(false);
  const opened = useSignal("");
  const body = bodyOf(wishes.value);
  const asked = JSON.stringify({
    ...body,
    seeds: [...(seeds ?? []), ...(body.seeds as string[])],
    urls: lines(samples.value).slice(0, MOST),
  });
  useEffect(() => {
    if (JSON.parse(asked).seeds.length === 0) {
      found.value = null;
      problem.value = null;
      return;
    }
    let isOld = false;
    const timer = setTimeout(async () => {
      isBusy.value = true;
      try {
        const answer = await request<Preview>("POST", "/api/jobs/preview", JSON.parse(asked));
        if (!isOld) {
          found.value = answer;
          problem.value = null;
        }
      } catch (error) {
        if (!isOld) problem.value = problemOf(error, "/api/jobs/preview");
      }
      isBusy.value = false;
    }, WAIT);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [asked, found, problem, isBusy]);
  const shown = found.value;
  const total = shown?.items.length ?? 0;
  return (
    <Card
      title="At the door"
      class="preview"
      hint={shown && `${shown.taken} of ${plural(total, "URL")} would be taken`}
    >
      {problem.value && (
        <p class="pad failed" role="alert">
          {problem.value.detail}
        </p>
      )}
      {!shown && !problem.value && (
        <p class="nothing">Name a seed: what this job would take and refuse is shown here.</p>
      )}
      {shown && (
        <ul class={`verdicts${problem.value ? " stale" : ""}`}>
          {shown.items.map((each, n) => (
            <Verdict key={`${n} ${each.taken}`} of={each} opened={opened} />
          ))}
        </ul>
      )}
      <Samples samples={samples} seeds={[...(seeds ?? []), ...(body.seeds as string[])]} />
    </Card>
  );
}

function Verdict({ of, opened }: { of: PreviewedUrl; opened: Signal<string> }) {
  const isOpen = opened.value === of.url;
  return (
    <li class={of.taken ? "done" : "failed"}>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => {
          opened.value = isOpen ? "" : of.url;
        }}
      >
        <span class={of.taken ? "ok" : "not-ok"} aria-hidden="true">
          {of.taken ? "✓" : "✕"}
        </span>
        <span class="sr">{of.taken ? "taken: " : "refused: "}</span>
        <Address url={of.url} />
        <span class="dim said">
          {of.taken ? `priority ${of.priority}` : tame(of.detail || meaning(of.reason), 120)}
        </span>
      </button>
      {isOpen && <Checks checks={of.checks} />}
    </li>
  );
}

/** What each check said, in the order they are made. */
export function Checks({ checks }: { checks: readonly string[] }) {
  return (
    <div class="checks">
      {checks.map(check => {
        const [name = "", told = ""] = check.split(/: (.*)/s);
        const isPassed = told === "passed";
        return (
          <span key={name} class={isPassed ? "check" : "check failed"}>
            {isPassed ? "✓" : "✕"} {words(name)}
            {!isPassed && `: ${tame(told, 160)}`}
          </span>
        );
      })}
    </div>
  );
}

interface FetchedSeed {
  page: { links: string[] } | null;
  outcome: string;
}

function Samples({ samples, seeds }: { samples: Signal<string>; seeds: string[] }) {
  const told = useSignal("");
  const isBusy = useSignal(false);
  const seed = seeds[0];
  const add = (urls: string[], from: string) => {
    const all = [...new Set([...lines(samples.peek()), ...urls])].slice(0, MOST);
    samples.value = all.join("\n");
    told.value = urls.length ? `${plural(urls.length, "URL")} of ${from}.` : `Nothing of ${from}.`;
  };
  const busy = async (ask: () => Promise<void>) => {
    isBusy.value = true;
    try {
      await ask();
    } catch (error) {
      told.value = problemOf(error, "").detail;
    }
    isBusy.value = false;
  };
  const known = () =>
    busy(async () => {
      const host = seed ? new URL(seed.includes("://") ? seed : `https://${seed}`).host : "";
      const found = await call<Listed<UrlRow>>(
        "GET",
        addressOf("/api/frontier/urls", { host, limit: 50 }),
      );
      add(
        found.items.map(each => each.url),
        "the known ones",
      );
    });
  const links = () =>
    busy(async () => {
      const found = await call<FetchedSeed>("POST", "/api/fetch", { url: seed, dry: true });
      if (found.page) add(found.page.links.slice(0, 100), "its links");
      else told.value = `The seed was not read: ${words(found.outcome)}.`;
    });
  return (
    <div class="samples form">
      <label>
        <span>Ask about more URLs, one a line</span>
        <textarea
          class="field mono"
          rows={3}
          spellcheck={false}
          value={samples.value}
          onInput={event => {
            samples.value = event.currentTarget.value;
          }}
        />
      </label>
      <p class="small dim">
        <button type="button" class="link" disabled={!seed || isBusy.value} onClick={known}>
          Known URLs of this host
        </button>
        {isAdmin.value && (
          <>
            {" · "}
            <button type="button" class="link" disabled={!seed || isBusy.value} onClick={links}>
              Links of the seed page
            </button>{" "}
            (fetches it once, politely)
          </>
        )}
        {told.value && <span role="status"> {tame(told.value)}</span>}
      </p>
    </div>
  );
}
