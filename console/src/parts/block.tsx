// What does a block show while it has nothing to show? Every card is one: loading, empty, wrong, old.
import type { ComponentChildren } from "preact";
import type { Asked, Problem } from "../api";
import { clock } from "../format";

interface CardProps {
  title: string;
  hint?: ComponentChildren;
  children?: ComponentChildren;
  class?: string;
}

export function Card({ title, hint, children, class: kind = "" }: CardProps) {
  return (
    <section class={`card ${kind}`} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {hint !== undefined && <span class="hint">{hint}</span>}
      </header>
      {children}
    </section>
  );
}

interface BlockProps<T> extends Omit<CardProps, "children" | "hint"> {
  asked: Asked<T>;
  hint?: ComponentChildren | ((value: T) => ComponentChildren);
  /** Rows that it will have, so that nothing jumps. */
  tall?: number;
  /** The sentence for nothing, with the one act that changes it; false when there is something. */
  empty?: (value: T) => ComponentChildren | false;
  children: (value: T) => ComponentChildren;
}

export function Block<T>({ asked, hint, tall = 4, empty, children, ...card }: BlockProps<T>) {
  const { value, problem } = asked;
  const told = typeof hint === "function" ? (value === undefined ? undefined : hint(value)) : hint;
  return (
    <Card {...card} hint={problem && value !== undefined ? <Old asked={asked} /> : told}>
      <Body asked={asked} tall={tall} empty={empty}>
        {children}
      </Body>
    </Card>
  );
}

type BodyProps<T> = Pick<BlockProps<T>, "asked" | "tall" | "empty" | "children">;

/** The same without a card around it. */
export function Body<T>({ asked, tall = 4, empty, children }: BodyProps<T>) {
  const { value, problem } = asked;
  if (value === undefined)
    return problem ? <Wrong problem={problem} again={asked.again} /> : <Skeleton rows={tall} />;
  const nothing = empty?.(value);
  if (nothing) return <p class="nothing">{nothing}</p>;
  return <div class={problem ? "stale" : "fresh"}>{children(value)}</div>;
}

export function Wrong({ problem, again }: { problem: Problem; again: () => void }) {
  return (
    <div class="wrong" role="alert">
      <p>{problem.status === 403 ? "You may not see this." : problem.detail}</p>
      <p class="faint">
        <code>{problem.address.split("?", 1)[0]}</code>
        {problem.status > 0 && ` answered ${problem.status}`}
      </p>
      {problem.status !== 403 && (
        <button type="button" class="act" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Since when it is not known any more whether this is still so. */
export function Old<T>({ asked }: { asked: Asked<T> }) {
  return (
    <span role="alert">
      as of {clock(asked.at / 1000)}: {asked.problem?.detail}{" "}
      <button type="button" class="link" onClick={asked.again}>
        Try again
      </button>
    </span>
  );
}

const LINES = [92, 78, 86, 70, 82, 74, 90, 66];

export const Skeleton = ({ rows }: { rows: number }) => (
  <div class="skeleton" aria-hidden="true">
    {Array.from({ length: rows }, (_, n) => (
      <i key={n} style={{ width: `${LINES[n % LINES.length]}%` }} />
    ))}
  </div>
);
