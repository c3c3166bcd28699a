// What is going on? Six figures, how fast it goes, where every URL stands, what is in trouble.
import { computed } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { isAdmin, SELDOM, useAsk, useList } from "../api";
import { Chart, type Line } from "../chart";
import {
  bytes,
  clock,
  compact,
  count,
  percent,
  plural,
  present,
  rate,
  secondsOf,
  took,
} from "../format";
import { useKey } from "../keys";
import { now, resumed, ring, running as told } from "../live";
import { Block, Card } from "../parts/block";
import { Stack, share, Tile, Tiles } from "../parts/figures";
import { HostsInTrouble } from "../parts/hosts";
import { JobProgressRow } from "../parts/jobs";
import { Same } from "../parts/same";
import { type Column, List, RowLink } from "../parts/table";
import { spoken } from "../reasons";
import { addressOf, filter, filtered, go, useTitle } from "../router";
import {
  type Figures,
  type Job,
  type Listed,
  type Sample,
  STATES,
  type Timeseries,
  type Visit,
} from "../types";
import { Address, Code, Foreign, Pill } from "../words";

export default function Overview() {
  useTitle("Overview");
  // Those that run are told of by the stream; a first one is waited for.
  const jobs = useAsk<Listed<Job>>("/api/jobs?limit=200", told.value?.length ? undefined : 10);
  const kept = jobs.value?.items.filter(job => job.state === "running") ?? [];
  const running = told.value ?? kept;
  if (jobs.value?.items.length === 0 && running.length === 0) return <Begin />;
  return (
    <main id="main">
      <div class="title">
        <h1>Overview</h1>
        <span class="dim">
          {jobs.value &&
            (running.length ? `${plural(running.length, "job")} running` : "no job is running")}
        </span>
      </div>
      <Six />
      <div class="three">
        <Rate />
        <Frontier />
        <Codes />
      </div>
      <div class="beside even">
        <Block
          title="Running"
          class="rows"
          asked={jobs}
          tall={3}
          hint={
            <a class="link" href="/jobs">
              All jobs
            </a>
          }
          empty={() =>
            running.length === 0 && (
              <>
                No job is running.{" "}
                <a class="link" href="/jobs">
                  Start one
                </a>
              </>
            )
          }
        >
          {() => (
            <ul class="running">
              {running.slice(0, 6).map(job => (
                <JobProgressRow key={job.job} job={job} />
              ))}
            </ul>
          )}
        </Block>
        <HostsInTrouble />
      </div>
      <Visits />
      <Same command="tenax jobs --watch" request="GET /api/live" />
    </main>
  );
}

function Begin() {
  return (
    <main id="main" class="narrow">
      <h1>Nothing has been crawled yet</h1>
      <div class="half">
        <Card title="By a form">
          <p class="pad dim">
            Name a site, see what would be taken and what refused, then start it.
          </p>
          <p class="pad">
            {isAdmin.value ? (
              <a class="act strong" href="/jobs/new">
                New job
              </a>
            ) : (
              <span class="dim">An admin creates jobs; you will see them here.</span>
            )}
          </p>
        </Card>
        <Card title="In a terminal">
          <p class="pad dim">Everything that can be done here can be done there, too.</p>
          <p class="pad">
            <code>tenax crawl https://example.com/ --max-pages 100</code>
          </p>
        </Card>
      </div>
      <Same command="tenax jobs" request="GET /api/jobs" />
    </main>
  );
}

const LATELY = "/api/stats/timeseries?minutes=6&step=1";
/** The stream tells of no more that run: with so many, there may be others. */
const MOST_TOLD = 12;
/** All jobs that run, as far as the stream tells them all. */
const all = computed(() => {
  const some = told.value ?? [];
  return some.length > 0 && some.length < MOST_TOLD ? some : null;
});
/** What was done before the stream told: while it does, there is nothing more to ask for. */
const before = computed(() => (all.value ? resumed.value : undefined));

