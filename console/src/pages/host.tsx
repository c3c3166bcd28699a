// How does a host stand with us, how did we behave, and what has it taught?
import { useSignal } from "@preact/signals";
import type { HostShape, HostShapes } from "#answers";
import { call, isAdmin, LATER, useAsk, useList } from "../api";
import { clock, count, duration, Moment, percent, plural, relative, secondsOf } from "../format";
import { Block, Card } from "../parts/block";
import { confirm } from "../parts/dialog";
import { Crumbs, Fact, Facts } from "../parts/facts";
import { Tile, Tiles } from "../parts/figures";
import { ShapeRow } from "../parts/job-tabs";
import { act } from "../parts/notice";
import { Same } from "../parts/same";
import { List } from "../parts/table";
import { addressOf, useTitle } from "../router";
import type { HostStanding, Visit } from "../types";
import { Address, Foreign, Pill, quoted, tame, words } from "../words";
import { atLeast } from "./hosts";
import { VISIT_COLUMNS } from "./overview";

interface WholeHost {
  host: {
    name: string;
    origin: string;
    visits: number;
    paused: boolean;
    pace: { crawl_delay: number; next_at: string | null; throttle: { interval: number } | null };
    health: { last_success_at: string | null; last_failure_at: string | null };
    habit: { client: string; wins: number; until: string | null };
  };
  known: number;
  pages?: number;
  waiting?: number;
  delay: number;
  holders: number;
  standing: HostStanding;
  robots: Robots;
  site: unknown[];
}

interface Robots {
  allowed: boolean;
  why: string;
  line: number;
  status: number | null;
  error: string;
  fetched_at: string | null;
  expires_at: string | null;
  crawl_delay: number | null;
  sitemaps: string[];
  rights: [string, string][];
  text?: string | null;
  groups?: { line: number; applies: boolean }[];
}

interface Timeline {
  since: string;
  too_early: number;
  requests: { at: string; status: number | null; ms: number; delay: number; too_early: boolean }[];
  incidents: { at: string; until: string | null; kind: string; why: string }[];
}

interface Learned {
  listings: { path: string; low: number; high: number; ended: string }[];
  archives: unknown[];
  names: Record<string, string>;
  lastmod: { honest: number; told: number } | null;
  guesses: { asked: number; hits: number; wasted: number };
}

const MINUTES = 10;

export default function HostPage({ name }: { name: string }) {
  useTitle(name, "Hosts");
  const path = `/api/domains/${encodeURIComponent(name)}`;
  const whole = useAsk<WholeHost>(path, 5);
  const timeline = useAsk<Timeline>(addressOf(`${path}/timeline`, { minutes: MINUTES }), 5);
  const value = whole.value;
  return (
    <main id="main" class="narrow">
      <Crumbs to="/hosts" name="Hosts" here={tame(name, 80)} />
      <header class="subject">
        <h1>
          <Foreign text={name} />
        </h1>
        {value && (
          <Pill word={value.standing.word}>
            {value.standing.says}
            {value.standing.until ? ` until ${clock(value.standing.until)}` : ""}
          </Pill>
        )}
        {isAdmin.value && value && <Acts name={name} isPaused={value.host.paused} />}
      </header>
      {value?.standing.because && (
        <p class="dim">
          <Foreign text={words(value.standing.because)} wrap />
        </p>
      )}
      <Figures whole={value} timeline={timeline.value} />
      <Politeness asked={timeline} />
      <div class="half">
        <Shapes path={path} />
        <RobotsFile path={path} />
      </div>
      <LearnedOf path={path} whole={value} />
      <Card title="Latest visits">
        <List
          label="Latest visits"
          asked={useList<Visit>(addressOf("/api/visits", { host: name, limit: 50 }))}
          columns={VISIT_COLUMNS}
          keyOf={row => row.id}
          empty="It was not visited yet."
        />
      </Card>
      <Same command={`tenax hosts ${quoted(name)}`} request={`GET ${path}`} />
    </main>
  );
}

function Acts({ name, isPaused }: { name: string; isPaused: boolean }) {
  const path = `/api/admin/domains/${encodeURIComponent(name)}`;
  const reset = async () => {
    const isSure = await confirm({
      title: `Reset ${tame(name, 60)}`,
      text: "Its breaker, budget, cooldown and slowed pace are forgotten: it is asked again at once, at its ordinary delay.",
      yes: "Reset",
      isBad: true,
    });
    if (isSure) await act(() => call("POST", `${path}/reset`), "Reset: it is asked again.");
  };
  const turn = isPaused ? "resume" : "pause";
  return (
    <span class="acts">
      <button
        type="button"
        class="act"
        onClick={() =>
          act(
            () => call("POST", `${path}/${turn}`),
            isPaused ? "It is asked again." : "Paused: nothing is asked of it.",
          )
        }
      >
        {isPaused ? "Resume" : "Pause"}
      </button>
      <button type="button" class="act" onClick={reset}>
        Reset…
      </button>
    </span>
  );
}

