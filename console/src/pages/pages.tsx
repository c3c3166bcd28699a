// What was stored? By words, newest first, or by job and host.
import { useList } from "../api";
import { clock, count } from "../format";
import { Card } from "../parts/block";
import { FilterChoice, FilterField, Filters } from "../parts/facts";
import { Same } from "../parts/same";
import { type Column, List, RowLink } from "../parts/table";
import { addressOf, filter, useTitle } from "../router";
import { Address, Code, Foreign, quoted, tame } from "../words";

export interface PageListed {
  job: string;
  url: string;
  url_hash: string;
  status: number;
  title: string;
  language: string;
  words: number;
  fetched_at: string;
  duplicate_of: string;
}

interface Hit {
  url: string;
  url_hash?: string;
  title: string | null;
  job: string;
  host: string;
  fetched_at: string;
  language: string | null;
  snippet: [text: string, isHit: boolean][];
}

const COLUMNS: readonly Column<PageListed>[] = [
  {
    head: "Title",
    phone: "title",
    cell: row => (
      <RowLink to={`/pages/${row.url_hash}`}>
        <Foreign text={row.title || "(no title)"} />
      </RowLink>
    ),
  },
  { head: "URL", width: "34%", phone: "below", cell: row => <Address url={row.url} /> },
  {
    head: "Code",
    width: "64px",
    phone: "state",
    cell: row => <Code status={row.status} isPlain />,
  },
  { head: "Words", width: "80px", isRight: true, cell: row => count(row.words) },
  {
    head: "Language",
    width: "90px",
    cell: row => <Foreign text={row.language || "–"} most={20} />,
  },
  {
    head: "Fetched",
    width: "130px",
    isRight: true,
    phone: "aside",
    cell: row => clock(row.fetched_at),
  },
];

const HITS: readonly Column<Hit>[] = [
  {
    head: "Title",
    width: "28%",
    phone: "title",
    cell: row => (
      <RowLink to={row.url_hash ? `/pages/${row.url_hash}` : addressOf("/url", { u: row.url })}>
        <Foreign text={row.title || row.url} />
      </RowLink>
    ),
  },
  {
    head: "Found",
    phone: "below",
    cell: row => (
      <bdi class="foreign" dir="auto">
        {row.snippet.map(([text, isHit], n) => {
          const shown = tame(text);
          return isHit ? <mark key={n}>{shown}</mark> : <span key={n}>{shown}</span>;
        })}
      </bdi>
    ),
  },
  { head: "Host", width: "160px", cell: row => <Foreign text={row.host} /> },
  {
    head: "Fetched",
    width: "130px",
    isRight: true,
    phone: "aside",
    cell: row => clock(row.fetched_at),
  },
];

export default function PagesPage() {
  useTitle("Pages");
  const q = filter("q");
  return (
    <main id="main">
      <h1>Pages</h1>
      <Filters>
        <FilterField
          name="q"
          label="Words"
          kind="search"
          size="wide"
          placeholder={'tent "two persons" -used host:a.example'}
        />
        <FilterField name="job" label="Job" />
        <FilterField name="host" label="Host" />
        {!q && <FilterField name="contains" label="In title or URL" />}
        {!q && (
          <FilterChoice
            name="duplicates"
            label="Near-duplicates"
            words={[
              ["", "with the others"],
              ["true", "only those"],
              ["false", "without them"],
            ]}
          />
        )}
      </Filters>
      {q ? <Found q={q} /> : <Newest />}
    </main>
  );
}

function Newest() {
  const address = addressOf("/api/pages", {
    job: filter("job"),
    host: filter("host"),
    contains: filter("contains"),
    duplicates: filter("duplicates"),
    newest: "true",
  });
  const pages = useList<PageListed>(address);
  return (
    <>
      <Card title="Newest first">
        <List
          label="Pages"
          asked={pages}
          columns={COLUMNS}
          keyOf={row => row.url_hash + row.job}
          empty="Nothing is stored that is like that."
        />
      </Card>
      <Same command="tenax pages" request={`GET ${address}`} />
    </>
  );
}

function Found({ q }: { q: string }) {
  const address = addressOf("/api/search", { q, job: filter("job"), host: filter("host") });
  const hits = useList<Hit>(address);
  return (
    <>
      <Card title="Found" hint={hits.total === null ? undefined : `${count(hits.total)} in all`}>
        <List
          label="Pages that were found"
          asked={hits}
          columns={HITS}
          keyOf={row => row.url + row.job}
          empty="No page has these words."
        />
      </Card>
      <Same command={`tenax search ${quoted(q)}`} request={`GET ${address}`} />
    </>
  );
}
