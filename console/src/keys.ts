// Which key does what? Said in one place, so that `?` can list them.
import { useEffect, useRef } from "preact/hooks";

interface Bound {
  what: string;
  does: () => void;
}

const bound = new Map<string, Bound[]>();
let prefix = "";
let prefixedAt = 0;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && target.type === "checkbox");

/** Bind a key (`t`, `g o`, `Escape`); who binds it last has it. Returns how to let go. */
export function bind(key: string, what: string, does: () => void): () => void {
  const mine = { what, does };
  bound.set(key, [...(bound.get(key) ?? []), mine]);
  return () => {
    bound.set(
      key,
      (bound.get(key) ?? []).filter(each => each !== mine),
    );
  };
}

export function useKey(key: string, what: string, does: () => void) {
  const latest = useRef(does);
  latest.current = does;
  useEffect(() => bind(key, what, () => latest.current()), [key, what]);
}

/** What can be pressed now. */
export const bindings = (): [key: string, what: string][] =>
  [...bound].flatMap(([key, all]) => {
    const last = all.at(-1);
    return last ? [[key, last.what] as [string, string]] : [];
  });

addEventListener("keydown", event => {
  if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
  const isFind = (event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k";
  if (!isFind && (event.metaKey || event.ctrlKey || event.altKey)) return;
  if (!isFind && isTyping(event.target)) {
    if (event.key === "Escape" && event.target instanceof HTMLElement) event.target.blur();
    return;
  }
  const pressed = isFind ? "/" : event.key;
  const whole = prefix && event.timeStamp - prefixedAt < 1500 ? `${prefix} ${pressed}` : pressed;
  prefix = "";
  const found = bound.get(whole)?.at(-1);
  if (found) {
    event.preventDefault();
    found.does();
  } else if ([...bound.keys()].some(key => key.startsWith(`${pressed} `))) {
    prefix = pressed;
    prefixedAt = event.timeStamp;
  }
});

/** The next or the previous row of what is shown, by its link. */
export function step(by: 1 | -1) {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
