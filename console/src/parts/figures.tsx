// How are a few numbers shown side by side, and shares of a whole?
import type { ComponentChildren } from "preact";
import { count, inColumn } from "../format";
import { STATES, type State, type States } from "../types";

export const Tiles = ({ children, label }: { children: ComponentChildren; label: string }) => (
  <dl class="tiles card" aria-label={label}>
    {children}
  </dl>
);

interface TileProps {
  name: string;
  value: ComponentChildren;
  more?: ComponentChildren;
}

export const Tile = ({ name, value, more }: TileProps) => (
  <div class="tile">
    <dt>{name}</dt>
    <dd class="num">
      {value} <small>{more}</small>
    </dd>
  </div>
);

const ORDER: readonly State[] = [
  "done",
  "pending",
  "leased",
  "blocked",
  "gone",
  "rejected",
  "failed",
];
export const known = (states: Partial<States>) =>
  STATES.reduce((sum, state) => sum + (states[state] ?? 0), 0);

interface StackProps {
  states: Partial<States>;
  /** Those of the pending that wait for a person. */
  deferred?: number;
  isTall?: boolean;
}

/** The states as one bar. What is deferred is no part of it: it is not on its way to be done. */
export function Stack({ states, deferred = 0, isTall }: StackProps) {
  const parts: [name: string, n: number][] = ORDER.map(state => [
    state,
    (states[state] ?? 0) - (state === "pending" ? deferred : 0),
  ]);
  const shown = parts.filter(([, n]) => n > 0);
  const all = deferred > 0 ? [...shown, ["deferred", deferred] as const] : shown;
  const told = all.map(([name, n]) => `${count(n)} ${name}`).join(", ");
  return (
    <div class={`stack${isTall ? " tall" : ""}`} role="img" aria-label={told || "nothing yet"}>
      {shown.map(([name, n]) => (
        <i key={name} class={name} style={{ flexGrow: String(n) }} />
      ))}
    </div>
  );
}

/** Does it add up? Every URL that is known is in exactly one state. */
export function Conservation({
  total,
  states,
  deferred = 0,
  to,
}: {
  total: number;
  states: Partial<States>;
  /** Those of the pending that wait for a person. */
  deferred?: number;
  to: (state: State) => string;
}) {
  const sum = known(states);
  const shown = ORDER.filter(state => states[state]);
  return (
    <p class="whole num">
      {sum === total ? (
        <span class="ok">✓</span>
      ) : (
        <span class="not-ok">✕ off by {count(Math.abs(total - sum))}:</span>
      )}{" "}
      {count(total)} known ={" "}
      {shown.map((state, n) => (
        <span key={state}>
          {n > 0 && " + "}
          <a class={`term ${state}`} href={to(state)}>
            {count(states[state] ?? 0)} {state}
          </a>
          {state === "pending" && deferred > 0 && ` (${count(deferred)} deferred)`}
        </span>
      ))}
      {shown.length === 0 && "0"}
    </p>
  );
}

/** A bar as long as its share. */
export function Meter({
  share,
  waste = 0,
  kind = "",
}: {
  share: number;
  waste?: number;
  kind?: string;
}) {
  const width = Math.max(0, Math.min(100, 100 * share));
  return (
    <svg class={`meter ${kind}`} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="all" width={width} height="6" />
      {waste > 0 && <rect class="waste" width={width * Math.min(1, waste)} height="6" />}
    </svg>
  );
}

export const share = (part: number, whole: number) => (whole > 0 ? inColumn(part / whole) : "–");
