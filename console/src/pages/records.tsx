// What did handlers of your own tell, and how do they do?
import type { HandlerStanding, StoredRecord } from "#answers";
import { useAsk, useList } from "../api";
import { clock, count, percent } from "../format";
import { Block, Card } from "../parts/block";
import { FilterChoice, FilterField, Filters } from "../parts/facts";
import { Same } from "../parts/same";
import { type Column, List, RowLink, Table } from "../parts/table";
import { addressOf, filter, useTitle } from "../router";
import type { Listed } from "../types";
import { Address, Foreign, Pill, quoted } from "../words";

const NAMES = ["name", "job", "host", "url", "handler", "status", "changed_since", "q"] as const;

/** Its fields in one line. */
const said = (data: Record<string, unknown>) =>
  Object.entries(data)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" · ");

const COLUMNS: readonly Column<StoredRecord>[] = [
  { head: "Name", width: "140px", phone: "state", cell: row => <Foreign text={row.name} /> },
  {
    head: "Record",
    phone: "title",
    cell: row => (
      <RowLink to={`/records/${row.id}`}>
        <Foreign text={said(row.data)} />
      </RowLink>
    ),
  },
  { head: "Page", width: "26%", phone: "below", cell: row => <Address url={row.url} /> },
  { head: "Job", width: "96px", cell: row => <Foreign text={row.job} /> },
  { head: "Status", width: "84px", cell: row => <Pill word={row.status} /> },
  {
    head: "Changed",
    width: "112px",
    isRight: true,
    phone: "aside",
    cell: row => clock(row.changed_at),
  },
];

const RATES: readonly Column<HandlerStanding>[] = [
  {
    head: "Handler",
    phone: "title",
    cell: row => (
      <RowLink to={addressOf("/records", { handler: row.handler })}>
        <Foreign text={row.handler} />
      </RowLink>
    ),
  },
  { head: "Version", width: "110px", phone: "below", cell: row => <Foreign text={row.version} /> },
  { head: "Job", width: "130px", cell: row => <Foreign text={row.job} /> },
  { head: "Pages", width: "90px", isRight: true, cell: row => count(row.pages) },
  { head: "Records", width: "90px", isRight: true, cell: row => count(row.records) },
  { head: "Failures", width: "90px", isRight: true, cell: row => count(row.failures) },
  {
    head: "Success",
    width: "90px",
    isRight: true,
    phone: "aside",
    cell: row => (row.pages ? percent(1 - row.failures / row.pages) : "–"),
  },
  {
    head: "Last failure",
    width: "26%",
    cell: row => <Foreign text={row.last_failure?.error ?? ""} />,
  },
];

export default function RecordsPage() {
  useTitle("Records");
  const filters = Object.fromEntries(NAMES.map(name => [name, filter(name)]));
  const address = addressOf("/api/records", filters);
  const records = useList<StoredRecord>(address);
  const name = filter("name");
  return (
    <main id="main">
      <h1>Records</h1>
      <Filters>
        <FilterField name="q" label="In their fields" kind="search" />
        <FilterField name="name" label="Name" />
        <FilterField name="job" label="Job" />
        <FilterField name="host" label="Host" />
        <FilterField name="url" label="URL of the page" />
        <FilterChoice
          name="status"
          label="Status"
          words={[
            ["", "any"],
            ["there", "there"],
            ["gone", "gone"],
          ]}
        />
        <FilterField name="changed_since" label="Changed since" kind="date" />
      </Filters>
      <Card title="Records" hint={records.value && `${count(records.value.length)} shown`}>
        <List
          label="Records"
          asked={records}
          columns={COLUMNS}
          keyOf={row => row.id}
          empty={
            <>
              No record is like that. They are told by handlers of your own:{" "}
              <code>tenax crawl URL --handlers quotes.py</code>
            </>
          }
        />
      </Card>
      <Rates />
      <Same command={`tenax records${name ? ` ${quoted(name)}` : ""}`} request={`GET ${address}`} />
    </main>
  );
}

function Rates() {
  const asked = useAsk<Listed<HandlerStanding>>(
    addressOf("/api/records/rates", { job: filter("job") }),
  );
  return (
    <Block
      title="How handlers do"
      hint="the last 7 days, by version and job"
      asked={asked}
      tall={3}
      empty={found => found.items.length === 0 && "No handler has been asked lately."}
    >
      {found => (
        <Table
          label="Handlers"
          rows={found.items}
          columns={RATES}
          keyOf={row => `${row.job} ${row.handler} ${row.version}`}
        />
      )}
    </Block>
  );
}
