// Which hosts have to be left alone, and until when?
import { SELDOM, useAsk } from "../api";
import { clock } from "../format";
import { now } from "../live";
import type { HostRow, Listed } from "../types";
import { Foreign, Pill, tame, words } from "../words";
import { Block } from "./block";

export const hostAddress = (name: string) => `/hosts/${encodeURIComponent(name)}`;

export const HostLink = ({ name }: { name: string }) => (
  <a class="link" href={hostAddress(name)}>
    <Foreign text={name} />
  </a>
);

/** What is over by now stays on record for a while: it is no trouble any more. */
const troubled = (found: Listed<HostRow>) =>
  found.items.filter(each => each.standing.word !== "ok").slice(0, 6);

export function HostsInTrouble() {
  const asked = useAsk<Listed<HostRow>>(
    "/api/domains?trouble=true&limit=20",
    SELDOM,
    now.value?.hosts_mark,
  );
  return (
    <Block
      title="Hosts in trouble"
      asked={asked}
      tall={3}
      hint={
        <a class="link" href="/hosts?standing=trouble">
          All
        </a>
      }
      empty={found => troubled(found).length === 0 && "None: every host may be asked."}
    >
      {found => (
        <ul class="waits">
          {troubled(found).map(each => (
            <li key={each.host.name}>
              <HostLink name={each.host.name} />
              <span class="num dim">{each.standing.until ? clock(each.standing.until) : ""}</span>
              <span class="why">
                <Pill word={each.standing.word}>{each.standing.says}</Pill>{" "}
                <span class="dim">{tame(words(each.standing.because ?? ""), 120)}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Block>
  );
}
