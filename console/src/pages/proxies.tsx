// Through whom are requests sent, and how do they do?
import { useSignal } from "@preact/signals";
import { call, isAdmin, useList } from "../api";
import { clock, count, percent } from "../format";
import { Card } from "../parts/block";
import { confirm } from "../parts/dialog";
import { act } from "../parts/notice";
import { Same } from "../parts/same";
import { type Column, List } from "../parts/table";
import { useTitle } from "../router";
import { Foreign, Pill, tame } from "../words";

interface Proxy {
  name: string;
  group: string;
  priority: number;
  url?: string;
  scheme?: string;
  host?: string;
  port?: number;
  standing?: string | { word: string; until: string | null };
  successes?: number;
  failures?: number;
  average_ms?: number | null;
  banned_until?: string | null;
  disabled?: boolean;
  used_at?: string | null;
}

const wordOf = (row: Proxy) => {
  if (row.disabled) return "paused";
  if (row.banned_until) return "banned";
  return typeof row.standing === "string" ? row.standing : (row.standing?.word ?? "ok");
};

const COLUMNS: readonly Column<Proxy>[] = [
  { head: "Name", phone: "title", cell: row => <Foreign text={row.name} /> },
  { head: "Group", width: "130px", phone: "below", cell: row => <Foreign text={row.group} /> },
  {
    head: "Where",
    width: "30%",
    cell: row => (
      <Foreign text={row.url ?? `${row.scheme ?? ""}://${row.host ?? ""}:${row.port ?? ""}`} />
    ),
  },
  { head: "Health", width: "120px", phone: "state", cell: row => <Pill word={wordOf(row)} /> },
  {
    head: "Success",
    width: "100px",
    isRight: true,
    cell: row => {
      const all = (row.successes ?? 0) + (row.failures ?? 0);
      return all ? percent((row.successes ?? 0) / all) : "–";
    },
  },
  {
    head: "Took",
    width: "90px",
    isRight: true,
    cell: row => (row.average_ms ? `${count(row.average_ms)} ms` : "–"),
  },
  {
    head: "Used",
    width: "120px",
    isRight: true,
    phone: "aside",
    cell: row => (row.used_at ? clock(row.used_at) : "–"),
  },
];

export default function ProxiesPage() {
  useTitle("Proxies");
  const proxies = useList<Proxy>("/api/proxies");
  const remove = async (row: Proxy) => {
    const isSure = await confirm({
      title: `Remove ${tame(row.name, 60)}`,
      text: "Requests go through the others of its group, or directly when it has none.",
      yes: "Remove",
      isBad: true,
    });
    if (!isSure) return;
    const path = `/api/proxies/${encodeURIComponent(row.name)}`;
    if (await act(() => call("DELETE", path), "Removed.")) proxies.again();
  };
  const columns: readonly Column<Proxy>[] = isAdmin.value
    ? [
        ...COLUMNS,
        {
          head: "",
          width: "96px",
          phone: "act",
          isRight: true,
          cell: row => (
            <button type="button" class="quiet" onClick={() => remove(row)}>
              Remove
            </button>
          ),
        },
      ]
    : COLUMNS;
  return (
    <main id="main">
      <h1>Proxies</h1>
      {isAdmin.value && <Add after={proxies.again} />}
      <Card title="Proxies">
        <List
          label="Proxies"
          asked={proxies}
          columns={columns}
          keyOf={row => row.name}
          empty="None: every request goes out directly."
        />
      </Card>
      <Same command="tenax proxies" request="GET /api/proxies" />
    </main>
  );
}

function Add({ after }: { after: () => void }) {
  const isBusy = useSignal(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const given = Object.fromEntries(
      [...new FormData(form)].filter(([, value]) => String(value).trim()),
    );
    isBusy.value = true;
    if (await act(() => call("POST", "/api/proxies", given), "Added.")) {
      form.reset();
      after();
    }
    isBusy.value = false;
  };
  return (
    <Card title="Add one">
      <form class="filters pad" onSubmit={submit}>
        <label class="filter">
          <span>Name</span>
          <input class="field" name="name" required autocomplete="off" />
        </label>
        <label class="filter wide">
          <span>URL, with user and password if it wants them</span>
          <input
            class="field mono"
            name="url"
            required
            placeholder="socks5://user:password@host:1080"
            autocomplete="off"
          />
        </label>
        <label class="filter">
          <span>Group</span>
          <input class="field" name="group" autocomplete="off" />
        </label>
        <button class="act strong" type="submit" disabled={isBusy.value}>
          Add
        </button>
      </form>
    </Card>
  );
}
