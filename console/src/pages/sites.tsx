// Which sites are treated their own way? Rules by pattern of host, kept for the whole fleet.
import { call, isAdmin, useList } from "../api";
import { Card } from "../parts/block";
import { confirm } from "../parts/dialog";
import { act } from "../parts/notice";
import { Same } from "../parts/same";
import { type Column, List } from "../parts/table";
import { useTitle } from "../router";
import { Foreign, tame } from "../words";

interface Site {
  pattern: string;
  source?: string;
  rules?: Record<string, unknown>;
  [more: string]: unknown;
}

/** What the rule says, in one line. */
function said(site: Site): string {
  const { pattern: _, source: __, rules, changed_at: ___, ...rest } = site;
  const told = Object.entries(rules ?? rest).filter(
    ([, value]) => value !== null && value !== "" && !(Array.isArray(value) && value.length === 0),
  );
  return told.map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(", ");
}

export default function SitesPage() {
  useTitle("Sites");
  const sites = useList<Site>("/api/sites");
  const remove = async (site: Site) => {
    const isSure = await confirm({
      title: `Forget the rules for ${tame(site.pattern, 60)}`,
      text: "Its hosts are treated like all others from now on, by every worker.",
      yes: "Forget them",
      isBad: true,
    });
    if (!isSure) return;
    const path = `/api/sites/${encodeURIComponent(site.pattern)}`;
    if (await act(() => call("DELETE", path), "Forgotten.")) sites.again();
  };
  const columns: readonly Column<Site>[] = [
    {
      head: "Hosts",
      width: "26%",
      phone: "title",
      cell: row => <Foreign text={row.pattern} />,
    },
    { head: "Rules", phone: "below", cell: row => <Foreign text={said(row)} /> },
    {
      head: "From",
      width: "120px",
      phone: "state",
      cell: row => <Foreign text={String(row.source ?? "ledger")} />,
    },
    ...(isAdmin.value
      ? [
          {
            head: "",
            width: "96px",
            phone: "act" as const,
            isRight: true,
            cell: (row: Site) =>
              row.source === "settings" ? null : (
                <button type="button" class="quiet" onClick={() => remove(row)}>
                  Forget
                </button>
              ),
          },
        ]
      : []),
  ];
  return (
    <main id="main">
      <h1>Sites</h1>
      {isAdmin.value && <Put after={sites.again} />}
      <Card title="Rules for single sites">
        <List
          label="Sites"
          asked={sites}
          columns={columns}
          keyOf={row => row.pattern}
          empty="None: every host is treated alike."
        />
      </Card>
      <Same command="tenax sites" request="GET /api/sites" />
    </main>
  );
}

function Put({ after }: { after: () => void }) {
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const given = new FormData(form);
    const pattern = String(given.get("pattern")).trim();
    const rules: Record<string, unknown> = {};
    for (const name of ["delay", "concurrency", "max_pages"]) {
      const value = String(given.get(name) ?? "").trim();
      if (value) rules[name] = Number(value);
    }
    for (const name of ["include", "exclude"]) {
      const value = String(given.get(name) ?? "").trim();
      if (value) rules[name] = value.split(/\s+/);
    }
    const isDone = await act(
      () => call("PUT", `/api/sites/${encodeURIComponent(pattern)}`, rules),
      "Kept: every worker obeys at once.",
    );
    if (isDone) {
      form.reset();
      after();
    }
  };
  return (
    <Card title="Treat a site its own way">
      <form class="filters pad" onSubmit={submit}>
        {(
          [
            ["pattern", "Hosts like", "*.shop.example", true],
            ["delay", "Delay, s", "2", false],
            ["concurrency", "At once", "", false],
            ["max_pages", "Pages at most", "", false],
            ["include", "Only paths like", "/p/* /c/*", false],
            ["exclude", "No paths like", "*calendar*", false],
          ] as const
        ).map(([name, told, placeholder, required]) => (
          <label
            key={name}
            class={`filter ${/^(delay|concurrency|max_pages)$/.test(name) ? "short" : ""}`}
          >
            <span>{told}</span>
            <input
              class="field"
              name={name}
              placeholder={placeholder}
              required={required}
              autocomplete="off"
            />
          </label>
        ))}
        <button class="act strong" type="submit">
          Keep
        </button>
      </form>
    </Card>
  );
}
