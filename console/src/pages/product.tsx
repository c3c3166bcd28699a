// What is a product offered for, since when, and how sure are we?
import { useMemo } from "preact/hooks";
import { useAsk } from "../api";
import { Chart, type Line } from "../chart";
import { clock, count, inWords, Moment, money, percent, present, secondsOf } from "../format";
import { Block } from "../parts/block";
import { Crumbs, Fact, Facts } from "../parts/facts";
import { Meter, Tile, Tiles } from "../parts/figures";
import { Same } from "../parts/same";
import { useTitle } from "../router";
import { Address, Foreign, OpenOutside, Pill, quoted, tame } from "../words";
import type { ProductRow } from "./products";

const HOUR = 3_600;

interface WithPrices extends ProductRow {
  prices: {
    at: string;
    price: string | null;
    currency: string | null;
    regular_price?: string | null;
  }[];
}

export default function ProductPage({ id }: { id: string }) {
  const path = `/api/products/${encodeURIComponent(id)}`;
  const asked = useAsk<WithPrices>(`${path}/prices`);
  const value = asked.value;
  useTitle(value?.name || "Product", "Products");
  const first = value?.prices.find(each => each.price !== null);
  const change =
    first?.price && value?.price && first.currency === value.currency && Number(first.price)
      ? Number(value.price) / Number(first.price) - 1
      : null;
  return (
    <main id="main" class="narrow">
      <Crumbs to="/products" name="Products" here={tame(value?.name || `№ ${id}`, 60)} />
      <header class="subject">
        <h1>
          <Foreign text={value?.name || "…"} />
        </h1>
        {value && <Pill word={value.status} />}
        {value && (
          <span class="acts">
            <OpenOutside url={value.url} />
          </span>
        )}
      </header>
      <Tiles label="Offer">
        <Tile name="Price" value={value ? money(value.price, value.currency) : "–"} />
        <Tile
          name="Since the first"
          value={
            change === null
              ? "–"
              : `${change > 0 ? "+" : change < 0 ? "−" : ""}${Math.abs(100 * change).toFixed(1)} %`
          }
          more={change === null ? "" : change < 0 ? "cheaper" : change > 0 ? "dearer" : "the same"}
        />
        <Tile name="Regular" value={value ? money(value.regular_price, value.currency) : "–"} />
        <Tile name="Availability" value={tame(inWords(value?.availability ?? null), 14)} />
        <Tile
          name="Rating"
          value={value?.rating ?? "–"}
          more={value?.reviews ? `of ${count(value.reviews)}` : ""}
        />
        <Tile name="Sure" value={value ? percent(value.confidence) : "–"} />
      </Tiles>
      <Block
        title="Price history"
        asked={asked}
        tall={5}
        empty={found =>
          found.prices.length === 0
            ? "No price has been seen yet."
            : isNew(found) && onlyPrice(found)
        }
      >
        {found => <Prices found={found} />}
      </Block>
      <div class="half">
        <Block title="Facts" asked={asked} tall={6}>
          {found => (
            <Facts>
              {(
                [
                  ["Brand", found.brand],
                  ["Category", found.category],
                  ["SKU", found.sku],
                  ["MPN", found.mpn],
                  ["GTIN", found.gtin],
                ] as const
              )
                .filter(([, told]) => told)
                .map(([name, told]) => (
                  <Fact key={name} name={name}>
                    <Foreign text={told ?? ""} wrap />
                  </Fact>
                ))}
              {found.description && (
                <Fact name="Description">
                  <Foreign text={found.description} most={1_000} wrap />
                </Fact>
              )}
              <Fact name="Page">
                <Address url={found.url} wrap />
              </Fact>
              <Fact name="First seen">
                <Moment at={found.first_seen_at} />
              </Fact>
              <Fact name="Changed">
                <Moment at={found.updated_at} />
              </Fact>
              <Fact name="Last seen">
                <Moment at={found.last_seen_at} />
              </Fact>
            </Facts>
          )}
        </Block>
        <Block
          title="How sure"
          asked={asked}
          tall={6}
          hint={found => `${found.parser} ${found.parser_version}`}
        >
          {found => (
            <ul class="shapes">
              {Object.entries(found.confidences).map(([name, sure]) => (
                <li key={name}>
                  <span>{tame(name, 40)}</span>
                  <Meter share={sure} kind="plain" />
                  <span class="num">{percent(sure)}</span>
                </li>
              ))}
              {found.problems.map(problem => (
                <li key={problem}>
                  <Foreign text={problem} />
                </li>
              ))}
            </ul>
          )}
        </Block>
      </div>
      <Pictures asked={asked} />
      <Same
        command={`tenax products --prices ${value ? quoted(value.url) : "URL"}`}
        request={`GET ${path}/prices`}
      />
    </main>
  );
}

function Prices({ found }: { found: WithPrices }) {
  const { times, lines } = useMemo(() => {
    const known = found.prices.filter(each => each.price !== null);
    const last = known.at(-1);
    const at = [...known.map(each => secondsOf(each.at)), present()];
    const values = [...known, ...(last ? [last] : [])].map(each => Number(each.price));
    const drawn: Line[] = [
      {
        name: found.currency ?? "price",
        colour: "accent",
        values,
        isStepped: true,
        told: n => n.toFixed(2),
      },
    ];
    return { times: at, lines: drawn };
  }, [found]);
  return <Chart label="Price over time" times={times} lines={lines} />;
}

/** One price of this hour makes no curve: an axis of seconds would say nothing. */
const isNew = ({ prices: [first, ...more] }: WithPrices) =>
  first !== undefined && more.length === 0 && present() - secondsOf(first.at) < HOUR;

const onlyPrice = ({ prices: [first] }: WithPrices) =>
  first && `${money(first.price, first.currency)} since ${clock(first.at)}: no other price so far.`;

function Pictures({ asked }: { asked: ReturnType<typeof useAsk<WithPrices>> }) {
  const images = asked.value?.images ?? [];
  if (images.length === 0) return null;
  return (
    <Block title="Pictures" asked={asked} tall={2}>
      {found => (
        <ul class="waits two">
          {found.images.slice(0, 12).map(each => (
            <li key={each.position}>
              <Address url={each.url} />
              <span class="dim">
                <Foreign text={each.alt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Block>
  );
}
