// How far is a job, what does it wait for, and what did it refuse?
import { useEffect, useMemo, useRef } from "preact/hooks";
import { call, isAdmin, SELDOM, useAsk } from "../api";
import { Chart, type Line } from "../chart";
import { about, clock, count, percent, plural, present, secondsOf } from "../format";
import { useKey } from "../keys";
import { type Waited, waited } from "../live";
import { Block, Body, Card } from "../parts/block";
import { confirm } from "../parts/dialog";
import { Conservation, Meter, Stack } from "../parts/figures";
import { HostLink } from "../parts/hosts";
import { JobTab, TABS, type TabName } from "../parts/job-tabs";
import { jobAddress, reach, useJob, waitsFor } from "../parts/jobs";
import { act } from "../parts/notice";
import { JobRefusals } from "../parts/refusals";
import { Same } from "../parts/same";
import { spoken } from "../reasons";
import { addressOf, filter, go, useTitle } from "../router";
import type { Timeseries, WholeJob } from "../types";
import { Foreign, Pill, quoted, tame, words } from "../words";

export default function JobPage({ name }: { name: string }) {
  useTitle(name, "Jobs");
  const address = `/api${jobAddress(name, "/progress")}`;
  const asked = useJob(name);
  const given = filter("tab");
  const tab = (TABS as readonly string[]).includes(given) ? (given as TabName) : null;
  const job = asked.value;
  const bar = useRef<HTMLElement>(null);
  const isThere = job !== undefined;
  useEffect(() => {
    // On a phone it may be out of sight. Nothing but the bar is scrolled.
    const chosen = bar.current?.querySelector<HTMLElement>("[aria-current]");
    if (isThere && chosen && bar.current) bar.current.scrollLeft = tab ? chosen.offsetLeft - 80 : 0;
  }, [tab, isThere]);
  return (
    <main id="main" class="narrow">
      <nav class="crumbs" aria-label="Where this is">
        <a href="/">Overview</a> / <a href="/jobs">Jobs</a> / <Foreign text={name} />
      </nav>
      <header class="subject">
        <h1>
          <Foreign text={name} />
        </h1>
        {job && <Pill word={job.state} />}
        {job && <span class="dim">{whenTold(job)}</span>}
        {job && isAdmin.value && <Acts job={job} />}
      </header>
      {job ? (
        <Progress job={job} />
      ) : (
        <section class="card" aria-label="Progress">
          <Body asked={asked} tall={3}>
            {() => null}
          </Body>
        </section>
      )}
      {job && (
        <>
          <nav class="tabbar" aria-label="Of this job" ref={bar}>
            <a href={jobAddress(name)} aria-current={tab ? undefined : "page"}>
              Progress
            </a>
            {TABS.map(each => (
              <a
                key={each}
                href={addressOf(jobAddress(name), { tab: each })}
                aria-current={each === tab ? "page" : undefined}
              >
                {each === "urls" ? "URLs" : (each[0]?.toUpperCase() ?? "") + each.slice(1)}
              </a>
            ))}
          </nav>
          {tab ? <JobTab name={name} tab={tab} job={job} /> : <Going name={name} job={job} />}
        </>
      )}
      <Same command={`tenax jobs show ${quoted(name)}`} request={`GET ${address}`} />
    </main>
  );
}

function whenTold(job: WholeJob): string {
  const parts = [
    job.spec.schedule && words(job.spec.schedule),
    `created ${clock(job.created_at)}`,
    job.ended_at && `ended ${clock(job.ended_at)}`,
    job.next_run_at && `next run ${clock(job.next_run_at)}`,
  ];
  return parts.filter(Boolean).join(", ");
}

type Order = "start" | "pause" | "resume" | "stop" | "run";
const ORDERS: Record<string, Order[]> = {
  running: ["pause", "stop"],
  paused: ["resume", "stop"],
  stopped: ["start"],
  done: ["start", "run"],
};
const SAID: Record<Order, [button: string, done: string]> = {
  start: ["Start", "Started: workers take it up within a second."],
  pause: ["Pause", "Paused: nothing more is asked for within two seconds."],
  resume: ["Resume", "It goes on where it was."],
  stop: ["Stop", "Stopped. What is left stays."],
  run: ["Run again", "Everything of it is visited again."],
};

