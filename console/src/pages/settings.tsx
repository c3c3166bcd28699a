// What is set, who may do what, and what did they do?

import { useSignal } from "@preact/signals";
import type { Setting } from "#answers";
import { call, isAdmin, me, useAsk, useList } from "../api";
import { Moment, zone } from "../format";
import { Block, Card } from "../parts/block";
import { confirm, Dialog } from "../parts/dialog";
import { Fact } from "../parts/facts";
import { act } from "../parts/notice";
import { copy, Same } from "../parts/same";
import { type Column, List } from "../parts/table";
import { filter, filtered, useTitle } from "../router";
import { Foreign, Pill, tame } from "../words";

interface User {
  name: string;
  role: string;
  created_at: string;
  must_choose_password: boolean;
}

interface Key {
  name: string;
  role: string;
  created_at: string;
  jobs: string[] | null;
  expires_at: string | null;
  used_at: string | null;
}

interface Act {
  id?: number;
  at: string;
  who: string;
  what: string;
  status: number;
}

const TABS = [
  ["", "Settings"],
  ["users", "Users"],
  ["keys", "Keys"],
  ["acts", "What was done"],
] as const;

export default function SettingsPage() {
  useTitle("Settings");
  const tab = filter("tab");
  return (
    <main id="main" class="narrow">
      <div class="title">
        <h1>Settings</h1>
        <span class="dim">
          you are {me.value?.name ?? "nobody"} ({me.value?.role}), times are in {zone}
        </span>
      </div>
      {isAdmin.value && (
        <nav class="ranges" aria-label="Parts">
          {TABS.map(([name, told]) => (
            <a
              key={name}
              href={filtered({ tab: name })}
              aria-current={tab === name ? "true" : undefined}
            >
              {told}
            </a>
          ))}
        </nav>
      )}
      {tab === "users" && <Users />}
      {tab === "keys" && <Keys />}
      {tab === "acts" && <Acts />}
      {!tab && <Effective />}
    </main>
  );
}

const OTHERS = "in general";

function Effective() {
  const asked = useAsk<{ items: Setting[] }>("/api/settings");
  return (
    <>
      <p class="dim small">
        What is in force in the process that answers. Secrets are masked; what is no default says
        who set it.
      </p>
      {asked.value ? (
        <div class="settings">
          {sections(asked.value.items).map(([section, rows]) => (
            <Card key={section} title={section}>
              <dl class="facts">
                {rows.map(({ name, value, source }) => (
                  <Fact key={name} name={name}>
                    <Value of={value} />
                    {source !== "default" && <span class="source-of">{tame(source, 80)}</span>}
                  </Fact>
                ))}
              </dl>
            </Card>
          ))}
        </div>
      ) : (
        <Block title="What is in force" asked={asked} tall={12}>
          {() => null}
        </Block>
      )}
      <Same command="tenax config" request="GET /api/settings" />
    </>
  );
}

/** By the first part of their names, those without one first. */
function sections(items: Setting[]): [string, Setting[]][] {
  const found = new Map<string, Setting[]>([[OTHERS, []]]);
  for (const each of items) {
    const [section = "", ...rest] = each.name.split(".");
    const key = rest.length ? section : OTHERS;
    const row = { ...each, name: rest.join(".") || each.name };
    found.set(key, [...(found.get(key) ?? []), row]);
  }
  return [...found];
}

function Value({ of }: { of: unknown }) {
  if (of === "" || of === null) return <span class="faint">not set</span>;
  if (Array.isArray(of) && of.length === 0) return <span class="faint">none</span>;
  if (typeof of === "boolean") return <>{of ? "yes" : "no"}</>;
  const isPlain = Array.isArray(of) && of.every(each => typeof each !== "object");
  const told = isPlain ? of.join(", ") : typeof of === "string" ? of : JSON.stringify(of);
  return <Foreign text={told} wrap />;
}

function Users() {
  const users = useList<User>("/api/users");
  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const given = Object.fromEntries(new FormData(form)) as Record<string, string>;
    const isDone = await act(() => call("POST", "/api/users", given), "Added.");
    if (isDone) {
      form.reset();
      users.again();
    }
  };
  const remove = async (user: User) => {
    const isSure = await confirm({
      title: `Remove ${tame(user.name, 60)}`,
      text: "They are logged out everywhere, at once.",
      yes: "Remove",
      isBad: true,
    });
    if (!isSure) return;
    const path = `/api/users/${encodeURIComponent(user.name)}`;
    if (await act(() => call("DELETE", path), "Removed.")) users.again();
  };
  return (
    <>
      <Card title="Add somebody">
        <form class="filters pad" onSubmit={add}>
          <label class="filter">
            <span>Name</span>
            <input class="field" name="name" required autocomplete="off" />
          </label>
          <label class="filter">
            <span>Password</span>
            <input
              class="field"
              name="password"
              type="password"
              required
              autocomplete="new-password"
            />
          </label>
          <Role />
          <button class="act strong" type="submit">
            Add
          </button>
        </form>
      </Card>
      <Card title="Users">
        <List
          label="Users"
          asked={users}
          keyOf={row => row.name}
          empty="Nobody."
          columns={[
            { head: "Name", phone: "title", cell: row => <Foreign text={row.name} /> },
            {
              head: "Role",
              width: "110px",
              phone: "state",
              cell: row => <Pill word="leased">{row.role}</Pill>,
            },
            {
              head: "Since",
              width: "200px",
              phone: "aside",
              cell: row => <Moment at={row.created_at} />,
            },
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
          ]}
        />
      </Card>
      <Same command="tenax user list" request="GET /api/users" />
    </>
  );
}

