// How does a list look? A table whose rows are one link each; on a phone two lines a row.
import type { ComponentChildren } from "preact";
import type { AskedList } from "../api";
import { count } from "../format";
import { Body, Old } from "./block";

export interface Column<T> {
  head: string;
  cell: (row: T) => ComponentChildren;
  /** CSS width; what is left is shared by those without. */
  width?: string;
  /** Where it stands on a phone; nowhere when it is not named. */
  phone?: "title" | "state" | "below" | "aside" | "act" | "pick";
  isRight?: boolean;
}

interface TableProps<T> {
  label: string;
  rows: readonly T[];
  columns: readonly Column<T>[];
  keyOf: (row: T) => string | number;
  /** Rows that somebody chose, by their keys. */
  chosen?: ReadonlySet<string | number>;
}

export function Table<T>({ label, rows, columns, keyOf, chosen }: TableProps<T>) {
  return (
    <table
      aria-label={label}
      class={columns.some(column => column.phone === "pick") ? "picking" : undefined}
    >
      <colgroup>
        {columns.map(column => (
          <col key={column.head} style={column.width ? { width: column.width } : {}} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {columns.map(column => (
            <th key={column.head} scope="col" class={column.isRight ? "r" : ""}>
              {column.head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={keyOf(row)} aria-selected={chosen ? chosen.has(keyOf(row)) : undefined}>
            {columns.map(column => (
              <td
                key={column.head}
                class={`on-${column.phone ?? "desk"}${column.isRight ? " r num" : ""}`}
              >
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A cell that says nothing: a dash among others, no line of its own on a phone. */
export const Nothing = () => <span class="desk-only">–</span>;

/** The link that a row is: `j` and `k` go from one to the next. */
export const RowLink = ({ to, children }: { to: string; children: ComponentChildren }) => (
  <a class="row-link" data-row href={to}>
    {children}
  </a>
);

interface ListProps<T> extends Omit<TableProps<T>, "rows"> {
  asked: AskedList<T>;
  empty: ComponentChildren;
  tall?: number;
}

/** A table that goes on at its end. */
export function List<T>({ asked, empty, tall = 8, ...table }: ListProps<T>) {
  return (
    <Body asked={asked} tall={tall} empty={rows => rows.length === 0 && !asked.hasMore && empty}>
      {rows => (
        <>
          {asked.problem && (
            <p class="pad small">
              <Old asked={asked} />
            </p>
          )}
          {rows.length > 0 && <Table {...table} rows={rows} />}
          <More asked={asked} shown={rows.length} />
        </>
      )}
    </Body>
  );
}

function More<T>({ asked, shown }: { asked: AskedList<T>; shown: number }) {
  if (!asked.hasMore) return null;
  const told = shown === 0 ? "Looked at many, found none yet." : `${count(shown)} shown.`;
  return (
    <p class="more">
      <span class="dim">{told}</span>{" "}
      <button type="button" class="act" disabled={asked.isBusy} onClick={asked.more}>
        {asked.isBusy ? "Loading …" : shown === 0 ? "Go on" : "Load more"}
      </button>
    </p>
  );
}
