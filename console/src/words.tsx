// How are other people's words shown? As text that keeps its place, whatever it says.
import type { ComponentChildren } from "preact";

// Controls, marks of direction, joiners and blanks without width: shown by their number, not obeyed.
const ODD = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\p{M}{4,}/gu;

const hex = (text: string) =>
  Array.from(text)
    .slice(0, 3)
    .map(sign => `⟨${(sign.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}⟩`)
    .join("") + (text.length > 3 ? "…" : "");

type Text = string | null | undefined;

/** A text of strangers, cut, with everything that would act on its surroundings spelled out. */
export function tame(text: Text, most = 300): string {
  if (!text) return "";
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return cut.replace(ODD, hex);
}

export function Foreign({ text, most, wrap }: { text: Text; most?: number; wrap?: boolean }) {
  return (
    <bdi class={wrap ? "foreign wrap" : "foreign"} dir="auto">
      {tame(text, most)}
    </bdi>
  );
}

/** A URL: where it is in grey, what is there in black; never a link by itself. */
export function Address({ url, wrap, path }: { url: string; wrap?: boolean; path?: boolean }) {
  const [, origin = "", rest = url] = /^([a-z]+:\/\/[^/?#]*)(.*)$/is.exec(url) ?? [];
  return (
    <bdi class={`mono address${wrap ? " wrap" : ""}`} dir="ltr">
      {!path && <span class="dim">{tame(origin, 300)}</span>}
      {tame(rest || "/", 2100)}
    </bdi>
  );
}

/** How a URL without a scheme reads in a title. */
export const words = (word: string) => word.replace(/_/g, " ");

const KINDS: Record<string, string> = {
  running: "done", ok: "done", read: "done", active: "done", open: "done", healthy: "done",
  unchanged: "done", duplicate: "done", taken: "done", allowed: "done",
  redirected: "leased", redirect: "leased", requests: "leased", due: "leased",
  told_to_wait: "blocked", paused: "blocked", throttled: "blocked", robots: "blocked",
  budget: "blocked", cooldown: "blocked", quota: "blocked", stale: "blocked", silenced: "blocked",
  breaker: "failed", broken: "failed", crash: "failed", error: "failed", forbidden: "blocked",
  firing: "failed", banned: "failed", refused: "failed", disallowed: "failed", unreachable: "failed",
  slowed: "blocked", single: "blocked", failing: "failed", probe: "leased", trouble: "failed",
  there: "done", listed: "done", delisted: "gone", garbage: "rejected", unrendered: "pending", new: "gone", stopped: "gone", silent: "gone",
  not_found: "gone", resting: "gone", waiting: "pending", none: "gone",
}; // biome-ignore format: a list of words

/** The colour of a word: that of the state it is like. */
export const kindOf = (word: string) => KINDS[word] ?? word;

/** A state as dot and word; the word is the ledger's. */
export function Pill({ word, children }: { word: string; children?: ComponentChildren }) {
  const kind = kindOf(word);
  return (
    <span class={`pill ${/^[a-z0-9_]{1,20}$/.test(kind) ? kind : "gone"}`}>
      {children ?? tame(words(word), 40)}
    </span>
  );
}

/** An HTTP status as it is coloured everywhere; in rows that have a pill already, without one. */
export function Code({
  status,
  isPlain,
}: {
  status: number | null | undefined;
  isPlain?: boolean;
}) {
  if (status === null || status === undefined) return <span class="faint">–</span>;
  if (isPlain) return <span class={`code c${String(status)[0]}`}>{status}</span>;
  return <Pill word={`c${String(status)[0]}`}>{status}</Pill>;
}

/** Opens a crawled address in a window that knows nothing of this one; only what a browser fetches. */
export function OpenOutside({ url }: { url: string }) {
  if (!/^https?:\/\//i.test(url)) return null;
  return (
    <a class="act" href={url} target="_blank" rel="noopener noreferrer">
      Open <span aria-hidden="true">↗</span>
    </a>
  );
}

/** As a shell takes it for one word. */
export const quoted = (text: string) =>
  /^[\w./:@=-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`;
