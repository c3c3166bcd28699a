// How does something go over time? One chart for all: its numbers at the crosshair, and as a table.
import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { clock, count, rate } from "./format";
import { theme } from "./theme";

export interface Line {
  name: string;
  /** A colour of the tokens: `accent`, `failed` … */
  colour: string;
  values: readonly (number | null)[];
  isFilled?: boolean;
  /** Holds until it changes, as prices do. */
  isStepped?: boolean;
  /** On an axis of its own, at the right. */
  isOther?: boolean;
  told?: (n: number) => string;
}

interface ChartProps {
  label: string;
  /** Seconds. */
  times: readonly number[];
  lines: readonly Line[];
  from?: number | undefined;
  until?: number | undefined;
}

/** Where the crosshair is, for all charts of the page. */
const crosshair = signal<number | null>(null);
const DAY = 86_400;

// A canvas knows nothing of light-dark(): ask a probe what it comes to.
function resolved(name: string, alpha = 1): string {
  const probe = document.createElement("i");
  probe.className = "sr";
  document.body.append(probe);
  probe.style.color =
    alpha < 1
      ? `color-mix(in oklab, var(--${name}) ${100 * alpha}%, transparent)`
      : `var(--${name})`;
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

const two = (n: number) => String(n).padStart(2, "0");

function axisTime(at: number, step: number): string {
  const when = new Date(at * 1000);
  const hours = `${two(when.getHours())}:${two(when.getMinutes())}`;
  if (step >= DAY || (step > 3600 && when.getHours() + when.getMinutes() === 0))
    return when.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  return step < 60 ? `${hours}:${two(when.getSeconds())}` : hours;
}

export function Chart({ label, times, lines, from, until }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const given = useRef({ times, lines, from, until });
  given.current = { times, lines, from, until };
  const asTable = useSignal(false);
  const shape = lines.map(line => line.name + line.colour).join();
  const shade = theme.value;
  const isTable = asTable.value;
  // Drawn anew for other lines and other colours; other numbers come below.
  useEffect(() => {
    const box = place.current;
    if (!box || isTable) return;
    const data = () =>
      [given.current.times, ...given.current.lines.map(line => line.values)] as uPlot.AlignedData;
    const axis = {
      stroke: resolved("faint"),
      font: "11px Inter Variable, sans-serif",
      ticks: { show: false },
    };
    const numbers = {
      ...axis,
      size: 46,
      values: (_: uPlot, splits: number[]) => splits.map(n => (n < 10_000 ? String(n) : count(n))),
    };
    const range = (_: uPlot, __: number, most: number | null): [number, number] => [
      0,
      Math.max(4, (most ?? 0) * 1.15),
    ];
    const drawn = new uPlot(
      {
        width: box.clientWidth,
        height: box.clientHeight,
        padding: [8, 14, 0, 0],
        legend: { show: false },
        cursor: {
          points: { size: 6 },
          y: false,
          drag: { x: false, y: false },
          sync: { key: "page", scales: ["x", null] },
        },
        scales: {
          x: {
            range: (_, least, most) => [
              given.current.from ?? least ?? 0,
              given.current.until ?? most ?? 1,
            ],
          },
          y: { range },
          other: { range },
        },
        axes: [
          {
            ...axis,
            size: 30,
            grid: { show: false },
            space: 56,
            values: (_, splits) => {
              const step = (splits[1] ?? 0) - (splits[0] ?? 0);
              return splits.map(at => axisTime(at, step));
            },
          },
          { ...numbers, grid: { stroke: resolved("line"), width: 1 } },
          ...(given.current.lines.some(line => line.isOther)
            ? [{ ...numbers, side: 1 as const, scale: "other", grid: { show: false }, size: 56 }]
            : []),
        ],
        series: [
          {},
          ...given.current.lines.map(line => ({
            label: line.name,
            scale: line.isOther ? "other" : "y",
            stroke: resolved(line.colour),
            width: 1.75,
            points: { show: false },
            ...(line.isFilled ? { fill: resolved(line.colour, 0.1) } : {}),
            ...(line.isStepped && uPlot.paths.stepped
              ? { paths: uPlot.paths.stepped({ align: 1 }) }
              : {}),
          })),
        ],
        hooks: {
          setCursor: [
            made => {
              const at = made.cursor.idx;
              crosshair.value = at === null || at === undefined ? null : (made.data[0][at] ?? null);
            },
          ],
        },
      },
      data(),
      box,
    );
    plot.current = drawn;
    const resize = new ResizeObserver(() =>
      drawn.setSize({ width: box.clientWidth, height: box.clientHeight }),
    );
    resize.observe(box);
    return () => {
      resize.disconnect();
      drawn.destroy();
      plot.current = null;
      crosshair.value = null;
    };
  }, [shape, shade, isTable]);
  useEffect(() => {
    plot.current?.setData([times, ...lines.map(line => line.values)] as uPlot.AlignedData);
  }, [times, lines]);
  return (
    <div class="chart">
      <Readings times={times} lines={lines}>
        <button
          type="button"
          class="quiet"
          aria-pressed={isTable}
          onClick={() => {
            asTable.value = !isTable;
          }}
        >
          Table
        </button>
      </Readings>
      {isTable ? (
        <Numbers label={label} times={times} lines={lines} />
      ) : (
        <div class="plot" ref={place} role="img" aria-label={label} />
      )}
    </div>
  );
}

const told = (line: Line, n: number | null | undefined) =>
  n === null || n === undefined ? "–" : (line.told ?? rate)(n);

function Readings({
  times,
  lines,
  children,
}: Pick<ChartProps, "times" | "lines"> & { children: preact.ComponentChildren }) {
  const at = crosshair.value;
  const here = at === null ? -1 : times.findIndex(time => time >= at);
  const index = here < 0 ? times.length - 1 : here;
  return (
    <div class="readings num">
      {lines.map(line => (
        <span key={line.name} class={line.colour}>
          <i class="line" /> <span class="dim">{line.name}</span> {told(line, line.values[index])}
        </span>
      ))}
      {here >= 0 && <span class="faint">{clock(times[here] ?? 0)}</span>}
      <span class="end">{children}</span>
    </div>
  );
}

const MOST_ROWS = 120;

function Numbers({ label, times, lines }: Pick<ChartProps, "label" | "times" | "lines">) {
  const every = Math.max(1, Math.ceil(times.length / MOST_ROWS));
  const rows = times.map((_, n) => n).filter(n => (times.length - 1 - n) % every === 0);
  return (
    <div class="numbers">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      <section tabIndex={0} aria-label={`${label}, as a table`}>
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Time</th>
              {lines.map(line => (
                <th key={line.name} scope="col" class="r">
                  {line.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.reverse().map(n => (
              <tr key={times[n]}>
                <td class="num">{clock(times[n] ?? 0)}</td>
                {lines.map(line => (
                  <td key={line.name} class="r num">
                    {told(line, line.values[n])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}
