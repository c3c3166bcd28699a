// What would a new job take? Three blocks to fill in, and the door's answer beside them.
import { useSignal } from "@preact/signals";
import { call, forget, isAdmin, problemOf } from "../api";
import { Card } from "../parts/block";
import { jobAddress } from "../parts/jobs";
import { tell } from "../parts/notice";
import { Same } from "../parts/same";
import {
  bodyOf,
  DoorPreview,
  NO_WISHES,
  ScopeField,
  type Wishes,
  WishField,
} from "../parts/wishes";
import { filter, go, useTitle } from "../router";
import { quoted, tame } from "../words";

interface Created {
  job: string;
  refused: { url: string; reason: string }[];
}

export default function NewJob() {
  useTitle("New job");
  const wishes = useSignal<Wishes>({ ...NO_WISHES, seeds: filter("seed") });
  const name = useSignal(filter("name"));
  const problem = useSignal("");
  const isBusy = useSignal(false);
  if (!isAdmin.value)
    return (
      <main id="main">
        <h1>New job</h1>
        <p class="dim">Jobs are created by admins; you are a user.</p>
        <Same command="tenax jobs create NAME URL" request="POST /api/jobs" />
      </main>
    );
  const chosen = name.value.trim() || suggested(wishes.value.seeds);
  const create = async (start: boolean) => {
    isBusy.value = true;
    problem.value = "";
    try {
      const body = { ...bodyOf(wishes.value), name: chosen, start };
      const made = await call<Created>("POST", "/api/jobs", body);
      forget();
      const refused = made.refused.length;
      tell(refused ? `Created. ${refused} of its seeds were refused.` : "Created.", refused > 0);
      go(jobAddress(made.job));
    } catch (error) {
      problem.value = problemOf(error, "").detail;
    }
    isBusy.value = false;
  };
  return (
    <main id="main" class="narrow">
      <nav class="crumbs" aria-label="Where this is">
        <a href="/">Overview</a> / <a href="/jobs">Jobs</a> / New
      </nav>
      <header class="subject">
        <h1>New job</h1>
      </header>
      <div class="half new-job">
        <form
          class="side"
          onSubmit={event => {
            event.preventDefault();
            create(true);
          }}
        >
          <Card title="Where">
            <div class="form pad">
              <WishField
                wishes={wishes}
                name="seeds"
                label="Seeds, one a line"
                hint="https://shop.example/"
                rows={3}
                isMono
              />
              <WishField
                wishes={wishes}
                name="sitemaps"
                label="Sitemaps, if links do not lead everywhere"
                rows={1}
                isMono
              />
              <label>
                <span>Name</span>
                <input
                  class="field"
                  name="name"
                  placeholder={suggested(wishes.value.seeds) || "news"}
                  value={name.value}
                  autocomplete="off"
                  onInput={event => {
                    name.value = event.currentTarget.value;
                  }}
                />
              </label>
            </div>
          </Card>
          <Card title="How far">
            <div class="form pad">
              <ScopeField wishes={wishes} />
              <div class="half tight">
                <WishField
                  wishes={wishes}
                  name="include"
                  label="Only these, one a line"
                  hint="*/product/*"
                  rows={2}
                  isMono
                />
                <WishField
                  wishes={wishes}
                  name="exclude"
                  label="Not these"
                  hint="*calendar*"
                  rows={2}
                  isMono
                />
              </div>
              <div class="half tight">
                <WishField wishes={wishes} name="max_pages" label="Pages at most" isNumber />
                <WishField
                  wishes={wishes}
                  name="max_depth"
                  label="Links from a seed at most"
                  isNumber
                  hint="10"
                />
              </div>
            </div>
          </Card>
          <Card title="When">
            <div class="form pad half tight">
              <WishField
                wishes={wishes}
                name="schedule"
                label="All of it again"
                hint="every 6h, @daily, 30 3 * * mon-fri"
              />
              <WishField
                wishes={wishes}
                name="recrawl"
                label="Each page again, at the latest after"
                hint="7d"
              />
            </div>
          </Card>
          {problem.value && (
            <p class="failed" role="alert">
              {problem.value}
            </p>
          )}
          <div class="acts">
            <button
              type="button"
              class="act"
              disabled={isBusy.value || !chosen}
              onClick={() => create(false)}
            >
              Create
            </button>
            <button type="submit" class="act strong" disabled={isBusy.value || !chosen}>
              Create and start
            </button>
          </div>
        </form>
        <DoorPreview wishes={wishes} />
      </div>
      <Same
        command={command(wishes.value, chosen)}
        request="POST /api/jobs/preview, then POST /api/jobs"
      />
    </main>
  );
}

/** The name of the first seed's host, as a job's. */
function suggested(seeds: string): string {
  const first = seeds.trim().split(/\s+/)[0] ?? "";
  const host = /^(?:https?:\/\/)?(?:www\.)?([^/?#\s]+)/i.exec(first)?.[1] ?? "";
  return tame(host, 60);
}

function command(wishes: Wishes, name: string): string {
  const body = bodyOf(wishes) as Record<string, string[] | string | number>;
  const several = (option: string, values: unknown) =>
    (values as string[]).flatMap(value => [option, quoted(value)]);
  const one = (option: string, value: unknown) =>
    value === undefined || value === "" ? [] : [option, quoted(String(value))];
  return [
    "tenax jobs create",
    quoted(name || "NAME"),
    ...(body.seeds as string[]).map(quoted),
    ...several("--sitemap", body.sitemaps),
    ...(wishes.scope === "host" ? [] : ["--scope", wishes.scope]),
    ...several("--include", body.include),
    ...several("--exclude", body.exclude),
    ...one("--max-pages", body.max_pages),
    ...one("--max-depth", body.max_depth),
    ...one("--recrawl", wishes.recrawl),
    ...one("--schedule", wishes.schedule),
    "--start",
  ].join(" ");
}