function Six() {
  const asked = useAsk<Timeseries>(LATELY, SELDOM, before.value);
  const lately = all.value ?? asked.value?.items ?? [];
  const visits = lately.reduce((sum, each) => sum + each.visits, 0);
  const failures = lately.reduce((sum, each) => sum + each.failures, 0);
  const shown = (tell: (figures: Figures) => string) => (now.value ? tell(now.value) : "–");
  return (
    <Tiles label="Now">
      <Tile name="Pages a second" value={shown(n => rate(smoothed(n)))} more="now" />
      <Tile name="Success" value={visits ? percent(1 - failures / visits) : "–"} more="5 min" />
      <Tile name="Stored" value={shown(n => compact(n.pages))} more="pages" />
      <Tile name="Waiting" value={shown(n => compact(n.states.pending))} more="URLs" />
      <Tile name="Traffic" value={shown(n => bytes(n.a_second.bytes))} more="/s" />
      <Tile name="Workers" value={shown(n => count(n.workers))} more="active" />
    </Tiles>
  );
}

/** Over two seconds: half a second alone jumps about. */
function smoothed(last: Figures): number {
  const some = ring.value.slice(-4);
  if (some.length < 2) return last.a_second.pages;
  return some.reduce((sum, each) => sum + each.a_second.pages, 0) / some.length;
}

const RANGES = {
  "5m": ["5 min", 5, 1],
  "1h": ["1 h", 60, 1],
  "24h": ["24 h", 1440, 10],
  "7d": ["7 d", 10_080, 60],
} as const;
type Range = keyof typeof RANGES;
const NAMES = Object.keys(RANGES) as Range[];

function Rate() {
  const given = filter("range") as Range;
  const range = NAMES.includes(given) ? given : "5m";
  const [, minutes, step] = RANGES[range];
  const turn = (by: number) => {
    const next = NAMES[Math.max(0, Math.min(NAMES.length - 1, NAMES.indexOf(range) + by))];
    go(filtered({ range: next === "5m" ? null : next }), "replace");
  };
  useKey("[", "A shorter time", () => turn(-1));
  useKey("]", "A longer time", () => turn(1));
  const asked = useAsk<Timeseries>(
    range === "5m" ? LATELY : addressOf("/api/stats/timeseries", { minutes, step }),
    SELDOM,
    range === "5m" ? before.value : undefined,
  );
  const live = range === "5m" ? ring.value : null;
  const asOf = useMemo(present, [asked.value]);
  const { times, lines } = useMemo(() => drawn(asked.value, asOf, live), [asked.value, live]);
  const end = live ? (live.at(-1) ? secondsOf(live.at(-1)?.at ?? "") : present()) : undefined;
  return (
    <section class="card" aria-label="Crawl rate">
      <header>
        <h2>Crawl rate</h2>
        <nav class="ranges" aria-label="How long">
          {NAMES.map(name => (
            <a
              key={name}
              href={filtered({ range: name === "5m" ? null : name })}
              aria-current={name === range ? "true" : undefined}
            >
              {RANGES[name][0]}
            </a>
          ))}
        </nav>
      </header>
      <Chart
        label={`Pages and failures a second, the last ${RANGES[range][0]}`}
        times={times}
        lines={lines}
        from={end && end - 300}
        until={end}
      />
    </section>
  );
}

function drawn(kept: Timeseries | undefined, asOf: number, live: readonly Sample[] | null) {
  const times: number[] = [];
  const pages: number[] = [];
  const failures: number[] = [];
  // Where nobody had looked for a while there is no telling how fast it went.
  const some = (live ?? []).filter(
    (each, n, all) => n > 0 && secondsOf(each.at) - secondsOf(all[n - 1]?.at ?? each.at) < 5,
  );
  const first = some[0] ? secondsOf(some[0].at) : Number.POSITIVE_INFINITY;
  const step = kept?.step_seconds ?? 60;
  for (const each of kept?.items ?? []) {
    const at = secondsOf(each.at);
    const passed = Math.min(step, Math.max(1, asOf - at));
    if (at >= first || passed < step / 4) continue;
    // A minute is a step as wide as itself, not a peak.
    for (const edge of [at, Math.min(at + passed, first) - 0.5]) {
      times.push(edge);
      pages.push(each.pages / passed);
      failures.push(each.failures / passed);
    }
  }
  some.forEach((each, n) => {
    const before = some.slice(Math.max(0, n - 3), n + 1);
    const mean = (name: "pages" | "failures") =>
      before.reduce((sum, other) => sum + other.a_second[name], 0) / before.length;
    times.push(secondsOf(each.at));
    pages.push(mean("pages"));
    failures.push(mean("failures"));
  });
  const lines: Line[] = [
    { name: "pages/s", colour: "accent", values: pages, isFilled: true },
    { name: "failures/s", colour: "failed", values: failures },
  ];
  return { times, lines };
}

