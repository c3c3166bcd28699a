// What stands around every page: the rail, the tabs of a phone, what can be asked from anywhere.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call, hasExpired, isKnown, me, whoAmI } from "./api";
import { clock } from "./format";
import { bindings, step, useKey } from "./keys";
import { lostAt, now, on } from "./live";
import { LoginForm, LoginPage } from "./pages/login";
import { Dialog, Questions } from "./parts/dialog";
import { Find } from "./parts/find";
import { Notices } from "./parts/notice";
import { NAMED, PLACES, type Place } from "./places";
import { go, path, Router } from "./router";
import { ROUTES } from "./routes";
import { isSmall, theme, turnTheme } from "./theme";
import { tame } from "./words";

type Sheet = "find" | "keys" | "more";
const sheet = signal<Sheet | null>(null);
const close = () => {
  sheet.value = null;
};
const open = (which: Sheet) => () => {
  sheet.value = which;
};

export function Shell() {
  if (!me.value) return null;
  if (!isKnown.value || me.value.must_choose_password) return <LoginPage />;
  return (
    <>
      <a class="skip" href="#main">
        To what is on this page
      </a>
      {isSmall.value ? <Lost /> : <Rail />}
      <div class="railed">
        <Router routes={ROUTES} />
      </div>
      <Tabs />
      <Keys />
      {sheet.value === "find" && <Find onClose={close} />}
      {sheet.value === "keys" && <KeyHelp />}
      {sheet.value === "more" && <More />}
      {hasExpired.value && <Again />}
      <Questions />
      <Notices />
    </>
  );
}

const ALL = PLACES.flatMap(([, places]) => places);

/** The place whose address is the longest that this one begins with. */
function current(): Place | undefined {
  const at = path.value;
  const isBelow = (to: string) => at === to || (to !== "/" && at.startsWith(`${to}/`));
  return ALL.filter(each => [each.to, ...(each.also ?? [])].some(isBelow)).at(-1);
}

function Icon({ of }: { of: Place | undefined }) {
  return (
    <svg class="icon-of" viewBox="0 0 16 16" aria-hidden="true">
      <path d={of?.icon ?? "M3 8h.01M8 8h.01M13 8h.01"} />
    </svg>
  );
}

function Item({ place, onClick }: { place: Place; onClick?: () => void }) {
  return (
    <a
      class="item"
      href={place.to}
      aria-current={current() === place ? "page" : undefined}
      onClick={onClick}
    >
      <Icon of={place} />
      <span class="name">{place.name}</span>
      {place.badge && <Badge of={place.badge} />}
    </a>
  );
}

const COUNTED = { dead_letters: "dead letters", alerts: "open alerts" };

function Badge({ of }: { of: keyof typeof COUNTED }) {
  const total = now.value?.[of];
  if (!total) return null;
  return (
    <b class="badge num">
      {total > 9999 ? "9999+" : total}
      <span class="sr"> {COUNTED[of]}</span>
    </b>
  );
}

function Rail() {
  return (
    <nav class="rail" aria-label="Main">
      <a class="brand" href="/">
        <span class="name">tenax</span>
      </a>
      <button type="button" class="find" onClick={open("find")} aria-label="Find anything">
        <span class="name">Find anything</span>
        <kbd>/</kbd>
      </button>
      {PLACES.map(([group, places]) => (
        <div class="group" key={group}>
          {group && <h2>{group}</h2>}
          {places.map(place => (
            <Item key={place.to} place={place} />
          ))}
        </div>
      ))}
      <Foot />
    </nav>
  );
}

function Foot() {
  return (
    <footer>
      <Live />
      <button type="button" class="icon" onClick={turnTheme} aria-label={`Theme: ${theme.value}`}>
        <span aria-hidden="true">◐</span>
      </button>
      <button type="button" class="icon wide-only" onClick={open("keys")} aria-label="Keys">
        ?
      </button>
      <button type="button" class="icon wide-only" onClick={logOut} aria-label="Log out">
        <svg class="icon-of" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M6 2H3v12h3M7 8h7M11 5l3 3-3 3" />
        </svg>
      </button>
    </footer>
  );
}

