// What does one job have: its URLs, pages, products, traps, and what it was asked for?
import { type Signal, useSignal } from "@preact/signals";
import { call, isAdmin, useAsk, useList } from "../api";
import { clock, count, inWords, money, plural } from "../format";
import { spoken } from "../reasons";
import { addressOf, filter } from "../router";
import {
  type JobShape,
  type Listed,
  type PageRow,
  type ProductRow,
  STATES,
  type UrlRow,
  type WholeJob,
} from "../types";
import { Address, Foreign, Pill, tame, words } from "../words";
import { Block, Card } from "./block";
import { Meter } from "./figures";
import { jobAddress } from "./jobs";
import { act } from "./notice";
import { type Column, List, Nothing, RowLink } from "./table";
import { bodyOf, DoorPreview, ScopeField, type Wishes, WishField, wishesOf } from "./wishes";

export const TABS = ["urls", "pages", "products", "traps", "settings"] as const;
export type TabName = (typeof TABS)[number];

export function JobTab({ name, tab, job }: { name: string; tab: TabName; job: WholeJob }) {
  if (tab === "urls") return <Urls name={name} job={job} />;
  if (tab === "pages") return <Pages name={name} />;
  if (tab === "products") return <Products name={name} />;
  if (tab === "traps") return <Traps name={name} job={job} />;
  return <Settings job={job} />;
}

export const URL_COLUMNS: readonly Column<UrlRow>[] = [
  { head: "State", width: "112px", phone: "state", cell: row => <Pill word={row.state} /> },
  {
    head: "URL",
    phone: "title",
    cell: row => (
      <RowLink to={addressOf("/url", { u: row.url, job: row.job })}>
        <Address url={row.url} />
      </RowLink>
    ),
  },
  { head: "Why", width: "28%", phone: "below", cell: row => <Foreign text={spoken(row.reason)} /> },
  { head: "Depth", width: "72px", isRight: true, cell: row => count(row.depth) },
  { head: "Priority", width: "80px", isRight: true, cell: row => count(row.priority) },
  {
    head: "Due",
    width: "116px",
    phone: "aside",
    isRight: true,
    cell: row => (row.due_at ? clock(row.due_at) : <Nothing />),
  },
];

function Urls({ name, job }: { name: string; job: WholeJob }) {
  const state = filter("state");
  const asked = useList<UrlRow>(addressOf("/api/frontier/urls", { job: name, state, limit: 100 }));
  const to = (wanted: string) => addressOf(jobAddress(name), { tab: "urls", state: wanted });
  return (
    <Card
      title="URLs"
      hint={
        <nav class="chips" aria-label="By state">
          <a href={to("")} aria-current={state ? undefined : "true"}>
            all <span class="num">{count(job.known)}</span>
          </a>
          {STATES.filter(each => job.states[each]).map(each => (
            <a key={each} href={to(each)} aria-current={each === state ? "true" : undefined}>
              {each} <span class="num">{count(job.states[each] ?? 0)}</span>
            </a>
          ))}
        </nav>
      }
    >
      <List
        label="URLs of this job"
        asked={asked}
        columns={URL_COLUMNS}
        keyOf={row => row.id}
        empty={state ? `None of them is ${state}.` : "It knows no URL yet."}
      />
    </Card>
  );
}

export const PAGE_COLUMNS: readonly Column<PageRow>[] = [
  {
    head: "Title",
    phone: "title",
    cell: row => (
      <RowLink to={`/pages/${row.url_hash}`}>
        {row.title ? <Foreign text={row.title} /> : <span class="dim">without a title</span>}
      </RowLink>
    ),
  },
  { head: "URL", width: "38%", phone: "below", cell: row => <Address url={row.url} /> },
  { head: "Words", width: "80px", isRight: true, cell: row => count(row.words) },
  {
    head: "Language",
    width: "86px",
    cell: row => <Foreign text={row.language || "–"} most={12} />,
  },
  {
    head: "Fetched",
    width: "124px",
    phone: "aside",
    isRight: true,
    cell: row => clock(row.fetched_at),
  },
];

function Pages({ name }: { name: string }) {
  const asked = useList<PageRow>(addressOf("/api/pages", { job: name, limit: 100 }));
  return (
    <Card title="Pages" hint="in the order their URLs were found">
      <List
        label="Pages of this job"
        asked={asked}
        columns={PAGE_COLUMNS}
        keyOf={row => row.url_hash}
        empty="Nothing is stored yet."
      />
    </Card>
  );
}

export const PRODUCT_COLUMNS: readonly Column<ProductRow>[] = [
  {
    head: "Name",
    phone: "title",
    cell: row => (
      <RowLink to={`/products/${row.id}`}>
        <Foreign text={row.name ?? "without a name"} />
      </RowLink>
    ),
  },
  { head: "Brand", width: "16%", phone: "below", cell: row => <Foreign text={row.brand ?? "–"} /> },
  {
    head: "Price",
    width: "140px",
    phone: "aside",
    isRight: true,
    cell: row => money(row.price, row.currency),
  },
  {
    head: "Availability",
    width: "140px",
    phone: "state",
    cell: row => <Foreign text={inWords(row.availability)} most={24} />,
  },
  { head: "Seen", width: "124px", isRight: true, cell: row => clock(row.last_seen_at) },
];

function Products({ name }: { name: string }) {
  const asked = useList<ProductRow>(addressOf("/api/products", { job: name, limit: 100 }));
  return (
    <Card title="Products" hint="in the order they were found">
      <List
        label="Products of this job"
        asked={asked}
        columns={PRODUCT_COLUMNS}
        keyOf={row => row.id}
        empty="No product was found on its pages."
      />
    </Card>
  );
}

