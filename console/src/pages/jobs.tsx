// Which jobs are there, and how far is each?
import { isAdmin, useList } from "../api";
import { about, clock, count, percent, rate } from "../format";
import { useKey } from "../keys";
import { running } from "../live";
import { Card } from "../parts/block";
import { Stack } from "../parts/figures";
import { jobAddress, reach } from "../parts/jobs";
import { Same } from "../parts/same";
import { type Column, List, RowLink } from "../parts/table";
import { filter, filtered, go, useTitle } from "../router";
import type { Job } from "../types";
import { Foreign, Pill } from "../words";

const STATES = ["running", "paused", "stopped", "done"];

const COLUMNS: readonly Column<Job>[] = [
  { head: "State", width: "108px", phone: "state", cell: job => <Pill word={job.state} /> },
  {
    head: "Name",
    phone: "title",
    cell: job => (
      <RowLink to={jobAddress(job.job)}>
        <Foreign text={job.job} />
      </RowLink>
    ),
  },
  {
    head: "Progress",
    width: "24%",
    phone: "below",
    cell: job => (
      <span class="progress-cell">
        <Stack states={job.states} deferred={job.deferred} />
        <span class="num">{percent(reach(job).share)}</span>
      </span>
    ),
  },
  { head: "Stored", width: "100px", isRight: true, cell: job => count(job.pages) },
  { head: "Left", width: "100px", isRight: true, cell: job => count(job.pending) },
  {
    head: "Visits/s",
    width: "84px",
    isRight: true,
    cell: job => (job.visits_per_second === null ? "–" : rate(job.visits_per_second)),
  },
  {
    head: "Time left",
    width: "92px",
    phone: "aside",
    isRight: true,
    cell: job => (job.seconds_left ? about(job.seconds_left) : "–"),
  },
  {
    head: "Next run",
    width: "124px",
    isRight: true,
    cell: job => (job.next_run_at ? clock(job.next_run_at) : "–"),
  },
];

export default function Jobs() {
  useTitle("Jobs");
  useKey("n", "New job", () => isAdmin.value && go("/jobs/new"));
  const only = filter("state");
  const asked = useList<Job>("/api/jobs?limit=200", 10);
  // Those that run are told of all the time; what ended or began meanwhile comes with the next answer.
  const live = new Map(running.value?.map(job => [job.job, job]));
  const all = asked.value?.map(job => live.get(job.job) ?? job) ?? [];
  const shown = { ...asked, value: asked.value && all.filter(job => !only || job.state === only) };
  return (
    <main id="main">
      <div class="title">
        <h1>Jobs</h1>
        <nav class="chips" aria-label="By state">
          <a href={filtered({ state: null })} aria-current={only ? undefined : "true"}>
            all <span class="num">{asked.value ? count(all.length) : ""}</span>
          </a>
          {STATES.map(state => (
            <a
              key={state}
              href={filtered({ state })}
              aria-current={only === state ? "true" : undefined}
            >
              {state}{" "}
              <span class="num">{count(all.filter(job => job.state === state).length)}</span>
            </a>
          ))}
        </nav>
        {isAdmin.value && (
          <span class="acts">
            <a class="act strong" href="/jobs/new">
              New job
            </a>
          </span>
        )}
      </div>
      <Card title="Jobs" class="headless">
        <List
          label="Jobs"
          asked={shown}
          columns={COLUMNS}
          keyOf={job => job.job}
          empty={
            only ? (
              `No job is ${only}.`
            ) : isAdmin.value ? (
              <>
                No job yet.{" "}
                <a class="link" href="/jobs/new">
                  Create one
                </a>
                , or run <code>tenax crawl URL</code>.
              </>
            ) : (
              "No job yet. An admin creates them."
            )
          }
        />
      </Card>
      <Same command="tenax jobs" request="GET /api/jobs" />
    </main>
  );
}
