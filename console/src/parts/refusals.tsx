// What did a job refuse at its door, and which URLs were those?
import { useSignal } from "@preact/signals";
import { useAsk } from "../api";
import { clock, count } from "../format";
import { meaning } from "../reasons";
import { addressOf } from "../router";
import type { RefusedUrls } from "../types";
import { Address, words } from "../words";
import { Body, Card } from "./block";
import { Meter } from "./figures";
import { jobAddress } from "./jobs";

export function JobRefusals({ name, counts }: { name: string; counts: Record<string, number> }) {
  const opened = useSignal("");
  // What was known already is no refusal: it would dwarf all others.
  const { known = 0, ...refused } = counts;
  const shown = Object.entries(refused).sort(([, a], [, b]) => b - a);
  const most = Math.max(1, ...shown.map(([, n]) => n));
  return (
    <Card
      title="Not taken at the door"
      hint={`by reason; click for examples${known ? ` · ${count(known)} links were known already` : ""}`}
    >
      {shown.length === 0 && <p class="nothing">Nothing was refused so far.</p>}
      <ul class="legend shapes refusals">
        {shown.map(([reason, n]) => (
          <li key={reason} class={opened.value === reason ? "open" : ""}>
            <button
              type="button"
              aria-expanded={opened.value === reason}
              onClick={() => {
                opened.value = opened.value === reason ? "" : reason;
              }}
            >
              <span>
                {words(reason)} <span class="dim small means">{meaning(reason)}</span>
              </span>
              <Meter share={n / most} kind="plain" />
              <span class="num">{count(n)}</span>
            </button>
            {opened.value === reason && <Examples name={name} reason={reason} />}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Examples({ name, reason }: { name: string; reason: string }) {
  const asked = useAsk<RefusedUrls>(
    addressOf(`/api${jobAddress(name, "/rejections")}`, { reason, limit: 20 }),
  );
  return (
    <Body
      asked={asked}
      tall={3}
      empty={found => found.items.length === 0 && "No example of it was kept."}
    >
      {found => (
        <ul class="examples">
          {[...new Map(found.items.map(each => [each.url, each])).values()].map(each => (
            <li key={each.url}>
              <a data-row href={addressOf("/url", { u: each.url, job: name })}>
                <Address url={each.url} />
              </a>
              <span class="dim num">{clock(each.at)}</span>
            </li>
          ))}
        </ul>
      )}
    </Body>
  );
}