function Frontier() {
  const n = now.value;
  const sum = n ? STATES.reduce((total, state) => total + n.states[state], 0) : 0;
  return (
    <Card title="Frontier" hint={<span class="num">{n ? count(n.known) : ""}</span>}>
      <Stack states={n?.states ?? {}} />
      <ul class="legend">
        {STATES.map(state => (
          <li key={state} class={state}>
            <i class="dot" />
            <a href={addressOf("/frontier", { state })}>{state}</a>
            <span class="num">{n ? count(n.states[state]) : "–"}</span>
            <span class="num share">{n ? share(n.states[state], n.known) : ""}</span>
          </li>
        ))}
      </ul>
      {n && (
        <p class="sum">
          {sum === n.known ? (
            <>
              <span class="ok">✓</span> adds up: every known URL is in one state
            </>
          ) : (
            <span class="not-ok">✕ off by {count(Math.abs(sum - n.known))}</span>
          )}
        </p>
      )}
    </Card>
  );
}

function Codes() {
  const statuses = now.value?.statuses ?? {};
  const all = Object.entries(statuses).filter(([, n]) => n > 0);
  const shown = all.sort(([, a], [, b]) => b - a).slice(0, 8);
  shown.sort(([a], [b]) => a.localeCompare(b));
  const total = all.reduce((sum, [, n]) => sum + n, 0);
  return (
    <Card title="Status codes" hint={total > 0 && <span class="num">{count(total)}</span>}>
      <ul class="legend">
        {shown.map(([code, n]) => (
          <li key={code} class={code === "none" ? "gone" : `c${code[0]}`}>
            <i class="dot" />
            <span class="mono">{code === "none" ? "no answer" : code}</span>
            <span class="num">{count(n)}</span>
            <span class="num share">{share(n, total)}</span>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="nothing">Nothing has been answered yet.</p>}
    </Card>
  );
}

const VISITS = "/api/visits?limit=100";
export const VISIT_COLUMNS: readonly Column<Visit>[] = [
  { head: "Outcome", width: "118px", phone: "state", cell: row => <Pill word={row.outcome} /> },
  { head: "Code", width: "60px", cell: row => <Code status={row.status} isPlain /> },
  {
    head: "Title",
    phone: "title",
    cell: row => (
      <RowLink to={addressOf("/url", { u: row.url })}>
        {row.title ? <Foreign text={row.title} /> : <Address url={row.url} path />}
      </RowLink>
    ),
  },
  {
    head: "URL",
    width: "25%",
    phone: "below",
    cell: row => (
      <>
        <Address url={row.url} />
        {/* A phone has no column for it. */}
        {row.error && (
          <span class="small-only">
            <br />
            <Foreign text={spoken(row.error)} />
          </span>
        )}
      </>
    ),
  },
  { head: "Why", width: "13%", cell: row => <Foreign text={spoken(row.error)} /> },
  { head: "Size", width: "76px", isRight: true, cell: row => (row.bytes ? bytes(row.bytes) : "–") },
  { head: "Took", width: "84px", isRight: true, cell: row => took(row.ms) },
  { head: "At", width: "92px", phone: "aside", isRight: true, cell: row => clock(row.at) },
];

function Visits() {
  const visits = useList<Visit>(VISITS);
  const newest = visits.value?.[0]?.at;
  const since = useMemo(
    () =>
      newest ? ring.value.filter(each => each.at > newest && each.a_second.visits > 0).length : 0,
    [newest, ring.value],
  );
  return (
    <Card
      title="Latest visits"
      hint={
        since > 1 ? (
          <button type="button" class="link" onClick={visits.again}>
            newer ones ↑
          </button>
        ) : (
          visits.value && `${count(visits.value.length)} shown`
        )
      }
    >
      <List
        label="Latest visits"
        asked={visits}
        columns={VISIT_COLUMNS}
        keyOf={row => row.id}
        empty="Nothing has been visited yet."
      />
    </Card>
  );
}