function Acts({ job }: { job: WholeJob }) {
  const order = (which: Order) =>
    act(() => call("POST", `/api${jobAddress(job.job, `/${which}`)}`), SAID[which][1]);
  const first = ORDERS[job.state]?.[0];
  useKey(
    "e",
    first ? `${SAID[first][0]} this job` : "Nothing to do here",
    () => first && order(first),
  );
  const remove = async () => {
    const known = plural(job.known, "URL");
    const isMeant = await confirm({
      title: "Delete this job?",
      text: `It goes with ${known}, ${plural(job.pages, "page")} and all of its history. This cannot be undone.`,
      yes: "Delete",
      isBad: true,
    });
    if (isMeant)
      await act(
        () => removed(job.job),
        gone => (gone ? "Deleted." : "Not all of it is deleted yet: try again."),
      );
    if (isMeant) go("/jobs");
  };
  return (
    <span class="acts">
      {(ORDERS[job.state] ?? []).map(which => (
        <button key={which} type="button" class="act" onClick={() => order(which)}>
          {SAID[which][0]}
        </button>
      ))}
      <button type="button" class="act" onClick={remove}>
        Delete…
      </button>
    </span>
  );
}

/** Large jobs are deleted step by step. */
async function removed(name: string): Promise<boolean> {
  for (let step = 0; step < 50; step++) {
    const told = await call<{ is_gone: boolean }>("DELETE", `/api${jobAddress(name)}`);
    if (told.is_gone) return true;
  }
  return false;
}

function Progress({ job }: { job: WholeJob }) {
  const { done, most, share } = reach(job);
  const waits = waitsFor(job);
  return (
    <section class="card progress" aria-label="Progress">
      <div class="line">
        <b class="num">{most ? percent(share) : "–"}</b>
        <span class="dim">
          {count(done)} of {count(most)} that can be had
          {job.deferred > 0 && `; ${count(job.deferred)} more are deferred as traps`}
        </span>
        <span class="eta">
          <b class="num">{job.seconds_left ? about(job.seconds_left) : ""}</b>{" "}
          <span class="dim">
            {job.seconds_left ? "left" : words(job.state)}
            {waits && (
              <>
                ; <Foreign text={waits} />
              </>
            )}
          </span>
        </span>
      </div>
      <Stack states={job.states} deferred={job.deferred} isTall />
      <Conservation
        total={job.known}
        states={job.states}
        deferred={job.deferred}
        to={state => addressOf(jobAddress(job.job), { tab: "urls", state })}
      />
    </section>
  );
}

/** In minutes: as far back as they are kept. */
const WEEK = 10_080;

function Going({ name, job }: { name: string; job: WholeJob }) {
  return (
    <>
      <div class="beside">
        <Rate name={name} job={job} />
        <Waits job={job} />
      </div>
      <JobRefusals name={name} counts={job.not_taken} />
      <div class="half">
        <Queues job={job} />
        <Failures name={name} mark={badly(job)} />
      </div>
    </>
  );
}

/** Since it began, as far back as minutes are kept; in tens, so that it is the same question for ten. */
function Rate({ name, job }: { name: string; job: WholeJob }) {
  const until = job.ended_at ? secondsOf(job.ended_at) : present();
  const age = Math.ceil((present() - secondsOf(job.created_at)) / 60) + 1;
  const minutes = Math.min(WEEK, Math.max(2, age));
  const step = Math.max(1, Math.ceil(minutes / 300));
  const round = Math.min(WEEK, Math.ceil(minutes / 10) * 10);
  const asked = useAsk<Timeseries>(
    addressOf("/api/stats/timeseries", { job: name, minutes: round, step }),
    job.state === "running" ? SELDOM : undefined,
  );
  const from = Math.max(secondsOf(job.created_at), present() - minutes * 60);
  const seen = waited.value.get(name);
  const asOf = useMemo(present, [asked.value]);
  const drawn = useMemo(
    () => withWaiting(lines(asked.value, from, asOf), seen),
    [asked.value, job.created_at, seen],
  );
  return (
    <Block
      title={seen ? "Pages a second, and URLs waiting" : "Pages a second"}
      asked={asked}
      tall={6}
      hint={
        age > WEEK ? "the last 7 days" : until < present() - 60 ? "all of it" : "since it began"
      }
    >
      {() => (
        <Chart
          label={`Pages and failures a second${seen ? ", and URLs waiting" : ""}`}
          times={drawn.times}
          lines={drawn.lines}
          from={drawn.times[0]}
          until={drawn.times.at(-1)}
        />
      )}
    </Block>
  );
}

