// How are numbers and times written? As the command line does, in the reader's own zone.
import { now } from "./live";
import { tame } from "./words";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const time = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const DAY = 86_400;

export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export const count = (n: number) => whole.format(n);
export const compact = (n: number) => (n < 10_000 ? whole.format(n) : short.format(n));
/** A rate; never rounded to nothing when it is something. */
export function rate(n: number): string {
  if (n > 0 && n < 0.05) return "< 0.1";
  return n > 0 && n < 10 ? n.toFixed(1) : whole.format(n);
}
export const plural = (n: number, one: string, many = `${one}s`) =>
  `${count(n)} ${n === 1 ? one : many}`;

/** A share of one, never rounded to all or nothing when it is not. */
export function percent(share: number): string {
  return inColumn(share).replace(".0 %", " %");
}

/** The same among others of its kind: all with one decimal. */
export function inColumn(share: number): string {
  const shown = (100 * share).toFixed(1);
  if (share < 1 && shown === "100.0") return "> 99.9 %";
  if (share > 0 && shown === "0.0") return "< 0.1 %";
  return `${shown} %`;
}

/** How long an answer took: whole milliseconds while they can be read. */
export const took = (ms: number | null) =>
  ms === null ? "–" : ms < 10_000 ? `${count(ms)} ms` : duration(ms / 1000);

export function bytes(n: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let left = n;
  let unit = 0;
  while (left >= 999.5 && unit < units.length - 1) {
    left /= 1000;
    unit++;
  }
  return `${left.toFixed(left < 10 && unit ? 1 : 0)} ${units[unit]}`;
}

/** A price as it is told, with its thousands apart. */
export const money = (price: string | null, currency: string | null) =>
  price === null
    ? "–"
    : tame(`${price.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ",")} ${currency ?? ""}`, 40).trim();

/** `InStock` in words. */
export const inWords = (word: string | null) =>
  (word ?? "–").replace(/(?<=[a-z])[A-Z]/g, sign => ` ${sign}`).toLowerCase();

/** 90 → "1 min 30 s"; two units at most. */
export function duration(seconds: number): string {
  if (seconds <= 0) return "0 s";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1).replace(/\.0$/, "")} s`;
  const parts: [number, string][] = [
    [Math.floor(seconds / DAY), "d"],
    [Math.floor((seconds % DAY) / 3600), "h"],
    [Math.floor((seconds % 3600) / 60), "min"],
    [Math.floor(seconds % 60), "s"],
  ];
  const first = parts.findIndex(([n]) => n > 0);
  const shown = parts.slice(first, first + 2).filter(([n]) => n > 0);
  return shown.map(([n, unit]) => `${count(n)} ${unit}`).join(" ");
}

/** A time that is only guessed, in one unit. */
export function about(seconds: number): string {
  if (seconds < 60) return "< 1 min";
  if (seconds < 90 * 60) return `≈ ${Math.round(seconds / 60)} min`;
  if (seconds < 2 * DAY) return `≈ ${Math.round(seconds / 3600)} h`;
  return `≈ ${count(seconds / DAY)} d`;
}

export const secondsOf = (at: string) => Date.parse(at) / 1000;

/** What time it is for the server, as far as it was heard of lately. */
export const present = () => Math.max(Date.now(), now.value ? Date.parse(now.value.at) : 0) / 1000;

/** 12:03:04 today, else with the day. */
export function clock(at: string | number): string {
  const when = new Date(typeof at === "number" ? at * 1000 : at);
  const today = new Date();
  if (when.toDateString() === today.toDateString()) return time.format(when);
  const shown = when.getFullYear() === today.getFullYear() ? day : date;
  return `${shown.format(when)} ${time.format(when).slice(0, 5)}`;
}

/** How long ago, or how long until. */
export function relative(at: string): string {
  const seconds = Math.round(present() - secondsOf(at));
  if (Math.abs(seconds) < 1) return "now";
  const told = seconds > 0 ? seconds : -seconds;
  const one = duration(told).split(" ").slice(0, 2).join(" ");
  return seconds > 0 ? `${one} ago` : `in ${one}`;
}

/** A moment: absolute, and how far away when that is less than an hour. */
export function Moment({ at, only }: { at: string | null | undefined; only?: "clock" | "far" }) {
  if (!at) return <span class="faint">–</span>;
  const isNear = Math.abs(present() - secondsOf(at)) < 3600;
  return (
    <time class="num" dateTime={at}>
      {only === "far" ? relative(at) : clock(at)}
      {!only && isNear && <span class="dim"> {relative(at)}</span>}
    </time>
  );
}
