// How is the API asked? By typed fetches whose answers are kept, so that going back shows at once what
// was there; errors are the problems the API tells.
import { computed, effect, type Signal, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { listenAnew, now, on } from "./live";
import type { Listed, Me } from "./types";

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly address: string,
    readonly seconds: number | null = null,
  ) {
    super(detail);
  }
}

/** Who looks on; null until the server said it. */
export const me = signal<Me | null>(null);
export const isAdmin = computed(() => me.value?.role === "admin");
export const isKnown = computed(() => me.value !== null && me.value.role !== "anonymous");
/** Whether a session ended while somebody was at work: they log in again, and go on. */
export const hasExpired = signal(false);
let goOn: (() => void)[] = [];

export async function whoAmI() {
  const before = me.peek();
  me.value = await request<Me>("GET", "/api/auth/me");
  if (before && before.name !== me.value.name) listenAnew();
  if (isKnown.peek()) {
    hasExpired.value = false;
    for (const each of goOn) each();
    goOn = [];
  }
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Ask, and be logged in again in between when that is needed. */
export async function call<T>(method: Method, address: string, body?: unknown): Promise<T> {
  for (;;) {
    try {
      return await request<T>(method, address, body);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 401 || !isKnown.peek()) throw error;
      hasExpired.value = true;
      await new Promise<void>(done => goOn.push(done));
    }
  }
}

