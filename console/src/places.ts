// What is there to go to? A page is one line here, one in routes.ts, and one file in pages/.
export interface Place {
  name: string;
  to: string;
  /** Behind `g`. */
  key: string;
  /** A path in a square of 16. */
  icon: string;
  /** Whose number stands beside it. */
  badge?: "dead_letters" | "alerts";
  /** Addresses below it belong to it, too. */
  also?: string[];
}

export const PLACES: readonly (readonly [group: string, places: readonly Place[]])[] = [
  [
    "",
    [
      { name: "Overview", to: "/", key: "o", icon: "M2 9h3l2-5 3 8 2-3h2" },
      { name: "Jobs", to: "/jobs", key: "j", icon: "M4 3v10l8-5z" },
      { name: "Frontier", to: "/frontier", key: "f", icon: "M2 4h12M2 8h9M2 12h6" },
      { name: "Hosts", to: "/hosts", key: "h", icon: "M2 3h12v4H2zM2 9h12v4H2zM5 5h.01M5 11h.01" },
      {
        name: "Pages",
        to: "/pages",
        key: "p",
        icon: "M4 2h6l3 3v9H4zM10 2v3h3",
        also: ["/url"],
      },
      { name: "Products", to: "/products", key: "r", icon: "M2 8l6-6h6v6l-6 6zM11 5h.01" },
      { name: "Records", to: "/records", key: "e", icon: "M3 2h10v12H3zM6 5h4M6 8h4M6 11h2" },
    ],
  ],
  [
    "Trouble",
    [
      {
        name: "Dead letters",
        to: "/dead",
        key: "d",
        icon: "M2 4h12v9H2zM2 4l6 5 6-5",
        badge: "dead_letters",
      },
      {
        name: "Alerts",
        to: "/alerts",
        key: "a",
        icon: "M8 2l6 11H2zM8 6v4M8 12h.01",
        badge: "alerts",
      },
    ],
  ],
  [
    "Fleet",
    [
      {
        name: "Workers",
        to: "/workers",
        key: "w",
        icon: "M3 13v-2a5 5 0 0 1 10 0v2M8 2a2 2 0 1 1 0 4 2 2 0 0 1 0-4",
      },
      { name: "Proxies", to: "/proxies", key: "x", icon: "M2 8h5M9 8h5M7 5v6M9 5v6" },
      {
        name: "Sites",
        to: "/sites",
        key: "i",
        icon: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M2 8h12M8 2v12",
      },
      {
        name: "Settings",
        to: "/settings",
        key: "s",
        icon: "M2 5h8M12 5h2M2 11h2M6 11h8M11 3.5v3M5 9.5v3",
      },
    ],
  ],
];

export const NAMED = new Map(PLACES.flatMap(([, places]) => places).map(each => [each.name, each]));