function Live() {
  const lost = lostAt.value;
  return (
    <span class="live" data-on={String(on.value)}>
      <span class="name">
        {on.value ? "live" : lost ? `as of ${clock(lost / 1000)}` : "waiting"}
      </span>
    </span>
  );
}

/** A phone has no room for a sign that all is well. */
function Lost() {
  const lost = lostAt.value;
  return lost === null ? null : (
    <p class="lost" role="status">
      No news since {clock(lost / 1000)}; trying again
    </p>
  );
}

async function logOut() {
  await call("POST", "/api/auth/logout").catch(() => null);
  location.assign("/");
}

function Tabs() {
  const tab = (name: string) => {
    const place = NAMED.get(name);
    if (!place) return null;
    return (
      <a href={place.to} aria-current={current() === place ? "page" : undefined}>
        <Icon of={place} />
        {name}
      </a>
    );
  };
  return (
    <nav class="tabs" aria-label="Main, for small screens">
      {tab("Overview")}
      {tab("Jobs")}
      <button
        type="button"
        onClick={open("find")}
        // What stands here was asked for there.
        class={path.value === "/url" ? "here" : ""}
      >
        <svg class="icon-of" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.5 10.5 14 14" />
        </svg>
        Find
      </button>
      {tab("Hosts")}
      <button type="button" onClick={open("more")}>
        <Icon of={undefined} />
        More
      </button>
    </nav>
  );
}

function More() {
  return (
    <Dialog title="More" onClose={close} class="low">
      <nav class="menu" aria-label="All places">
        {ALL.map(place => (
          <Item key={place.to} place={place} onClick={close} />
        ))}
        <button type="button" class="item" onClick={turnTheme}>
          Theme: {theme.value}
        </button>
        <button type="button" class="item" onClick={logOut}>
          Log out {tame(me.value?.name ?? "", 40)}
        </button>
      </nav>
    </Dialog>
  );
}

function Keys() {
  useKey("/", "Find anything (also ⌘K, Ctrl K)", open("find"));
  useKey("?", "These keys", open("keys"));
  useKey("t", "Light or dark", turnTheme);
  useKey("j", "Next row", () => step(1));
  useKey("ArrowDown", "Next row", () => step(1));
  useKey("k", "Previous row", () => step(-1));
  useKey("ArrowUp", "Previous row", () => step(-1));
  useKey(".", "To the acts of this page", () =>
    document.querySelector<HTMLElement>("main .acts .act")?.focus(),
  );
  return (
    <>
      {ALL.map(place => (
        <GoKey key={place.to} place={place} />
      ))}
    </>
  );
}

function GoKey({ place }: { place: Place }) {
  useKey(`g ${place.key}`, place.name, () => go(place.to));
  return null;
}

const FIXED: [string, string][] = [
  ["Enter", "Open the row"],
  ["Esc", "Close what is open"],
];

function KeyHelp() {
  const shown = bindings().filter(([key]) => !key.startsWith("Arrow"));
  return (
    <Dialog title="Keys" onClose={close} class="wide">
      <h2>Keys</h2>
      <dl class="keys">
        {[...shown, ...FIXED].map(([key, what]) => (
          <div key={key}>
            <dt>
              {key.split(" ").map(each => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <div class="acts">
        <button type="button" class="act" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

/** The session ended while somebody was at work: what they wrote stays. */
function Again() {
  return (
    <Dialog title="Log in again">
      <h2>Your session has ended</h2>
      <p class="dim">Log in again to go on where you were.</p>
      <LoginForm name={me.value?.name ?? ""} />
    </Dialog>
  );
}

export function useStart() {
  useEffect(() => {
    whoAmI().catch(() => {
      me.value = {
        kind: null, name: null, role: "anonymous", jobs: null, must_choose_password: false,
        csrf_token: null,
      }; // biome-ignore format: one thought
    });
  }, []);
}
