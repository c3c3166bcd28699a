// What is wrong, since when, and who was told? Silenced by hand, for a while.
import type { AlertJson } from "#answers";
import { call, isAdmin, useList } from "../api";
import { clock, Moment } from "../format";
import { Card } from "../parts/block";
import { act } from "../parts/notice";
import { Same } from "../parts/same";
import { type Column, List } from "../parts/table";
import { addressOf, filter, filtered, useTitle } from "../router";
import { Foreign, Pill, words } from "../words";

const KINDS: Record<string, string> = { raised: "firing", silenced: "silenced", cleared: "done" };

const COLUMNS: readonly Column<AlertJson>[] = [
  {
    head: "State",
    width: "120px",
    phone: "state",
    cell: row => <Pill word={KINDS[row.state] ?? row.state}>{row.state}</Pill>,
  },
  { head: "What", width: "150px", cell: row => <Foreign text={words(row.what)} most={40} /> },
  { head: "Told", phone: "title", cell: row => <Foreign text={row.told} /> },
  {
    head: "About",
    width: "18%",
    phone: "below",
    cell: row => <Foreign text={row.about ?? ""} />,
  },
  { head: "Since", width: "200px", phone: "aside", cell: row => <Moment at={row.since} /> },
  {
    head: "Until",
    width: "140px",
    cell: row => {
      const until = row.cleared_at ?? row.silent_until;
      return until ? clock(until) : "";
    },
  },
];

export default function AlertsPage() {
  useTitle("Alerts");
  const address = addressOf("/api/alerts", { all: filter("all") });
  const alerts = useList<AlertJson>(address);
  const silence = async (row: AlertJson) => {
    const path = `/api/alerts/${row.id}/silence`;
    if (await act(() => call("POST", path, {}), "Silenced for an hour.")) alerts.again();
  };
  const columns: readonly Column<AlertJson>[] = isAdmin.value
    ? [
        ...COLUMNS,
        {
          head: "",
          width: "96px",
          phone: "act",
          isRight: true,
          cell: row =>
            row.state === "raised" ? (
              <button type="button" class="quiet" onClick={() => silence(row)}>
                Silence
              </button>
            ) : null,
        },
      ]
    : COLUMNS;
  return (
    <main id="main">
      <div class="title">
        <h1>Alerts</h1>
        <nav class="chips" aria-label="Which">
          <a href={filtered({ all: null })} aria-current={filter("all") ? undefined : "true"}>
            now
          </a>
          <a href={filtered({ all: "true" })} aria-current={filter("all") ? "true" : undefined}>
            also what is over
          </a>
        </nav>
      </div>
      <Card title={filter("all") ? "All that were raised" : "Open"}>
        <List
          label="Alerts"
          asked={alerts}
          columns={columns}
          keyOf={row => row.id}
          empty="Nothing is wrong. Whatever is would be here, and told to those whom the settings name."
        />
      </Card>
      <Same command="tenax alerts" request={`GET ${address}`} />
    </main>
  );
}
