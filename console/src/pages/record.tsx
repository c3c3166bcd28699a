// What is a record, what was it before, and which page told it?
import type { RecordState, RecordStory } from "#answers";
import { useAsk } from "../api";
import { Moment, plural } from "../format";
import { Block } from "../parts/block";
import { Crumbs, Fact, Facts } from "../parts/facts";
import { jobAddress } from "../parts/jobs";
import { Same } from "../parts/same";
import { addressOf, useTitle } from "../router";
import { Address, Foreign, OpenOutside, Pill, tame } from "../words";

export default function RecordPage({ id }: { id: string }) {
  const path = `/api/records/${encodeURIComponent(id)}`;
  const asked = useAsk<RecordStory>(path);
  const value = asked.value;
  const told = value ? `${value.name}${value.key ? ` ${value.key}` : ""}` : `№ ${id}`;
  useTitle(told, "Records");
  return (
    <main id="main" class="narrow">
      <Crumbs to="/records" name="Records" here={tame(told, 60)} />
      <header class="subject">
        <h1>
          <Foreign text={told} />
        </h1>
        {value && <Pill word={value.status} />}
        {value && (
          <span class="acts">
            <a class="act" href={addressOf("/url", { u: value.url })}>
              Why?
            </a>
            <OpenOutside url={value.url} />
          </span>
        )}
      </header>
      <div class="beside">
        <Block title="Fields" asked={asked} tall={6}>
          {found => <Fields data={found.data} />}
        </Block>
        <div class="side">
          <Block title="From" asked={asked} tall={6}>
            {found => (
              <Facts>
                <Fact name="Page">
                  <a class="link" href={addressOf("/url", { u: found.url })}>
                    <Address url={found.url} wrap />
                  </a>
                </Fact>
                <Fact name="Job">
                  <a class="link" href={jobAddress(found.job)}>
                    {tame(found.job, 80)}
                  </a>
                </Fact>
                <Fact name="Handler">
                  <a class="link" href={addressOf("/records", { handler: found.handler })}>
                    {tame(found.handler, 80)}
                  </a>
                </Fact>
                <Fact name="Version">{tame(found.version, 20)}</Fact>
                <Fact name="First seen">
                  <Moment at={found.first_seen_at} only="clock" />
                </Fact>
                <Fact name="Changed">
                  <Moment at={found.changed_at} only="clock" />
                </Fact>
                <Fact name="Last seen">
                  <Moment at={found.last_seen_at} only="clock" />
                </Fact>
              </Facts>
            )}
          </Block>
        </div>
      </div>
      <Block
        title="History"
        asked={asked}
        tall={4}
        hint={found => `${plural(found.history.length, "state")}, the latest first`}
      >
        {found => (
          <ol class="steps">
            {found.history
              .map((state, n) => (
                <State key={state.at} state={state} before={found.history[n - 1]} />
              ))
              .reverse()}
          </ol>
        )}
      </Block>
      <Same command={`tenax records --history ${id}`} request={`GET ${path}`} />
    </main>
  );
}

const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

const Fields = ({ data }: { data: Record<string, unknown> }) => (
  <Facts>
    {Object.entries(data).map(([name, value]) => (
      <Fact key={name} name={tame(name, 60)}>
        <Foreign text={text(value)} most={4_000} wrap />
      </Fact>
    ))}
  </Facts>
);

/** What was otherwise than before; of the first, all of it. */
function State({ state, before }: { state: RecordState; before: RecordState | undefined }) {
  const { data } = state;
  const names = [...new Set([...Object.keys(data ?? {}), ...Object.keys(before?.data ?? {})])];
  const changed = names.filter(name => text(data?.[name]) !== text(before?.data?.[name]));
  return (
    <li class={`step ${data ? (before ? "leased" : "done") : "gone"}`}>
      <h3>{data ? (before ? "Changed" : "Found") : "Gone"}</h3>
      <div class="told">
        <Moment at={state.at} /> <span class="dim">version {tame(state.version, 20)}</span>
        {data &&
          changed.map(name => (
            <div key={name}>
              <span class="dim">{tame(name, 60)}: </span>
              {tame(text(data[name]) ?? "no more", 400)}
              {before?.data && name in before.data && (
                <span class="dim"> was {tame(text(before.data[name]), 200)}</span>
              )}
            </div>
          ))}
      </div>
    </li>
  );
}