export async function request<T>(method: Method, address: string, body?: unknown): Promise<T> {
  let answer: Response;
  try {
    answer = await (early(address) ??
      fetch(address, {
        method,
        headers: body === undefined ? {} : { "Content-Type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
      }));
  } catch {
    throw new Problem(0, "The server does not answer.", address);
  }
  const isJson = /json/.test(answer.headers.get("Content-Type") ?? "");
  const told: unknown = isJson ? await answer.json().catch(() => null) : await answer.text();
  if (answer.ok) return told as T;
  throw new Problem(answer.status, detailOf(told) ?? answer.statusText, address, after(answer));
}

/** What was asked for before this was loaded; once. */
function early(address: string): Promise<Response> | undefined {
  if (address !== "/api/auth/me") return undefined;
  const asked = globalThis.whoFirst;
  globalThis.whoFirst = undefined;
  return asked;
}

function after(answer: Response): number | null {
  const given = Number(answer.headers.get("Retry-After"));
  return given > 0 ? given : null;
}

function detailOf(told: unknown): string | null {
  if (typeof told !== "object" || told === null || !("detail" in told)) return null;
  const { detail, errors } = told as { detail: string; errors?: { where: string; why: string }[] };
  const wrong = (errors ?? []).map(each => `${each.where.replace(/^body\./, "")}: ${each.why}`);
  return [detail, ...wrong].join(" ");
}

export const problemOf = (error: unknown, address: string) =>
  error instanceof Problem ? error : new Problem(0, String(error), address);

/** What the stream says instead of an answer: as long as it says the same, nothing has changed. Without
 * one, nobody knows. */
export type Mark = string | number | undefined;

/** An answer, or why there is none; the last one stays when the next one fails. */
export interface Asked<T> {
  value: T | undefined;
  problem: Problem | null;
  /** When the value came. */
  at: number;
  /** What the stream said when it was asked for. */
  mark: Mark;
  isBusy: boolean;
  address: string;
  again: () => Promise<void>;
}

const MOST_KEPT = 80;
const FRESH = 3_000;
const kept = new Map<string, Signal<Asked<unknown>>>();

function keep<T>(key: string, make: () => Asked<T>): Signal<Asked<T>> {
  let found = kept.get(key) as Signal<Asked<T>> | undefined;
  if (!found) {
    found = signal(make());
    for (const old of kept.keys()) {
      if (kept.size < MOST_KEPT) break;
      kept.delete(old);
    }
  }
  kept.delete(key);
  kept.set(key, found as Signal<Asked<unknown>>);
  return found;
}

/** What is shown is asked for again when this changes: somebody did something, or half a minute passed
 * in which nothing was heard. */
const again = signal(0);
setInterval(() => {
  if (!document.hidden) again.value++;
}, 30_000);

/** Seconds: how often an open page asks at most for what the stream does not tell. Many are open at
 * once, and each question takes from the crawl: `python -m bench.live_listeners --consoles`. */
export const LATER = 30;
/** The same for what hardly changes within a minute. */
export const SELDOM = 60;
// The server is back: what could not be asked for can be.
effect(() => {
  if (on.value) again.value = again.peek() + 1;
});

/** Everything that was kept may be untrue now: somebody changed something. */
export function forget() {
  for (const each of kept.values()) each.value = { ...each.peek(), at: 0 };
  again.value++;
}

const NOTHING: Asked<never> = {
  value: undefined,
  problem: null,
  at: 0,
  mark: undefined,
  isBusy: false,
  address: "",
  again: async () => {},
};

/** Ask once, and show what was kept meanwhile. `live`: again after so many seconds, while things
 * change and somebody looks; of what has a mark, only when that is another. */
export function useAsk<T>(address: string | null, live?: number, mark?: Mark): Asked<T> {
  const state = address === null ? null : keep<T>(address, () => asked<T>(address));
  const tick = live ? now.value?.at : "";
  const turn = again.value;
  const seen = useRef<Seen>({ state: null, turn: 0 });
  useEffect(() => {
    if (!state || document.hidden) return;
    const why = turned(seen.current, state, turn);
    const isSame = mark !== undefined && mark === state.peek().mark;
    if (!isDue(state.peek(), isSame ? undefined : live, why)) return;
    state.value = { ...state.peek(), mark };
    state.peek().again();
  }, [state, tick, live, mark, turn]);
  return state ? state.value : NOTHING;
}

interface Seen {
  state: unknown;
  turn: number;
}
type Turn = "new" | "again" | "tick";

/** Why it is looked at: it is new here, it may be untrue, or only because time passed. */
function turned(seen: Seen, state: unknown, turn: number): Turn {
  const found = seen.state !== state ? "new" : seen.turn !== turn ? "again" : "tick";
  seen.state = state;
  seen.turn = turn;
  return found;
}

/** Whether to ask: never yet, forgotten, or old. A tick asks for nothing that went wrong. */
function isDue(kept: Asked<unknown>, live: number | undefined, turn: Turn): boolean {
  if (kept.isBusy) return false;
  if (kept.problem) return turn !== "tick";
  const age = Date.now() - kept.at;
  return kept.at === 0 || (live ? age > live * 1000 : turn === "new" && age > FRESH);
}

function asked<T>(address: string): Asked<T> {
  const again = async () => {
    const state = kept.get(address) as Signal<Asked<T>> | undefined;
    if (!state) return;
    state.value = { ...state.peek(), isBusy: true };
    try {
      const value = await call<T>("GET", address);
      state.value = { ...state.peek(), value, problem: null, at: Date.now(), isBusy: false };
    } catch (error) {
      state.value = { ...state.peek(), problem: problemOf(error, address), isBusy: false };
    }
  };
  return { ...NOTHING, address, again };
}

export interface AskedList<T> extends Asked<T[]> {
  /** Whether there may be more. */
  hasMore: boolean;
  /** How many answers it is made of. */
  steps: number;
  total: number | null;
  more: () => Promise<void>;
}

/** A list by its cursor: what was loaded stays, and is there again on return. `live`: its first part
 * again after so many seconds, while nobody went further. */
export function useList<T>(address: string | null, live?: number): AskedList<T> {
  const key = address === null ? null : `list ${address}`;
  const state =
    address === null || key === null ? null : keep<T[]>(key, () => askedList<T>(key, address));
  const tick = live ? now.value?.at : "";
  const turn = again.value;
  const seen = useRef<Seen>({ state: null, turn: 0 });
  useEffect(() => {
    if (!state || document.hidden) return;
    const shown = state.peek() as AskedList<T>;
    // Whoever went further, or is not looking at the newest, is not thrown back.
    const isStill = shown.at > 0 && (!live || shown.steps > 1);
    if (isDue(shown, live, turned(seen.current, state, turn)) && !isStill) shown.again();
  }, [state, tick, live, turn]);
  if (!state) return { ...NOTHING, hasMore: false, steps: 0, total: null, more: NOTHING.again };
  return state.value as AskedList<T>;
}

function askedList<T>(key: string, address: string): AskedList<T> {
  let next: string | null = null;
  const step = async (isFirst: boolean) => {
    const state = kept.get(key) as Signal<AskedList<T>> | undefined;
    if (!state || state.peek().isBusy) return;
    state.value = { ...state.peek(), isBusy: true };
    const behind = isFirst || next === null ? "" : `cursor=${encodeURIComponent(next)}`;
    const asking = behind ? address + (address.includes("?") ? "&" : "?") + behind : address;
    try {
      const answer = await call<Listed<T> & { total?: number }>("GET", asking);
      const before = isFirst ? [] : (state.peek().value ?? []);
      next = answer.next;
      state.value = {
        ...state.peek(),
        value: [...before, ...answer.items],
        problem: null,
        at: Date.now(),
        isBusy: false,
        hasMore: next !== null,
        steps: isFirst ? 1 : state.peek().steps + 1,
        total: answer.total ?? null,
      };
    } catch (error) {
      state.value = { ...state.peek(), problem: problemOf(error, asking), isBusy: false };
    }
  };
  return {
    ...NOTHING,
    address,
    hasMore: false,
    steps: 0,
    total: null,
    again: () => step(true),
    more: () => step(false),
  };
}
