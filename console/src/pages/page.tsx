// What does a stored page say? Its text as text, facts, rights, and what is nearly the same.
import { useAsk, useList } from "../api";
import { bytes, count, Moment } from "../format";
import { Block, Body, Card } from "../parts/block";
import { Crumbs, Fact, Facts } from "../parts/facts";
import { Same } from "../parts/same";
import { addressOf, filter, filtered, useTitle } from "../router";
import { Address, Code, Foreign, OpenOutside, quoted, tame } from "../words";
import type { PageListed } from "./pages";

interface StoredPage extends PageListed {
  final_url: string;
  content_type: string;
  charset: string;
  description: string;
  canonical: string;
  published: string;
  modified: string;
  checked_at: string | null;
  stale: string;
  depth: number;
  length: number;
  link_count: number;
  digest: string;
  rights: [string, string][];
  headline: string | null;
  text: string | null;
}

const MOST = 200_000;

/** Line by line: ends of lines are what they are. */
const tamed = (text: string) =>
  text
    .slice(0, MOST)
    .split("\n")
    .map(line => tame(line, MOST))
    .join("\n");

export default function StoredPageView({ hash }: { hash: string }) {
  const path = `/api/pages/${encodeURIComponent(hash)}`;
  const page = useAsk<StoredPage>(addressOf(path, { job: filter("job") }));
  const value = page.value;
  useTitle(value?.title || "Page", "Pages");
  const form = filter("form") === "markdown" ? "markdown" : "text";
  return (
    <main id="main" class="narrow">
      <Crumbs to="/pages" name="Pages" here={tame(value?.title || hash.slice(0, 12), 60)} />
      <header class="subject">
        <h1>
          <Foreign text={value?.headline || value?.title || "…"} />
        </h1>
        {value && (
          <span class="acts">
            <a class="act" href={addressOf("/url", { u: value.url })}>
              Why?
            </a>
            <OpenOutside url={value.url} />
          </span>
        )}
      </header>
      {value && (
        <p>
          <Address url={value.url} wrap />
        </p>
      )}
      <div class="beside">
        <section class="card" aria-label="What it says">
          <header>
            <h2>What it says</h2>
            <nav class="ranges" aria-label="As what">
              <a
                href={filtered({ form: null })}
                aria-current={form === "text" ? "true" : undefined}
              >
                Text
              </a>
              <a
                href={filtered({ form: "markdown" })}
                aria-current={form === "markdown" ? "true" : undefined}
              >
                Markdown
              </a>
            </nav>
          </header>
          {form === "text" ? <Text asked={page} /> : <Markdown path={path} />}
        </section>
        <div class="side">
          <Block title="Facts" asked={page} tall={8}>
            {found => (
              <Facts>
                <Fact name="Answer">
                  <Code status={found.status} /> {tame(found.content_type, 60)}
                </Fact>
                <Fact name="Fetched">
                  <Moment at={found.fetched_at} />
                </Fact>
                {found.checked_at && (
                  <Fact name="Confirmed">
                    <Moment at={found.checked_at} />
                  </Fact>
                )}
                {found.stale && <Fact name="Stale">{tame(found.stale, 80)}</Fact>}
                <Fact name="Size">{bytes(found.length)}</Fact>
                <Fact name="Words">{count(found.words)}</Fact>
                <Fact name="Links">{count(found.link_count)}</Fact>
                <Fact name="Language">{found.language || "–"}</Fact>
                {found.published && <Fact name="Published">{tame(found.published, 40)}</Fact>}
                {found.canonical && found.canonical !== found.url && (
                  <Fact name="Canonical">
                    <Address url={found.canonical} wrap />
                  </Fact>
                )}
                <Fact name="Job">
                  <a class="link" href={`/jobs/${encodeURIComponent(found.job)}`}>
                    <Foreign text={found.job} />
                  </a>
                </Fact>
              </Facts>
            )}
          </Block>
          <Block
            title="Rights"
            asked={page}
            tall={2}
            empty={found => found.rights.length === 0 && "Nothing was said about its use."}
          >
            {found => (
              <Facts>
                {found.rights.map(([where, what]) => (
                  <Fact key={where + what} name={tame(where, 40)}>
                    {where.endsWith("sha256") ? (
                      <span class="mono">{tame(what, 16)}</span>
                    ) : (
                      <Foreign text={what} wrap />
                    )}
                  </Fact>
                ))}
              </Facts>
            )}
          </Block>
          <Similar path={path} />
        </div>
      </div>
      <Same
        command={`tenax pages --${form} ${value ? quoted(value.url) : "URL"}`}
        request={`GET ${path}`}
      />
    </main>
  );
}

function Text({ asked }: { asked: ReturnType<typeof useAsk<StoredPage>> }) {
  return (
    <Body
      asked={asked}
      tall={12}
      empty={found => !found.text && "It has no text, or its body is not kept any more."}
    >
      {found => <div class="prose">{tamed(found.text ?? "")}</div>}
    </Body>
  );
}

function Markdown({ path }: { path: string }) {
  const asked = useAsk<{ markdown: string | null }>(addressOf(path, { form: "markdown" }));
  return (
    <Body asked={asked} tall={12} empty={found => !found.markdown && "There is none of it."}>
      {found => <div class="prose mono">{tamed(found.markdown ?? "")}</div>}
    </Body>
  );
}

function Similar({ path }: { path: string }) {
  const asked = useList<PageListed>(`${path}/similar`);
  return (
    <Card title="Nearly the same">
      <Body asked={asked} tall={2} empty={found => found.length === 0 && "No other page is."}>
        {found => (
          <ul class="waits">
            {found.slice(0, 10).map(each => (
              <li key={each.url_hash}>
                <a class="link" href={`/pages/${each.url_hash}`}>
                  <Foreign text={each.title || each.url} />
                </a>
              </li>
            ))}
          </ul>
        )}
      </Body>
    </Card>
  );
}
