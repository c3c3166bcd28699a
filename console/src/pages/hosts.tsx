// Which hosts are there, and how do they stand with us?
import { useList } from "../api";
import { clock, count, duration, plural, relative } from "../format";
import { Card } from "../parts/block";
import { FilterChoice, FilterField, Filters, Sieve } from "../parts/facts";
import { hostAddress } from "../parts/hosts";
import { Same } from "../parts/same";
import { type Column, List, Nothing, RowLink } from "../parts/table";
import { addressOf, filter, useTitle } from "../router";
import type { HostRow } from "../types";
import { Foreign, Pill, words } from "../words";

export type HostListed = HostRow;

/** URLs that wait are counted to a thousand. */
export const atLeast = (n: number) => (n >= 1000 ? `${count(n)}+` : count(n));

const STANDINGS = [
  "trouble", "told_to_wait", "breaker", "probe", "cooldown", "budget", "robots", "failing",
  "single", "slowed", "paused", "new", "ok",
]; // biome-ignore format: a list of words

const lastAnswer = (row: HostListed) =>
  (row.host.health as { last_success_at?: string | null } | undefined)?.last_success_at ?? null;

const COLUMNS: readonly Column<HostListed>[] = [
  {
    head: "Host",
    phone: "title",
    cell: row => (
      <RowLink to={hostAddress(row.host.name)}>
        <Foreign text={row.host.name} />
      </RowLink>
    ),
  },
  {
    head: "Standing",
    width: "22%",
    phone: "state",
    cell: row => (
      <Pill word={row.standing.word}>
        {row.standing.says}
        {row.standing.until ? ` until ${clock(row.standing.until)}` : ""}
      </Pill>
    ),
  },
  {
    head: "Why",
    width: "16%",
    phone: "below",
    cell: row =>
      row.standing.because ? (
        <Foreign text={words(row.standing.because)} />
      ) : (
        // A phone has no columns for it.
        <span class="small-only num">
          {count(row.pages)} of {plural(row.known, "URL")} stored
        </span>
      ),
  },
  { head: "Delay", width: "66px", isRight: true, cell: row => duration(row.delay) },
  { head: "Known", width: "68px", isRight: true, cell: row => count(row.known) },
  { head: "Pages", width: "68px", isRight: true, cell: row => count(row.pages) },
  { head: "Waiting", width: "72px", isRight: true, cell: row => atLeast(row.waiting) },
  {
    head: "Last answer",
    width: "100px",
    isRight: true,
    phone: "aside",
    cell: row => {
      const at = lastAnswer(row);
      return at ? relative(at) : <Nothing />;
    },
  },
];

export default function HostsPage() {
  useTitle("Hosts");
  const address = addressOf("/api/domains", {
    ...(filter("standing") === "trouble" ? { trouble: "true" } : { standing: filter("standing") }),
    q: filter("q"),
    // Hosts of one standing come by name.
    sort: filter("standing") ? "" : filter("sort"),
  });
  const hosts = useList<HostListed>(address);
  return (
    <main id="main">
      <h1>Hosts</h1>
      <Filters>
        <FilterField name="q" label="Name" placeholder="part of a name" kind="search" />
        <FilterChoice
          name="sort"
          label="Order"
          words={[
            ["", "by name"],
            ["known", "most URLs first"],
            ["pages", "most pages first"],
          ]}
        />
      </Filters>
      <div class="sieved">
        <Sieve
          label="Standings"
          name="standing"
          all="All hosts"
          words={STANDINGS.map(word => [word, null] as const)}
        />
        <Card title="Hosts" hint={hosts.value && `${count(hosts.value.length)} shown`}>
          <List
            label="Hosts"
            asked={hosts}
            columns={COLUMNS}
            keyOf={row => row.host.name}
            empty="No host is like that."
          />
        </Card>
      </div>
      <Same command="tenax hosts" request={`GET ${address}`} />
    </main>
  );
}
