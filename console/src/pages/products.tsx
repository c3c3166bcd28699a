// What do shops offer? Every filter of the command line, and what changed since.
import { useList } from "../api";
import { clock, count, inWords, money } from "../format";
import { Card } from "../parts/block";
import { FilterChoice, FilterField, Filters } from "../parts/facts";
import { Same } from "../parts/same";
import { type Column, List, RowLink } from "../parts/table";
import { addressOf, filter, useTitle } from "../router";
import { Foreign, Pill } from "../words";

export interface ProductRow {
  id: number;
  url: string;
  name: string | null;
  description: string | null;
  price: string | null;
  currency: string | null;
  regular_price: string | null;
  availability: string | null;
  brand: string | null;
  category: string | null;
  sku: string | null;
  mpn: string | null;
  gtin: string | null;
  rating: number | null;
  reviews: number | null;
  images: { url: string; alt: string; position: number; digest: string }[];
  confidence: number;
  confidences: Record<string, number>;
  problems: string[];
  parser: string;
  parser_version: string;
  jobs: string[];
  status: string;
  first_seen_at: string;
  updated_at: string;
  last_seen_at: string;
  confirmed_at: string | null;
}

const COLUMNS: readonly Column<ProductRow>[] = [
  {
    head: "Name",
    phone: "title",
    cell: row => (
      <RowLink to={`/products/${row.id}`}>
        <Foreign text={row.name || "(no name)"} />
      </RowLink>
    ),
  },
  { head: "Brand", width: "14%", phone: "below", cell: row => <Foreign text={row.brand ?? ""} /> },
  {
    head: "Price",
    width: "140px",
    isRight: true,
    phone: "aside",
    cell: row => money(row.price, row.currency),
  },
  {
    head: "Regular",
    width: "110px",
    isRight: true,
    cell: row => <span class="dim">{row.regular_price ? money(row.regular_price, "") : ""}</span>,
  },
  {
    head: "Availability",
    width: "120px",
    cell: row => <Foreign text={inWords(row.availability)} most={40} />,
  },
  { head: "Status", width: "110px", phone: "state", cell: row => <Pill word={row.status} /> },
  { head: "SKU", width: "120px", cell: row => <Foreign text={row.sku ?? row.gtin ?? ""} /> },
  { head: "Changed", width: "130px", isRight: true, cell: row => clock(row.updated_at) },
];

const NAMES = [
  "q",
  "job",
  "brand",
  "category",
  "sku",
  "min_price",
  "max_price",
  "availability",
  "status",
  "cheaper",
  "changed_since",
] as const;

export default function ProductsPage() {
  useTitle("Products");
  const address = addressOf(
    "/api/products",
    Object.fromEntries(NAMES.map(name => [name, filter(name)])),
  );
  const products = useList<ProductRow>(address);
  return (
    <main id="main">
      <h1>Products</h1>
      <Filters>
        <FilterField name="q" label="Words" kind="search" size="wide" />
        <FilterField name="brand" label="Brand" />
        <FilterField name="category" label="Category" />
        <FilterField name="sku" label="SKU" size="short" />
        <FilterField name="min_price" label="From" kind="number" />
        <FilterField name="max_price" label="To" kind="number" />
        <FilterChoice
          name="availability"
          label="Availability"
          words={[
            ["", "any"],
            ["InStock", "in stock"],
            ["OutOfStock", "out of stock"],
            ["PreOrder", "pre-order"],
          ]}
        />
        <FilterChoice
          name="status"
          label="Status"
          words={[
            ["", "any"],
            ["listed", "listed"],
            ["delisted", "delisted"],
            ["unknown", "unknown"],
          ]}
        />
        <FilterChoice
          name="cheaper"
          label="Price"
          words={[
            ["", "any"],
            ["true", "cheaper than at first"],
          ]}
        />
        <FilterField name="changed_since" label="Changed since" kind="date" />
      </Filters>
      <Card title="Products" hint={products.value && `${count(products.value.length)} shown`}>
        <List
          label="Products"
          asked={products}
          columns={COLUMNS}
          keyOf={row => row.id}
          empty="No product is like that."
        />
      </Card>
      <Same command="tenax products" request={`GET ${address}`} />
    </main>
  );
}
