// Why is this URL where it is? The answer first, then every step that led to it; of one never seen,
// what would happen.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { call, isAdmin, useAsk } from "../api";
import {
  bytes,
  clock,
  count,
  duration,
  Moment,
  money,
  plural,
  present,
  secondsOf,
} from "../format";
import { useKey } from "../keys";
import { Body, Card } from "../parts/block";
import { HostLink, hostAddress } from "../parts/hosts";
import { jobAddress } from "../parts/jobs";
import { act } from "../parts/notice";
import { copy, Same } from "../parts/same";
import { Checks } from "../parts/wishes";
import { meaning, spoken } from "../reasons";
import { addressOf, filter, filtered, go, useTitle } from "../router";
import type { Attempt, Breaker, FoundWay, JobStory, Listed, ProductRow, Story } from "../types";
import { Address, Code, Foreign, kindOf, OpenOutside, Pill, quoted, tame, words } from "../words";

export default function Why() {
  useTitle("Why");
  const asked = filter("u");
  if (!asked) return <AskFor />;
  return <Whole url={asked} />;
}

function AskFor() {
  const url = useSignal("");
  return (
    <main id="main" class="narrow">
      <h1>Why is a URL where it is?</h1>
      <form
        class="ask-url"
        onSubmit={event => {
          event.preventDefault();
          if (url.value.trim()) go(addressOf("/url", { u: url.value.trim() }));
        }}
      >
        <input
          class="field mono"
          aria-label="URL"
          placeholder="https://shop.example/cart"
          value={url.value}
          onInput={event => {
            url.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class="act strong">
          Why?
        </button>
      </form>
      <p class="dim">Known or not: of a URL never seen, it tells what would happen.</p>
      <Same command="tenax why URL" request="GET /api/why?url=URL" />
    </main>
  );
}

function Whole({ url }: { url: string }) {
  const job = filter("job");
  const address = addressOf("/api/why", { url, job });
  const asked = useAsk<Story>(address, 20);
  const story = asked.value;
  const shown = story ? chosen(story) : undefined;
  return (
    <main id="main" class="narrow">
      <nav class="crumbs" aria-label="Where this is">
        <a href="/">Overview</a> /{" "}
        {story?.host && (
          <>
            <a href={hostAddress(story.host.host.name)}>
              <Foreign text={story.host.host.name} />
            </a>{" "}
            /{" "}
          </>
        )}
        URL
      </nav>
      <header class="subject">
        <h1 class="url">
          <Address url={url} wrap />
        </h1>
        <Acts url={url} story={story} shown={shown} again={asked.again} />
      </header>
      {!story || story.problem ? (
        <section class="card" aria-label="Answer">
          <Body asked={asked} tall={3} empty={found => tame(found.problem, 400)}>
            {() => null}
          </Body>
        </section>
      ) : (
        shown && (
          <>
            {story.jobs.length > 1 && <Jobs story={story} shown={shown} />}
            <Answer shown={shown} />
            <div class="beside">
              <Steps story={story} shown={shown} />
              <div class="side">
                <Host story={story} />
                <Stored shown={shown} />
              </div>
            </div>
          </>
        )
      )}
      <Same
        command={`tenax why ${quoted(url)}${job ? ` --job ${quoted(job)}` : ""}`}
        request={`GET ${address}`}
      />
    </main>
  );
}

/** The one asked for, or the one that knows most of it. */
function chosen(story: Story): JobStory | undefined {
  const wanted = filter("job");
  const rank = (each: JobStory) => (each.target ? 0 : each.kept_rejections.length ? 1 : 2);
  return (
    story.jobs.find(each => each.job === wanted) ??
    [...story.jobs].sort((a, b) => rank(a) - rank(b))[0]
  );
}

function Jobs({ story, shown }: { story: Story; shown: JobStory }) {
  return (
    <nav class="chips" aria-label="In which job">
      {story.jobs.map(each => (
        <a
          key={each.job}
          href={filtered({ job: each.job })}
          aria-current={each === shown ? "true" : undefined}
        >
          {tame(each.job ?? "a new crawl", 60)}
        </a>
      ))}
    </nav>
  );
}

interface ActsProps {
  url: string;
  story: Story | undefined;
  shown: JobStory | undefined;
  again: () => Promise<void>;
}

function Acts({ url, story, shown, again }: ActsProps) {
  const isBusy = useSignal(false);
  const tryNow = async () => {
    isBusy.value = true;
    await act(
      () =>
        call<{ outcome: string }>(
          "POST",
          "/api/fetch",
          shown?.job ? { url, job: shown.job } : { url },
        ),
      found => `It was visited: ${words(found.outcome)}.`,
    );
    await again();
    isBusy.value = false;
  };
  const giveBack = async () => {
    await act(
      () => call("POST", "/api/dead-letters/return", { ids: [shown?.dead_letter?.target_id] }),
      "Returned: it is tried again, with all attempts.",
    );
    await again();
  };
  useKey("e", "Try it now", () => isAdmin.value && story?.url && tryNow());
  return (
    <span class="acts">
      <button type="button" class="act" onClick={() => copy(url)}>
        Copy
      </button>
      <OpenOutside url={story?.url ?? ""} />
      {isAdmin.value && shown?.dead_letter && (
        <button type="button" class="act" onClick={giveBack}>
          Return
        </button>
      )}
      {isAdmin.value && story?.url && (
        <button
          type="button"
          // What the door refuses is hardly what somebody wants.
          class={shown?.target || shown?.door.taken ? "act strong" : "act"}
          disabled={isBusy.value}
          onClick={tryNow}
        >
          {isBusy.value ? "Trying …" : "Try now"}
        </button>
      )}
    </span>
  );
}

/** With a full stop; not after what somebody else wrote, as a rule of robots.txt. */
const ended = (text: string) => (/[\w)]$/.test(text) ? `${text}.` : text);
const capital = (text: string) => (text[0]?.toUpperCase() ?? "") + text.slice(1);

function Answer({ shown }: { shown: JobStory }) {
  const word = shown.target?.state ?? (shown.door.taken ? "pending" : "rejected");
  const at = shown.next.not_before;
  const left = at ? secondsOf(at) - present() : 0;
  return (
    <section class={`card answer ${kindOf(word)}`} aria-label="Answer">
      {shown.target ? <Pill word={word} /> : <Pill word="gone">not known</Pill>}
      <div>
        <b>
          <Foreign text={ended(capital(spoken(shown.answer)))} most={600} wrap />
        </b>
        <p class="dim">
          {capital(tame(shown.next.what, 300).replace(/^nothing: /, "nothing more: "))}
          {at && left > 0 && `, not before ${clock(at)} (in ${duration(left)})`}
          {shown.next.because && `; ${tame(shown.next.because, 200)}`}.
        </p>
      </div>
    </section>
  );
}

interface StepProps {
  mark: string;
  name: string;
  children: ComponentChildren;
  below?: ComponentChildren;
}

const Step = ({ mark, name, children, below }: StepProps) => (
  <li class={`step ${mark}`}>
    <h3>{name}</h3>
    <div class="told">{children}</div>
    {below}
  </li>
);

function Steps({ story, shown }: { story: Story; shown: JobStory }) {
  const { target, door, normal, attempts } = shown;
  const slowest = Math.max(1, ...attempts.map(each => each.total_ms ?? 0));
  return (
    <Card
      title={target ? "How it came to this" : "What would happen"}
      hint={
        shown.job ? (
          <>
            job{" "}
            <a class="link" href={jobAddress(shown.job)}>
              {tame(shown.job, 60)}
            </a>
          </>
        ) : (
          "a new crawl"
        )
      }
    >
      <ol class="steps">
        {target && <FoundStep shown={shown} />}
        <Step mark="done" name="Identity">
          <Address url={normal.form} />{" "}
          <span class="dim">
            {normal.changes.length ? tame(normal.changes.join("; "), 300) : "as it was written"}
          </span>
        </Step>
        <Step
          mark={door.taken ? "done" : "failed"}
          name="Door"
          below={<Checks checks={door.checks} />}
        >
          {door.taken ? (
            <>
              {target ? "taken" : "would be taken"}, priority {door.priority}
            </>
          ) : (
            <>
              refused: <b>{words(door.reason ?? "")}</b>, {meaning(door.reason)}
              {door.detail && `: ${tame(door.detail, 200)}`}
            </>
          )}{" "}
          <span class="dim">as {tame(door.seen_as, 80)}</span>
        </Step>
        {shown.kept_rejections.map(each => (
          <Step key={each.at} mark="blocked" name="Not taken">
            {words(each.reason)}, {meaning(each.reason)} <span class="dim">{clock(each.at)}</span>
          </Step>
        ))}
        {story.robots && <RobotsStep robots={story.robots} />}
        {attempts.map((each, n) => (
          <Visit key={each.at} number={n + 1} of={each} slowest={slowest} />
        ))}
        <Step mark="now" name="Now">
          {nowTold(shown)}
        </Step>
      </ol>
    </Card>
  );
}

/** What the answer above does not say yet: since when. */
function nowTold({ target, meaning, answer, attempts }: JobStory): string {
  if (meaning) return tame(meaning, 300);
  const last = attempts.at(-1);
  if (target && target.state !== "pending" && last)
    return `${words(target.state)} since ${clock(last.at)}`;
  return tame(spoken(answer), 300);
}

/** Where it was named, and by which pages one comes there from a seed. */
function FoundStep({ shown }: { shown: JobStory }) {
  const { target } = shown;
  const asked = useAsk<Listed<FoundWay>>(
    target?.found_on ? addressOf("/api/why/path", { url: target.url, job: shown.job }) : null,
  );
  if (!target) return null;
  const steps = asked.value?.items[0]?.steps.slice(1) ?? [];
  const way = steps.length > 1 ? steps.slice(1) : [];
  const role = target.role ? `, as ${words(target.role)}` : "";
  return (
    <Step
      mark="done"
      name="Found"
      below={
        way.length > 0 && (
          <details class="way">
            <summary>the way from a seed</summary>
            <ol reversed>
              {way.map(step => (
                <li key={step.url}>
                  <a class="plain-link" href={addressOf("/url", { u: step.url, job: shown.job })}>
                    <Address url={step.url} />
                  </a>
                </li>
              ))}
            </ol>
          </details>
        )
      }
    >
      {target.found_on ? (
        <>
          on{" "}
          <a class="plain-link" href={addressOf("/url", { u: target.found_on, job: shown.job })}>
            <Address url={target.found_on} />
          </a>{" "}
        </>
      ) : (
        "as a seed "
      )}
      <span class="dim">
        {target.depth > 0 && `${plural(target.depth, "link")} from a seed`}
        {role}
      </span>
    </Step>
  );
}

function RobotsStep({ robots }: { robots: NonNullable<Story["robots"]> }) {
  const mark = robots.allowed === null ? "gone" : robots.allowed ? "done" : "blocked";
  return (
    <Step mark={mark} name="robots.txt">
      {robots.line > 0 ? (
        <>
          {robots.allowed ? "allowed" : "forbidden"} by line {robots.line}:{" "}
          <code>{tame(robots.rule, 160)}</code>{" "}
        </>
      ) : (
        `${tame(robots.why, 200)} `
      )}
      {robots.fetched_at && (
        <span class="dim">
          fetched {clock(robots.fetched_at)}
          {robots.status !== null && `, ${robots.status}`}
        </span>
      )}
    </Step>
  );
}

function Visit({ number, of, slowest }: { number: number; of: Attempt; slowest: number }) {
  const total = of.total_ms ?? 0;
  const first = Math.min(of.ttfb_ms ?? total, total);
  return (
    <Step
      mark={kindOf(of.outcome)}
      name={`Visit ${number}`}
      below={
        <svg class="bars" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
          <rect class="ttfb" width={(60 * first) / slowest} height="4" />
          <rect
            class="body"
            x={(60 * first) / slowest}
            width={(60 * (total - first)) / slowest}
            height="4"
          />
        </svg>
      }
    >
      <Code status={of.status} /> {words(of.outcome)}
      {of.error && `: ${tame(of.error, 240)}`}
      {of.bytes ? `, ${bytes(of.bytes)}` : ""}
      {total > 0 && ` in ${duration(total / 1000)}`}{" "}
      <span class="dim">
        {clock(of.at)}, {tame(of.client, 20)}
        {of.address && `, ${tame(of.address, 60)}`}
        {of.proxy && `, through ${tame(of.proxy, 60)}`}
      </span>
    </Step>
  );
}

function Host({ story }: { story: Story }) {
  const { host, standing } = story;
  if (!host || !standing)
    return (
      <Card title="Host">
        <p class="nothing">Nothing is known of it: it was never asked.</p>
      </Card>
    );
  const slowed = host.host.pace.throttle?.interval ?? 0;
  const delay = Math.max(slowed, host.host.pace.crawl_delay);
  return (
    <Card title="Host" hint={<Pill word={standing.word}>{standing.says}</Pill>}>
      <p class="pad lone">
        <HostLink name={host.host.name} />
      </p>
      <dl class="facts">
        {standing.because && (
          <>
            <dt>Because</dt>
            <dd>{tame(words(standing.because), 160)}</dd>
          </>
        )}
        {standing.until && (
          <>
            <dt>Until</dt>
            <dd>
              <Moment at={standing.until} />
            </dd>
          </>
        )}
        {delay ? (
          <>
            <dt>Delay</dt>
            <dd class="num">
              {duration(delay)}{" "}
              <span class="dim">{delay === slowed ? "slowed" : "its Crawl-delay"}</span>
            </dd>
          </>
        ) : null}
        <dt>Breaker</dt>
        <dd class="num">{breakerTold(host.host.health.trouble?.breaker)}</dd>
        <dt>Known</dt>
        <dd class="num">{count(host.known)}</dd>
        <dt>Stored</dt>
        <dd class="num">{count(host.pages)}</dd>
        <dt>Visits</dt>
        <dd class="num">{count(host.host.visits)}</dd>
      </dl>
    </Card>
  );
}

/** Whether it is asked like any other, not at all, or with care. */
function breakerTold(breaker: Breaker | undefined): string {
  if (!breaker?.trips) return "closed";
  const until = breaker.until ? secondsOf(breaker.until) : 0;
  if (until > present()) return `open, a probe at ${clock(until)}`;
  return breaker.passed
    ? `half-open, ${plural(breaker.passed, "success", "successes")} so far`
    : "half-open, a probe is next";
}

/** What a page is nearly the same as. */
function likeness(similar: JobStory["similar"]) {
  if (!similar) return "none";
  if (similar.original)
    return (
      <a class="link" href={addressOf("/url", { u: similar.original })}>
        of another page
      </a>
    );
  return plural(similar.others.length, "other");
}

function Stored({ shown }: { shown: JobStory }) {
  const { page } = shown;
  const offers = useAsk<Listed<ProductRow>>(
    page ? addressOf("/api/products", { url: page.url }) : null,
  );
  const product = offers.value?.items[0];
  if (!page)
    return (
      <Card title="Stored page">
        <p class="nothing">Nothing of it is stored.</p>
      </Card>
    );
  return (
    <Card title="Stored page" hint={<Moment at={page.fetched_at} only="far" />}>
      <p class="pad lone">
        <a class="link" href={`/pages/${page.url_hash}`}>
          <Foreign text={page.title || "without a title"} />
        </a>
      </p>
      <dl class="facts">
        <dt>Words</dt>
        <dd class="num">{count(page.words)}</dd>
        <dt>Size</dt>
        <dd class="num">{bytes(page.length)}</dd>
        <dt>Language</dt>
        <dd>{tame(page.language || "–", 20)}</dd>
        <dt>Near-duplicates</dt>
        <dd>{likeness(shown.similar)}</dd>
        {product && (
          <>
            <dt>Price</dt>
            <dd class="num">
              <a class="link" href={`/products/${product.id}`}>
                {tame(money(product.price, product.currency), 40)}
              </a>{" "}
              {product.regular_price && (
                <span class="dim">was {tame(product.regular_price, 20)}</span>
              )}
            </dd>
          </>
        )}
        {page.rights
          .filter(([name]) => !name.endsWith("sha256"))
          .map(([name, value]) => (
            <div class="fact" key={name}>
              <dt>{tame(name, 40)}</dt>
              <dd>{tame(value, 160)}</dd>
            </div>
          ))}
      </dl>
    </Card>
  );
}