function Traps({ name, job }: { name: string; job: WholeJob }) {
  const asked = useAsk<Listed<JobShape>>(`/api${jobAddress(name, "/shapes")}`);
  return (
    <Block
      title="What its URLs bring"
      hint={`visits, and those that brought nothing new${
        job.deferred > 0 ? ` · ${plural(job.deferred, "URL")} deferred for that` : ""
      }`}
      asked={asked}
      empty={found => found.items.length === 0 && "No kind of URL stands out yet."}
    >
      {found => {
        const most = Math.max(1, ...found.items.map(each => each.visits));
        return (
          <ul class="legend shapes">
            {found.items.map(each => (
              <li key={`${each.host} ${each.shape}`}>
                <ShapeRow of={each} most={most} />
              </li>
            ))}
          </ul>
        );
      }}
    </Block>
  );
}

const KINDS: Record<string, string> = { N: "n", H: "hash", S: "slug", W: "word", A: "id" };

/** `/news/N/S?page,sort` as it reads: `/news/{n}/{slug}?page&sort`. The first folder is kept as it was spelled. */
export function shapeTold(shape: string): string {
  const [path = "", names] = shape.split(/\?(.*)/s);
  const told = path.replace(/(?<=\/)([NHSWA])(?=\/|\.|$)/g, (_, kind: string, at: number) =>
    at === 1 && path[2] === "/" && kind !== "N" ? kind : `{${KINDS[kind]}}`,
  );
  return names === undefined ? told : `${told}?${names.replaceAll(",", "&")}`;
}

interface ShapeProps {
  of: Omit<JobShape, "host"> & { host?: string };
  most: number;
}

/** A kind of URLs: visits as a bar, those in vain as a part of it. */
export function ShapeRow({ of, most }: ShapeProps) {
  const waste = of.fruitless / Math.max(1, of.visits);
  return (
    <>
      <span class="mono foreign">
        {tame(shapeTold(of.shape))} {of.host && <span class="dim">{tame(of.host, 60)}</span>}
      </span>
      <Meter share={of.visits / most} waste={waste} />
      <span class="num">{count(of.visits)}</span>
      <span class="num share">{of.visits ? `${Math.round(100 * waste)} %` : "–"}</span>
    </>
  );
}

const TOLD: (keyof WholeJob["spec"])[] = [
  "seeds",
  "sitemaps",
  "scope",
  "include",
  "exclude",
  "max_pages",
  "max_depth",
  "recrawl",
  "schedule",
];

function Settings({ job }: { job: WholeJob }) {
  const wishes = useSignal<Wishes>(wishesOf(job.spec));
  const others = Object.entries(job.spec).filter(([key]) => !(TOLD as string[]).includes(key));
  return (
    <>
      {isAdmin.value ? <Change job={job} wishes={wishes} /> : <Asked job={job} />}
      <Card title="All of it" hint="as it stands in the ledger">
        <dl class="facts wide">
          <dt>seeds</dt>
          <dd>
            {job.spec.seeds.slice(0, 20).map(seed => (
              <div key={seed}>
                <Address url={seed} />
              </div>
            ))}
            {job.spec.seeds.length > 20 && `and ${count(job.spec.seeds.length - 20)} more`}
          </dd>
          {others.map(([key, value]) => (
            <div class="fact" key={key}>
              <dt>{words(key)}</dt>
              <dd class="mono">{tame(shown(value), 400)}</dd>
            </div>
          ))}
        </dl>
      </Card>
    </>
  );
}

const shown = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(shown).join(", ") || "none";
  if (typeof value === "object" && value !== null) return Object.values(value).join(" ");
  return value === null || value === "" ? "none" : String(value);
};

function Asked({ job }: { job: WholeJob }) {
  return (
    <Card title="What it was asked for">
      <dl class="facts wide">
        {TOLD.filter(key => key !== "seeds").map(key => (
          <div class="fact" key={key}>
            <dt>{words(key)}</dt>
            <dd class="mono">{tame(shown(job.spec[key]), 400)}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

/** What is named replaces what was; URLs that are known already stay. */
function Change({ job, wishes }: { job: WholeJob; wishes: Signal<Wishes> }) {
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = bodyOf(wishes.value);
    const empty = { max_pages: null, max_depth: null, recrawl: null, schedule: null };
    await act(
      () => call("PATCH", `/api${jobAddress(job.job)}`, { ...empty, ...given }),
      "Changed. Processes at work go by it at once, or when the job is resumed.",
    );
  };
  return (
    <div class="half new-job">
      <Card title="Change it" hint="also while it runs">
        <form class="form pad" onSubmit={submit}>
          <WishField
            wishes={wishes}
            name="seeds"
            label="Further seeds, one a line"
            rows={2}
            isMono
          />
          <ScopeField wishes={wishes} />
          <div class="half tight">
            <WishField
              wishes={wishes}
              name="include"
              label="Only these, one a line"
              rows={3}
              isMono
            />
            <WishField wishes={wishes} name="exclude" label="Not these" rows={3} isMono />
          </div>
          <div class="half tight">
            <WishField wishes={wishes} name="max_pages" label="Pages at most" isNumber />
            <WishField
              wishes={wishes}
              name="max_depth"
              label="Links from a seed at most"
              isNumber
            />
          </div>
          <div class="half tight">
            <WishField wishes={wishes} name="schedule" label="All of it again" />
            <WishField
              wishes={wishes}
              name="recrawl"
              label="Each page again, at the latest after"
            />
          </div>
          <p class="small dim">
            It does not undo anything: URLs that are known already stay known.
          </p>
          <div class="acts">
            <button type="submit" class="act strong">
              Change it
            </button>
          </div>
        </form>
      </Card>
      <DoorPreview wishes={wishes} seeds={job.spec.seeds} />
    </div>
  );
}
