// What happens now, as the server tells it: one connection for all windows of a browser, which allows
// six to a server. Whoever has the lock listens and passes it on; a window nobody sees lets go of it.
import { computed, signal } from "@preact/signals";
import type { Figures, Sample } from "./types";

const SECONDS = 300;
type Told =
  | { full: { now: Figures | null; ring: readonly Sample[] } }
  | { tick: Figures }
  | { lost: true };

export type Waited = readonly [at: number, urls: number];
const WAITED_EVERY = 2;
const MOST_WAITED = 1_800;

export const now = signal<Figures | null>(null);
export const ring = signal<readonly Sample[]>([]);
/** Whether what is shown is what is. */
export const on = signal(false);
/** Since when it is not. */
export const lostAt = signal<number | null>(null);
/** How many URLs of each job waited, in seconds and since a window looks: the ledger keeps no such
 *  curve. */
export const waited = signal<ReadonlyMap<string, readonly Waited[]>>(new Map());
/** The jobs that run, as they are now; null until that was told. */
export const running = computed(() => (on.value ? (now.value?.jobs ?? null) : null));
/** Since when all that happened was told: before that nobody listened, or the stream was lost. */
export const resumed = signal("");
export const isStale = computed(() => !on.value && now.value !== null);

function hear(told: Told) {
  if ("lost" in told) {
    if (on.peek()) lostAt.value = Date.now();
    on.value = false;
    return;
  }
  if ("full" in told) {
    ring.value = told.full.ring;
    now.value = told.full.now;
    resumed.value = told.full.now?.at ?? "";
  } else {
    const { at, a_second } = told.tick;
    const first = Date.parse(at) - SECONDS * 1000;
    ring.value = [...ring.peek().filter(each => Date.parse(each.at) >= first), { at, a_second }];
    now.value = told.tick;
  }
  if (now.value?.jobs) note(now.value);
  lostAt.value = null;
  on.value = true;
}

function note({ at, jobs = [] }: Figures) {
  const seconds = Date.parse(at) / 1000;
  const kept = waited.peek();
  const due = jobs.filter(({ job }) => seconds - (kept.get(job)?.at(-1)?.[0] ?? 0) >= WAITED_EVERY);
  if (due.length === 0) return;
  const next = new Map(kept);
  for (const { job, pending } of due)
    next.set(job, [...(kept.get(job) ?? []).slice(-MOST_WAITED), [seconds, pending]]);
  waited.value = next;
}

const others = new BroadcastChannel("tenax-live");
let source: EventSource | null = null;
let end = () => {};

/** Whoever is logged in now may be told more: begin anew. */
export function listenAnew() {
  end();
}

function repeat() {
  if (source && now.peek())
    others.postMessage({ full: { now: now.peek(), ring: ring.peek() } } satisfies Told);
}

others.onmessage = (event: MessageEvent<Told | "who?">) => {
  if (event.data === "who?") repeat();
  else hear(event.data);
};

function pass(told: Told) {
  hear(told);
  others.postMessage(told);
}

function listen(): Promise<void> {
  return new Promise(done => {
    const opened = new EventSource("/api/live?jobs=true");
    source = opened;
    opened.addEventListener("full", event => pass({ full: JSON.parse(event.data) }));
    opened.addEventListener("tick", event => pass({ tick: JSON.parse(event.data) }));
    opened.addEventListener("away", () => pass({ lost: true }));
    let again = 0;
    opened.onerror = () => {
      pass({ lost: true });
      // Refused rather than cut off (429, 503): the browser does not try again by itself.
      if (opened.readyState === EventSource.CLOSED) again = window.setTimeout(() => end(), 10_000);
    };
    end = () => {
      clearTimeout(again);
      document.removeEventListener("visibilitychange", hidden);
      opened.close();
      source = null;
      done();
    };
    const hidden = () => {
      if (document.hidden) end();
    };
    document.addEventListener("visibilitychange", hidden);
  });
}

function seen(): Promise<void> {
  return new Promise(done => {
    const look = () => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", look);
      done();
    };
    document.addEventListener("visibilitychange", look);
    look();
  });
}

/** Without locks (plain HTTP from elsewhere) each window listens for itself. */
export async function follow(): Promise<never> {
  others.postMessage("who?");
  for (;;) {
    await seen();
    if (navigator.locks) await navigator.locks.request("tenax-live", listen);
    else await listen();
  }
}