function Figures({
  whole,
  timeline,
}: {
  whole: WholeHost | undefined;
  timeline: Timeline | undefined;
}) {
  const shown = <T,>(value: T | undefined, tell: (known: T) => string) =>
    value === undefined ? "–" : tell(value);
  const answers = timeline?.requests ?? [];
  const good = answers.filter(each => each.status !== null && each.status < 400).length;
  return (
    <Tiles label="Figures">
      <Tile name="Known" value={shown(whole?.known, count)} more="URLs" />
      <Tile name="Stored" value={shown(whole?.pages, count)} more="pages" />
      <Tile name="Waiting" value={shown(whole?.waiting, atLeast)} more="URLs" />
      <Tile
        name="Delay"
        value={shown(whole?.delay, duration)}
        more={whole?.host.pace.throttle ? "slowed" : ""}
      />
      <Tile
        name="Too early"
        value={shown(timeline?.too_early, count)}
        more={timeline ? `of ${count(timeline.requests.length)}` : ""}
      />
      <Tile
        name="Success"
        value={answers.length ? percent(good / answers.length) : "–"}
        more={`${MINUTES} min`}
      />
    </Tiles>
  );
}

const WIDE = 600;
const SILENT = new Set(["silence", "breaker", "cooldown", "budget"]);

function Politeness({ asked }: { asked: ReturnType<typeof useAsk<Timeline>> }) {
  return (
    <Block
      title="Politeness"
      asked={asked}
      tall={3}
      hint="every request start; shaded: silence was asked for or kept"
      empty={found => found.requests.length === 0 && "Nothing was asked in the last ten minutes."}
    >
      {found => <Starts found={found} />}
    </Block>
  );
}

