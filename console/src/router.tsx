// Which page does the address name? The address is all the state there is: pages read their filters
// from it, and change them by going to another one.
import { computed, signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { tame } from "./words";

export interface Page {
  // biome-ignore lint/suspicious/noExplicitAny: each page names its own parts of the address
  default: ComponentType<any>;
}
export type Routes = readonly (readonly [pattern: string, load: () => Promise<Page>])[];
type Parts = Record<string, string>;

const here = signal(location.pathname + location.search);
export const path = computed(() => here.value.split("?", 1)[0] ?? "/");
export const query = computed(() => new URLSearchParams(here.value.slice(path.value.length)));

/** One filter of the address; empty when it is not there. */
export const filter = (name: string) => query.value.get(name) ?? "";

/** The address of this page with other filters: those that are empty leave it. */
export function filtered(changes: Record<string, string | null | undefined>): string {
  const wanted = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value) wanted.set(name, value);
    else wanted.delete(name);
  }
  return addressOf(path.value, wanted);
}

/** A path with those of the filters that say something. */
export function addressOf(
  to: string,
  filters: URLSearchParams | Record<string, string | number | null | undefined>,
): string {
  const given = filters instanceof URLSearchParams ? [...filters] : Object.entries(filters);
  const said = given.filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const text = new URLSearchParams(said.map(([name, value]) => [name, String(value)])).toString();
  return text ? `${to}?${text}` : to;
}

export function go(to: string, how: "push" | "replace" = "push") {
  if (to === here.value) return;
  if (how === "push") {
    history.replaceState({ scroll: scrollY }, "");
    history.pushState(null, "", to);
    scrollTo(0, 0);
  } else {
    history.replaceState(history.state, "", to);
  }
  here.value = location.pathname + location.search;
}

addEventListener("popstate", event => {
  here.value = location.pathname + location.search;
  const scroll: unknown = event.state?.scroll;
  // After what was kept is shown again.
  if (typeof scroll === "number") setTimeout(() => scrollTo(0, scroll), 60);
});
addEventListener("click", event => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || link.origin !== location.origin || link.target || link.hasAttribute("download"))
    return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button || link.hash) return;
  event.preventDefault();
  go(link.pathname + link.search);
});

const loaded = signal<ReadonlyMap<string, Page["default"]>>(new Map());
const failed = signal("");

/** The route of an address, and what its parts are. */
export function matched(routes: Routes, at: string): [pattern: string, parts: Parts] | null {
  for (const [pattern] of routes) {
    const found = new RegExp(`^${pattern.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`).exec(at);
    if (!found) continue;
    try {
      const parts = Object.entries(found.groups ?? {});
      return [pattern, Object.fromEntries(parts.map(([k, v]) => [k, decodeURIComponent(v)]))];
    } catch {
      return null;
    }
  }
  return null;
}

export function load(routes: Routes, pattern: string) {
  const route = routes.find(([other]) => other === pattern);
  if (!route || loaded.peek().has(pattern)) return;
  route[1]().then(
    page => {
      failed.value = "";
      loaded.value = new Map(loaded.peek()).set(pattern, page.default);
    },
    () => {
      failed.value = pattern;
    },
  );
}

export function Router({ routes }: { routes: Routes }) {
  const found = matched(routes, path.value);
  const pattern = found?.[0] ?? "";
  useEffect(() => {
    if (pattern) load(routes, pattern);
  }, [routes, pattern]);
  if (!found)
    return (
      <main id="main">
        <h1>There is no such page</h1>
        <p class="dim">
          Nothing of the console is at this address.{" "}
          <a class="link" href="/">
            To the overview
          </a>
        </p>
      </main>
    );
  const Shown = loaded.value.get(pattern);
  if (Shown) return <Shown key={path.value} {...found[1]} />;
  if (failed.value === pattern)
    return (
      <main id="main">
        <h1>This page could not be loaded</h1>
        <p class="dim">The server is away, or was renewed meanwhile.</p>
        <p>
          <button type="button" class="act" onClick={() => location.reload()}>
            Load again
          </button>
        </p>
      </main>
    );
  return <main id="main" aria-busy="true" />;
}

/** What the window is called, and where a screen reader begins. */
export function useTitle(...parts: string[]) {
  const title = [...parts, "Tenax"].map(part => tame(part, 60)).join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
}
