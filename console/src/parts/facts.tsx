// How are single facts shown? As names and values; lists beside the words that sieve them.
import type { ComponentChildren } from "preact";
import { count } from "../format";
import { filter, filtered, go, query } from "../router";
import { isSmall } from "../theme";
import { Pill } from "../words";

export const Facts = ({ children }: { children: ComponentChildren }) => (
  <dl class="facts">{children}</dl>
);

export const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

export const Crumbs = ({ to, name, here }: { to: string; name: string; here: string }) => (
  <nav class="crumbs" aria-label="Where this is">
    <a href="/">Overview</a> / <a href={to}>{name}</a> / <bdi>{here}</bdi>
  </nav>
);

interface SieveProps {
  label: string;
  /** The filter in the address. */
  name: string;
  /** Each word with how many there are, where that is known. */
  words: readonly (readonly [word: string, n: number | null])[];
  all: string;
  /** The colour of all of them, where they are no states. */
  kind?: string;
}

/** The words of one filter, with their numbers: what is chosen is in the address. */
export function Sieve({ label, name, words, all, kind }: SieveProps) {
  const chosen = filter(name);
  return (
    <nav class="card sieve" aria-label={label}>
      <a href={filtered({ [name]: null })} aria-current={chosen ? undefined : "true"}>
        {all}
      </a>
      {words.map(([word, n]) => (
        <a
          key={word}
          href={filtered({ [name]: word })}
          aria-current={chosen === word ? "true" : undefined}
        >
          <Pill word={kind ?? word}>{kind && word.replace(/_/g, " ")}</Pill>
          {n !== null && <span class="num dim">{count(n)}</span>}
        </a>
      ))}
    </nav>
  );
}

interface FieldProps {
  name: string;
  label: string;
  placeholder?: string;
  kind?: "text" | "number" | "date" | "search";
  size?: "wide" | "short" | undefined;
}

/** A filter that is typed: it goes into the address with Enter, or when it is left. */
export function FilterField({ name, label, placeholder, kind = "text", size }: FieldProps) {
  const set = (value: string) => go(filtered({ [name]: value.trim() }), "replace");
  return (
    <label class={`filter ${size ?? (kind === "number" ? "short" : "")}`}>
      <span>{label}</span>
      <input
        class="field"
        // Each kind of field has a type of its own; these four take the same.
        type={kind as "text"}
        name={name}
        placeholder={placeholder}
        defaultValue={filter(name)}
        autocomplete="off"
        spellcheck={false}
        onChange={event => set(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key === "Enter") set(event.currentTarget.value);
        }}
      />
    </label>
  );
}

/** A filter of a few words. */
export function FilterChoice({
  name,
  label,
  words,
}: {
  name: string;
  label: string;
  words: readonly (readonly [value: string, told: string])[];
}) {
  return (
    <label class="filter">
      <span>{label}</span>
      <select
        class="field"
        name={name}
        value={filter(name)}
        onChange={event => go(filtered({ [name]: event.currentTarget.value }), "replace")}
      >
        {words.map(([value, told]) => (
          <option key={value} value={value}>
            {told}
          </option>
        ))}
      </select>
    </label>
  );
}

/** On a phone they wait behind a word, unless one of them says something. */
export const Filters = ({ children }: { children: ComponentChildren }) => (
  <details class="filter-box" open={!isSmall.value || query.value.size > 0}>
    <summary>Filter</summary>
    <search class="filters">{children}</search>
  </details>
);