/** Each step as wide as it was when it was told: one that has just begun is no fall to nothing. */
function lines(
  told: Timeseries | undefined,
  from: number,
  asOf: number,
): { times: number[]; lines: Line[] } {
  const step = told?.step_seconds ?? 60;
  const times: number[] = [];
  const pages: number[] = [];
  const failures: number[] = [];
  for (const each of told?.items ?? []) {
    const begins = Math.max(from, secondsOf(each.at));
    const ends = Math.min(secondsOf(each.at) + step, asOf);
    if (ends - begins < Math.min(5, step / 4)) continue;
    for (const edge of [begins, ends - 0.5]) {
      times.push(edge);
      pages.push(each.pages / (ends - begins));
      failures.push(each.failures / (ends - begins));
    }
  }
  return {
    times,
    lines: [
      { name: "pages/s", colour: "accent", isFilled: true, values: pages },
      { name: "failures/s", colour: "failed", values: failures },
    ],
  };
}

/** What waits beside it, since somebody looks; between its edges a step is as it is. */
function withWaiting(drawn: ReturnType<typeof lines>, seen: readonly Waited[] | undefined) {
  if (!seen) return drawn;
  const first = drawn.times[0] ?? 0;
  const marks = seen.map(([at]) => at).filter(at => at >= first);
  const times = [...new Set([...drawn.times, ...marks])].sort((a, b) => a - b);
  const held = (at: readonly number[], values: readonly (number | null)[]) => {
    let n = -1;
    return times.map(time => {
      while ((at[n + 1] ?? Number.POSITIVE_INFINITY) <= time) n++;
      return values[n] ?? null;
    });
  };
  const waiting: Line = {
    name: "waiting",
    colour: "pending",
    isOther: true,
    told: count,
    values: held(
      seen.map(([at]) => at),
      seen.map(([, urls]) => urls),
    ),
  };
  const others = drawn.lines.map(line => ({ ...line, values: held(drawn.times, line.values) }));
  return { times, lines: [...others, waiting] };
}

function Waits({ job }: { job: WholeJob }) {
  const urls = new Map(job.queues.map(each => [each.host, each.waiting]));
  return (
    <Card title="Waiting for" hint={job.waiting.length > 0 && plural(job.waiting.length, "host")}>
      {job.waiting.length === 0 ? (
        <p class="nothing">
          {job.state === "running" ? "No host: all may be asked." : "Nothing: it does not run."}
        </p>
      ) : (
        <ul class="waits">
          {job.waiting.map(each => (
            <li key={each.host}>
              <HostLink name={each.host} />
              <span class="num">{each.until ? clock(each.until) : "until it is resumed"}</span>
              <span class="dim why">
                {tame(words(each.why), 160)}
                {urls.get(each.host)
                  ? `; ${plural(urls.get(each.host) ?? 0, "URL waits", "URLs wait")}`
                  : ""}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Queues({ job }: { job: WholeJob }) {
  const queues = job.queues.filter(each => each.waiting > 0);
  const most = Math.max(1, ...queues.map(each => each.waiting));
  return (
    <Card title="Longest queues" hint="URLs that wait for one host">
      {queues.length === 0 ? (
        <p class="nothing">Nothing waits.</p>
      ) : (
        <ul class="legend shapes">
          {queues.map(each => (
            <li key={each.host}>
              <HostLink name={each.host} />
              <Meter share={each.waiting / most} kind="plain" />
              <span class="num">{count(each.waiting)}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

interface Failure {
  reason: string;
  count: number;
}

const BADLY = ["failed", "blocked", "rejected", "gone"] as const;
/** How many URLs ended in each of these ways: while it is the same, so are their reasons. */
const badly = ({ states }: WholeJob) => BADLY.map(each => states[each] ?? 0).join(" ");

function Failures({ name, mark }: { name: string; mark: string }) {
  const asked = useAsk<{ items: Failure[] }>(
    `/api${jobAddress(name, "/failures")}?limit=12`,
    SELDOM,
    mark,
  );
  return (
    <Block
      title="What went wrong"
      hint="by reason, the commonest first"
      asked={asked}
      empty={found => found.items.length === 0 && "Nothing so far."}
    >
      {found => (
        <ul class="legend reasons">
          {found.items.map(each => (
            <li key={each.reason}>
              <Foreign text={spoken(each.reason)} most={160} />
              <span class="num">{count(each.count)}</span>
            </li>
          ))}
        </ul>
      )}
    </Block>
  );
}