function Starts({ found }: { found: Timeline }) {
  const from = secondsOf(found.since);
  const span = MINUTES * 60;
  const at = (when: string) => (WIDE * (secondsOf(when) - from)) / span;
  const told = `${count(found.requests.length)} requests, ${count(found.too_early)} too early`;
  const ticks = Array.from({ length: 6 }, (_, n) => from + (n * span) / 5);
  return (
    <>
      <svg
        class="polite"
        viewBox={`0 0 ${WIDE} 74`}
        preserveAspectRatio="none"
        role="img"
        aria-label={told}
      >
        {found.incidents
          .filter(each => SILENT.has(each.kind) && each.until)
          .map(each => {
            const x = Math.max(0, at(each.at));
            const width = Math.max(1, Math.min(WIDE, at(each.until ?? each.at)) - x);
            return <rect key={each.at} class="silence" x={x} width={width} y="0" height="58" />;
          })}
        <line class="axis" x1="0" x2={WIDE} y1="58" y2="58" />
        {found.requests.map(each => (
          <line
            key={each.at}
            class={`start${kindOfStart(each)}`}
            x1={at(each.at)}
            x2={at(each.at)}
            y1={each.status === null || each.status >= 500 || each.status === 429 ? 12 : 28}
            y2="58"
          />
        ))}
      </svg>
      <div class="scale dim num" aria-hidden="true">
        {ticks.slice(0, -1).map(tick => (
          <span key={tick}>{clock(tick).slice(0, 5)}</span>
        ))}
        <span>now</span>
      </div>
      {found.incidents.length > 0 && (
        <ul class="waits">
          {found.incidents.slice(0, 8).map(each => (
            <li key={each.at + each.kind}>
              <Foreign text={each.why} />
              <Pill word={each.kind} />
              <Moment at={each.at} />
              <span class="num dim">{each.until ? `until ${clock(each.until)}` : ""}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function kindOfStart(start: Timeline["requests"][number]): string {
  if (start.too_early) return " early";
  if (start.status === null || start.status >= 500 || start.status === 429) return " bad";
  return start.status === 404 || start.status === 410 ? " gone" : "";
}

const MOST_KINDS = 14;

/** The map of traps: what each kind of URL brings, which of them wait, why, and how much they may cost. */
function Shapes({ path }: { path: string }) {
  const isWhole = useSignal(false);
  const asked = useAsk<HostShapes>(`${path}/shapes?limit=50`, LATER);
  return (
    <Block
      title="What its URLs bring"
      asked={asked}
      tall={5}
      hint="visits, and those that brought nothing new; click for examples"
      empty={found => found.items.length === 0 && "None of its URLs has been visited so far."}
    >
      {found => (
        <>
          <ul class="legend shapes refusals kinds">
            {found.items.slice(0, isWhole.value ? undefined : MOST_KINDS).map(each => (
              <Kind
                key={`${each.job} ${each.shape}`}
                of={each}
                most={Math.max(1, ...found.items.map(other => other.visits))}
              />
            ))}
          </ul>
          {found.budgets
            .filter(each => each.spent > 0)
            .map(each => (
              <p class="sum" key={each.job}>
                {tame(each.job, 60)} has spent {count(each.spent)} of {count(each.budget)} requests
                on what is deferred.
              </p>
            ))}
          {found.items.length > MOST_KINDS && (
            <p class="sum">
              <button
                type="button"
                class="link"
                onClick={() => {
                  isWhole.value = !isWhole.value;
                }}
              >
                {isWhole.value ? "Fewer kinds" : `${count(found.items.length - MOST_KINDS)} more`}
              </button>
            </p>
          )}
        </>
      )}
    </Block>
  );
}

function Kind({ of, most }: { of: HostShape; most: number }) {
  const isOpen = useSignal(false);
  return (
    <li class={isOpen.value ? "open" : ""}>
      <button
        type="button"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <ShapeRow of={of} most={most} />
      </button>
      {isOpen.value && (
        <div class="examples">
          <p class="dim">
            {of.why
              ? `Deferred until all else was visited: ${tame(of.why, 200)}`
              : "Visited like all others"}
            {of.deferred > 0 && `; ${plural(of.deferred, "URL waits", "URLs wait")}`}.
            {of.judged > 0 &&
              ` Lately ${count(of.fruitful)} of ${plural(of.judged, "visit")} brought something.`}
          </p>
          <ul>
            {of.examples.map(url => (
              <li key={url}>
                <a data-row href={addressOf("/url", { u: url, job: of.job })}>
                  <Address url={url} path />
                </a>
              </li>
            ))}
          </ul>
        </div>
      )}
    </li>
  );
}

function RobotsFile({ path }: { path: string }) {
  const asked = useSignal("/");
  const robots = useAsk<Robots>(addressOf(`${path}/robots`, { path: asked.value }));
  const value = robots.value;
  const told = value?.fetched_at
    ? `${value.status ?? value.error}, ${relative(value.fetched_at)}${
        value.expires_at ? `, holds until ${clock(value.expires_at)}` : ""
      }`
    : "";
  return (
    <Card title="robots.txt" hint={told}>
      <label class="ask">
        <span class="dim">May we fetch</span>
        <input
          class="field mono"
          defaultValue="/"
          spellcheck={false}
          autocomplete="off"
          onChange={event => {
            const given = event.currentTarget.value.trim();
            asked.value = given.startsWith("/") ? given : `/${given}`;
          }}
        />
        {value && (
          <Pill word={value.allowed ? "allowed" : "disallowed"}>
            {value.allowed ? "yes" : "no"}
            {value.line ? `: line ${value.line}` : ""}
          </Pill>
        )}
      </label>
      {value && (
        <p class="pad dim small">
          <Foreign text={value.why} wrap />
        </p>
      )}
      {robots.problem && !value && <p class="nothing">{robots.problem.detail}</p>}
      {value?.text && (
        <ol class="source mono">
          {value.text
            .trimEnd()
            .split("\n")
            .slice(0, 2_000)
            .map((line, n) => (
              <li key={n} class={lineIs(value, n + 1, line)}>
                <bdi>{tame(line, 500) || " "}</bdi>
              </li>
            ))}
        </ol>
      )}
    </Card>
  );
}

/** The one that decides, or what is said to others alone. Sitemaps are told to everybody. */
function lineIs({ line, groups = [] }: Robots, at: number, text: string): string {
  if (at === line) return "hit";
  const group = groups.filter(each => each.line <= at).at(-1);
  return group && !group.applies && !/^\s*sitemap\b/i.test(text) ? "others" : "";
}

function LearnedOf({ path, whole }: { path: string; whole: WholeHost | undefined }) {
  const asked = useAsk<Learned>(`${path}/learned`, 30);
  return (
    <Block title="Learned" asked={asked} tall={3}>
      {found => (
        <Facts>
          <Fact name="Lists">
            {found.listings.length === 0 && "none that are turned page by page"}
            {found.listings.slice(0, 8).map(each => (
              <div key={each.path}>
                <code>{tame(each.path, 120)}</code> known to {count(each.high)}
                {each.ended && <span class="dim">: {tame(each.ended, 120)}</span>}
              </div>
            ))}
          </Fact>
          <Fact name="Guesses">
            {found.guesses.asked
              ? `${count(found.guesses.hits)} of ${count(found.guesses.asked)} were there`
              : "none were made"}
          </Fact>
          {found.lastmod && (
            <Fact name="Sitemap dates">
              {`honest ${count(found.lastmod.honest)} of ${count(found.lastmod.told)} times`}
            </Fact>
          )}
          {whole && (
            <Fact name="Client">
              {whole.host.habit.client}
              {whole.host.habit.client === "http" && "; no page has needed the browser so far"}
              {whole.host.habit.until && ` until ${clock(whole.host.habit.until)}`}
            </Fact>
          )}
          {whole?.robots.crawl_delay ? (
            <Fact name="Crawl-delay">{duration(whole.robots.crawl_delay)}</Fact>
          ) : null}
        </Facts>
      )}
    </Block>
  );
}
