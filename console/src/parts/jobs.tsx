// How far is a job? A bar, how many of what can be had, how long it may take and why.
import { useEffect, useRef } from "preact/hooks";
import { type Asked, LATER, useAsk } from "../api";
import { about, clock, count, percent, present, secondsOf } from "../format";
import { running } from "../live";
import type { Job, RunningJob, WholeJob } from "../types";
import { Foreign, Pill, words } from "../words";
import { Stack } from "./figures";

export const jobAddress = (name: string, rest = "") => `/jobs/${encodeURIComponent(name)}${rest}`;

/** What is settled, and what of it can still be had: what is deferred waits for a person. */
export function reach(job: Job): { done: number; most: number; share: number } {
  const done = (job.states.done ?? 0) + 0;
  const most = done + Math.max(0, job.pending);
  return { done, most, share: most ? done / most : 0 };
}

/** A job as the stream tells it while it runs. What it was asked to do is asked for anew when that has
 * changed, and when it begins or ends to run all of it at once. */
export function useJob(name: string): Asked<WholeJob> {
  const told = running.value;
  const live = told?.find(each => each.job === name);
  const address = `/api${jobAddress(name, "/progress")}`;
  const asked = useAsk<WholeJob>(address, LATER, live?.spec_mark);
  const before = useRef<boolean | null>(null);
  const isRunning = told ? live !== undefined : null;
  useEffect(() => {
    if (before.current !== null && isRunning !== null && before.current !== isRunning)
      asked.again();
    if (isRunning !== null) before.current = isRunning;
  }, [isRunning, asked.again]);
  if (!asked.value) return asked;
  const isNewer = live && asked.value.state === "running";
  const value = isNewer ? { ...asked.value, ...live } : asked.value;
  return { ...asked, value: { ...value, seconds_left: leftOf(value) } };
}

type Waiting = Pick<WholeJob, "queues" | "waiting" | "pending" | "seconds_left">;

/** Not done before the last host is open that it waits for. */
function leftOf(job: Waiting): number | null {
  if (job.seconds_left === null || job.pending === 0) return job.seconds_left;
  const waits = job.waiting.map(each => (each.until ? secondsOf(each.until) - present() : 0));
  return Math.max(job.seconds_left, ...waits);
}

/** What it waits for, in one line. */
export function waitsFor(job: Waiting): string {
  const longest = job.waiting[0];
  if (longest) {
    const until = longest.until ? ` until ${clock(longest.until)}` : "";
    return `${longest.host} ${words(longest.why)}${until}`;
  }
  const queue = job.queues[0];
  return queue && job.seconds_left ? `${queue.host} takes longest` : "";
}

export function JobProgressRow({ job }: { job: Job | RunningJob }) {
  const waiting = "queues" in job ? job : null;
  const left = waiting ? leftOf(waiting) : job.seconds_left;
  const { done, most, share } = reach(job);
  return (
    <li>
      <a class="name" data-row href={jobAddress(job.job)}>
        <Foreign text={job.job} />
      </a>
      <Stack states={job.states} deferred={job.deferred} />
      <span class="num">{percent(share)}</span>
      <span class="dim num">
        {count(done)} of {count(most)}
      </span>
      <span class="num">{left ? about(left) : "–"}</span>
      <span class="dim foreign">{waiting ? waitsFor(waiting) : ""}</span>
    </li>
  );
}

export const JobState = ({ job }: { job: Job }) => <Pill word={job.state} />;
