// Who works, on what, and which step is it in?
import type { ComponentChildren } from "preact";
import { useAsk } from "../api";
import { clock, count, Moment, plural, relative } from "../format";
import { Block, Card } from "../parts/block";
import { HostLink } from "../parts/hosts";
import { Same } from "../parts/same";
import { addressOf, useTitle } from "../router";
import { Address, Pill, tame } from "../words";

interface Worker {
  name: string;
  pid: number;
  started_at: string;
  seen_at: string;
  hosts: number;
  is_active: boolean;
  machine?: string;
  role?: string;
  version?: string;
  held?: { host: string; lease_ends_at: string; slots: number }[];
  under_way: {
    at: string;
    steps: Record<string, number>;
    visits: { url: string; host: string; step: string; since: string }[];
  } | null;
}

export default function WorkersPage() {
  useTitle("Workers");
  const workers = useAsk<{ items: Worker[] }>("/api/workers", 5);
  return (
    <main id="main" class="narrow">
      <h1>Workers</h1>
      {workers.value?.items.length ? (
        workers.value.items.map(worker => <One key={worker.name} worker={worker} />)
      ) : (
        <Block
          title="Workers"
          asked={workers}
          empty={() =>
            "Nobody works. Start one: tenax worker, or tenax serve without --no-workers."
          }
        >
          {() => null}
        </Block>
      )}
      <Same command="tenax doctor" request="GET /api/workers" />
    </main>
  );
}

const About = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

function One({ worker }: { worker: Worker }) {
  const steps = Object.entries(worker.under_way?.steps ?? {});
  const visits = worker.under_way?.visits ?? [];
  return (
    <Card
      title={worker.name}
      hint={<Pill word={worker.is_active ? "active" : "silent"} />}
      class="worker"
    >
      <dl class="facts across">
        <About name="Process">
          {[worker.role, worker.version].filter(Boolean).join(" ") || "–"}
        </About>
        <About name="Machine">
          {worker.machine ? `${tame(worker.machine, 60)}, pid ${worker.pid}` : `pid ${worker.pid}`}
        </About>
        <About name="Since">
          <Moment at={worker.started_at} />
        </About>
        <About name="Heard of">
          <Moment at={worker.seen_at} only="far" />
        </About>
        <About name="In hand">
          {plural(worker.hosts, "host")}
          {steps.length > 0 && `: ${steps.map(([step, n]) => `${count(n)} in ${step}`).join(", ")}`}
        </About>
      </dl>
      <div class="half tight">
        <div>
          <h3 class="pad">Hosts in hand</h3>
          {!worker.held?.length && <p class="nothing">None now.</p>}
          <ul class="waits">
            {worker.held?.slice(0, 8).map(each => (
              <li key={each.host}>
                <HostLink name={each.host} />
                <span class="num dim">lease ends {clock(each.lease_ends_at)}</span>
              </li>
            ))}
          </ul>
        </div>
        <div>
          <h3 class="pad">Under way</h3>
          {visits.length === 0 && <p class="nothing">Nothing now.</p>}
          <ul class="waits">
            {visits.slice(0, 8).map(each => (
              <li key={each.url + each.since}>
                <a class="foreign" href={addressOf("/url", { u: each.url })}>
                  <Address url={each.url} />
                </a>
                <span class="num dim">
                  {tame(each.step, 40)}, {relative(each.since)}
                </span>
              </li>
            ))}
          </ul>
        </div>
      </div>
    </Card>
  );
}