const Role = () => (
  <label class="filter">
    <span>Role</span>
    <select class="field" name="role">
      <option value="user">user: look</option>
      <option value="admin">admin: also change</option>
    </select>
  </label>
);

function Keys() {
  const keys = useList<Key>("/api/keys");
  const made = useSignal<{ name: string; key: string } | null>(null);
  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const given = Object.fromEntries(new FormData(form)) as Record<string, string>;
    const jobs = (given.jobs ?? "").split(/[\s,]+/).filter(Boolean);
    const body = { name: given.name, role: given.role, ...(jobs.length ? { jobs } : {}) };
    const isDone = await act(async () => {
      made.value = await call<{ name: string; key: string }>("POST", "/api/keys", body);
    }, "Made. It is shown once.");
    if (isDone) {
      form.reset();
      keys.again();
    }
  };
  const revoke = async (key: Key) => {
    const isSure = await confirm({
      title: `Revoke ${tame(key.name, 60)}`,
      text: "Whoever uses it is refused from now on.",
      yes: "Revoke",
      isBad: true,
    });
    if (!isSure) return;
    const path = `/api/keys/${encodeURIComponent(key.name)}`;
    if (await act(() => call("DELETE", path), "Revoked.")) keys.again();
  };
  return (
    <>
      <Card title="Make one">
        <form class="filters pad" onSubmit={add}>
          <label class="filter">
            <span>Name</span>
            <input class="field" name="name" required autocomplete="off" />
          </label>
          <Role />
          <label class="filter">
            <span>Only for these jobs</span>
            <input class="field" name="jobs" placeholder="all" autocomplete="off" />
          </label>
          <button class="act strong" type="submit">
            Make
          </button>
        </form>
      </Card>
      <Card title="Keys">
        <List
          label="Keys"
          asked={keys}
          keyOf={row => row.name}
          empty="No program has a key."
          columns={keyColumns(revoke)}
        />
      </Card>
      {made.value && (
        <Dialog
          title="The key"
          onClose={() => {
            made.value = null;
          }}
        >
          <h2>The key of {tame(made.value.name, 60)}</h2>
          <p class="dim">
            It is not shown again. Send it as <code>Authorization: Bearer KEY</code>.
          </p>
          <p>
            <code class="wrap">{made.value.key}</code>
          </p>
          <div class="acts">
            <button type="button" class="act" onClick={() => copy(made.value?.key ?? "")}>
              Copy
            </button>
            <button
              type="button"
              class="act strong"
              onClick={() => {
                made.value = null;
              }}
            >
              I have it
            </button>
          </div>
        </Dialog>
      )}
      <Same command="tenax key api list" request="GET /api/keys" />
    </>
  );
}

const keyColumns = (revoke: (key: Key) => void): readonly Column<Key>[] => [
  { head: "Name", phone: "title", cell: row => <Foreign text={row.name} /> },
  {
    head: "Role",
    width: "110px",
    phone: "state",
    cell: row => <Pill word="leased">{row.role}</Pill>,
  },
  {
    head: "Jobs",
    width: "20%",
    phone: "below",
    cell: row => <Foreign text={row.jobs?.join(", ") ?? "all"} />,
  },
  { head: "Expires", width: "150px", cell: row => <Moment at={row.expires_at} only="clock" /> },
  {
    head: "Used",
    width: "150px",
    phone: "aside",
    cell: row => <Moment at={row.used_at} only="clock" />,
  },
  {
    head: "",
    width: "96px",
    phone: "act",
    isRight: true,
    cell: row => (
      <button type="button" class="quiet" onClick={() => revoke(row)}>
        Revoke
      </button>
    ),
  },
];

function Acts() {
  const acts = useList<Act>("/api/acts");
  return (
    <>
      <Card title="What was done">
        <List
          label="Acts"
          asked={acts}
          keyOf={row => row.id ?? row.at + row.what}
          empty="Nothing has been changed by the API or the console yet."
          columns={[
            {
              head: "At",
              width: "210px",
              phone: "aside",
              cell: row => <Moment at={row.at} />,
            },
            { head: "Who", width: "20%", phone: "below", cell: row => <Foreign text={row.who} /> },
            { head: "What", phone: "title", cell: row => <Foreign text={row.what} /> },
            {
              head: "Result",
              width: "90px",
              phone: "state",
              cell: row => <Pill word={`c${String(row.status)[0]}`}>{row.status}</Pill>,
            },
          ]}
        />
      </Card>
      <Same command="tenax serve" request="GET /api/acts" />
    </>
  );
}
