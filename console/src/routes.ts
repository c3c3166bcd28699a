// Which file shows which address? The first line that fits.
import type { Routes } from "./router";

export const ROUTES: Routes = [
  ["/", () => import("./pages/overview")],
  ["/jobs", () => import("./pages/jobs")],
  ["/jobs/new", () => import("./pages/job-new")],
  ["/jobs/:name", () => import("./pages/job")],
  ["/url", () => import("./pages/url")],
  ["/login", () => import("./pages/login")],
  ["/frontier", () => import("./pages/frontier")],
  ["/hosts", () => import("./pages/hosts")],
  ["/hosts/:name", () => import("./pages/host")],
  ["/pages", () => import("./pages/pages")],
  ["/pages/:hash", () => import("./pages/page")],
  ["/products", () => import("./pages/products")],
  ["/products/:id", () => import("./pages/product")],
  ["/records", () => import("./pages/records")],
  ["/records/:id", () => import("./pages/record")],
  ["/dead", () => import("./pages/dead")],
  ["/alerts", () => import("./pages/alerts")],
  ["/workers", () => import("./pages/workers")],
  ["/proxies", () => import("./pages/proxies")],
  ["/sites", () => import("./pages/sites")],
  ["/settings", () => import("./pages/settings")],
];
