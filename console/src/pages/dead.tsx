// What was given up, and why? Returned or purged by hand, by filter, told how many first.

import { useSignal } from "@preact/signals";
import type { DeadLetter as Letter } from "#answers";
import { call, isAdmin, useAsk, useList } from "../api";
import { clock, plural } from "../format";
import { useKey } from "../keys";
import { Card } from "../parts/block";
import { confirm } from "../parts/dialog";
import { FilterField, Filters, Sieve } from "../parts/facts";
import { act } from "../parts/notice";
import { Same } from "../parts/same";
import { type Column, List, RowLink } from "../parts/table";
import { addressOf, filter, useTitle } from "../router";
import { Address, Foreign, Pill, quoted } from "../words";

interface Counts {
  total: number;
  faults: Record<string, number>;
}

/** What an act would do, or did. */
interface Done {
  returned?: number;
  purged?: number;
  count?: number;
}

const NAMES = ["job", "host", "fault", "contains"] as const;

export default function DeadLettersPage() {
  useTitle("Dead letters");
  const chosen = useSignal<ReadonlySet<number>>(new Set());
  const filters = Object.fromEntries(NAMES.map(name => [name, filter(name)]));
  const { fault: _, ...around } = filters;
  const counts = useAsk<Counts>(addressOf("/api/dead-letters/counts", around), 10);
  const address = addressOf("/api/dead-letters", filters);
  const letters = useList<Letter>(address);
  const toggle = (id: number) => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  useKey("x", "Select the row", () => {
    const row = document.activeElement?.closest("tr");
    row?.querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
  });
  const select: Column<Letter> = {
    head: "",
    width: "40px",
    phone: "pick",
    cell: row => (
      <label class="pick">
        <input
          type="checkbox"
          aria-label="Select this one"
          checked={chosen.value.has(row.target_id)}
          onChange={() => toggle(row.target_id)}
        />
      </label>
    ),
  };
  const columns = isAdmin.value ? [select, ...COLUMNS] : COLUMNS;
  return (
    <main id="main">
      <h1>Dead letters</h1>
      <Filters>
        <FilterField name="job" label="Job" />
        <FilterField name="host" label="Host" />
        <FilterField name="contains" label="In URL or reason" />
      </Filters>
      <div class="sieved">
        <Sieve
          label="Faults"
          name="fault"
          all={`All${counts.value ? ` (${counts.value.total})` : ""}`}
          words={Object.entries(counts.value?.faults ?? {})}
          kind="failed"
        />
        <Card title="Given up">
          {isAdmin.value && (letters.value?.length ?? 0) > 0 && (
            <Bulk
              chosen={[...chosen.value]}
              filters={filters}
              after={() => {
                chosen.value = new Set();
                letters.again();
                counts.again();
              }}
            />
          )}
          <List
            label="Dead letters"
            asked={letters}
            columns={columns}
            keyOf={row => row.target_id}
            empty="No dead letters. URLs that were given up would be here."
          />
        </Card>
      </div>
      <Same command={command(filters)} request={`GET ${address}`} />
    </main>
  );
}

const command = (filters: Record<string, string>) =>
  [
    "tenax dead",
    ...Object.entries(filters)
      .filter(([, v]) => v)
      .map(([k, v]) => `--${k} ${quoted(v)}`),
  ].join(" ");

const COLUMNS: readonly Column<Letter>[] = [
  {
    head: "Fault",
    width: "164px",
    phone: "state",
    cell: row => <Pill word="failed">{row.fault.replace(/_/g, " ")}</Pill>,
  },
  {
    head: "URL",
    phone: "title",
    cell: row => (
      <RowLink to={addressOf("/url", { u: row.url })}>
        <Address url={row.url} />
      </RowLink>
    ),
  },
  {
    head: "Reason",
    width: "22%",
    phone: "below",
    cell: row => <Foreign text={row.detail || row.reason} />,
  },
  { head: "Job", width: "84px", cell: row => <Foreign text={row.job} /> },
  { head: "Tries", width: "60px", isRight: true, cell: row => row.attempts },
  { head: "At", width: "96px", isRight: true, phone: "aside", cell: row => clock(row.at) },
];

interface BulkProps {
  chosen: number[];
  filters: Record<string, string>;
  after: () => void;
}

function Bulk({ chosen, filters, after }: BulkProps) {
  const said = Object.fromEntries(Object.entries(filters).filter(([, value]) => value));
  const named: Record<string, unknown> = chosen.length ? { ids: chosen } : said;
  const whole = Object.keys(named).length ? named : { all: true };
  const which = chosen.length
    ? plural(chosen.length, "selected one")
    : Object.keys(said).length
      ? "all of this filter"
      : "all";
  const number = (found: Done) => found.returned ?? found.purged ?? found.count ?? 0;
  const ask = async (verb: "return" | "purge") => {
    const path = `/api/dead-letters/${verb}`;
    let foreseen = 0;
    const isKnown = await act(
      () => call<Done>("POST", path, { ...whole, dry_run: true }),
      found => {
        foreseen = number(found);
        return `${plural(foreseen, "letter")} would be ${verb === "return" ? "returned" : "purged"}.`;
      },
    );
    if (!isKnown) return;
    const isSure = await confirm({
      title: verb === "return" ? "Return dead letters" : "Purge dead letters",
      text:
        verb === "return"
          ? `${plural(foreseen, "URL")} will be tried again, with fresh attempts.`
          : `${plural(foreseen, "letter")} will be forgotten. Their URLs stay failed and are not tried again.`,
      yes: verb === "return" ? `Return ${foreseen}` : `Purge ${foreseen}`,
      isBad: verb === "purge",
    });
    if (!isSure) return;
    const isDone = await act(
      () => call<Done>("POST", path, whole),
      found => `${plural(number(found), "letter")} ${verb === "return" ? "returned" : "purged"}.`,
    );
    if (isDone) after();
  };
  useKey("e", "Return what is selected", () => ask("return"));
  return (
    <div class="bulk">
      <button type="button" class="act" onClick={() => ask("return")}>
        Return {which}…
      </button>
      <button type="button" class="act" onClick={() => ask("purge")}>
        Purge {which}…
      </button>
    </div>
  );
}
