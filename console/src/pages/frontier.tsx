// Where does every URL stand? States as a sieve with their numbers; in the order asked for.
import { useSignal } from "@preact/signals";
import { call, isAdmin, useAsk, useList } from "../api";
import { clock, count, plural } from "../format";
import { Card } from "../parts/block";
import { FilterChoice, FilterField, Filters, Sieve } from "../parts/facts";
import { Conservation } from "../parts/figures";
import { act } from "../parts/notice";
import { Same } from "../parts/same";
import { type Column, List, Nothing, RowLink } from "../parts/table";
import { spoken } from "../reasons";
import { addressOf, filter, filtered, useTitle } from "../router";
import { STATES, type States } from "../types";
import { Address, Foreign, Pill, quoted } from "../words";

interface FrontierStats {
  known: number;
  pending: number;
  deferred: number;
  states: States;
  not_taken: Record<string, number>;
}

interface FrontierUrl {
  id: number;
  job: string;
  host: string;
  url: string;
  state: string;
  priority: number;
  depth: number;
  due_at: string | null;
  attempts: number;
  reason: string | null;
}

const COLUMNS: readonly Column<FrontierUrl>[] = [
  { head: "State", width: "112px", phone: "state", cell: row => <Pill word={row.state} /> },
  {
    head: "URL",
    phone: "title",
    cell: row => (
      <RowLink to={addressOf("/url", { u: row.url })}>
        <Address url={row.url} />
      </RowLink>
    ),
  },
  { head: "Why", width: "22%", phone: "below", cell: row => <Foreign text={spoken(row.reason)} /> },
  { head: "Job", width: "96px", cell: row => <Foreign text={row.job} /> },
  { head: "Priority", width: "72px", isRight: true, cell: row => row.priority },
  { head: "Depth", width: "64px", isRight: true, cell: row => row.depth },
  {
    head: "Due",
    width: "92px",
    isRight: true,
    phone: "aside",
    cell: row => (row.due_at ? clock(row.due_at) : <Nothing />),
  },
];

export default function FrontierPage() {
  useTitle("Frontier");
  const [job, host, state] = [filter("job"), filter("host"), filter("state")];
  const stats = useAsk<FrontierStats>("/api/frontier/stats", 10);
  const [reason, contains, order] = [filter("reason"), filter("contains"), filter("order")];
  const address = addressOf("/api/frontier/urls", { job, host, state, reason, contains, order });
  const urls = useList<FrontierUrl>(address);
  const counts = stats.value?.states;
  return (
    <main id="main">
      <div class="title">
        <h1>Frontier</h1>
        <span class="dim">{stats.value && `${count(stats.value.known)} URLs known`}</span>
        {isAdmin.value && <Audit />}
      </div>
      {stats.value && (
        <Conservation
          total={stats.value.known}
          states={stats.value.states}
          deferred={stats.value.deferred}
          to={word => filtered({ state: word })}
        />
      )}
      <Filters>
        <FilterField name="job" label="Job" />
        <FilterField name="host" label="Host" />
        <FilterField name="contains" label="In the URL" />
        <FilterField name="reason" label="Reason" placeholder="robots, dns …" />
        <FilterChoice
          name="order"
          label="Order"
          words={[
            ["", "as found"],
            ["newest", "newest first"],
            ["next", "as visited next"],
          ]}
        />
      </Filters>
      <div class="sieved">
        <Sieve
          label="States"
          name="state"
          all="All states"
          words={STATES.map(word => [word, counts?.[word] ?? null] as const)}
        />
        <Card title="URLs">
          <List
            label="URLs"
            asked={urls}
            columns={COLUMNS}
            keyOf={row => row.id}
            empty="No URL is like that."
          />
        </Card>
      </div>
      <Same
        command={job ? `tenax jobs show ${quoted(job)}` : "tenax audit"}
        request={`GET ${address}`}
      />
    </main>
  );
}

/** Not the sum that is always shown: every row is looked at. */
function Audit() {
  const isBusy = useSignal(false);
  const look = async () => {
    isBusy.value = true;
    await act(
      () => call<{ whole: boolean; findings: unknown[] }>("POST", "/api/audit"),
      found =>
        found.whole
          ? "Every row was looked at: every URL is in exactly one state."
          : `${plural(found.findings.length, "finding")}: tenax audit tells them.`,
    );
    isBusy.value = false;
  };
  return (
    <span class="acts">
      <button type="button" class="act" disabled={isBusy.value} onClick={look}>
        {isBusy.value ? "Looking …" : "Audit every row"}
      </button>
    </span>
  );
}
