// Which file shows which address? The first line that fits.
import Login from "./pages/login";
import Overview from "./pages/overview";
import type { Page, Routes } from "./router";

type Others = typeof import("./pages/others");

/** Over a slow line a file costs more by being one than by its size: the overview comes with what is
 * around it, and all other pages together. */
const other = (name: keyof Others) => async (): Promise<Page> => ({
  default: (await import("./pages/others"))[name],
});

export const ROUTES: Routes = [
  ["/", async () => ({ default: Overview })],
  ["/jobs", other("jobs")],
  ["/jobs/new", other("jobNew")],
  ["/jobs/:name", other("job")],
  ["/url", other("url")],
  ["/login", async () => ({ default: Login })],
  ["/frontier", other("frontier")],
  ["/hosts", other("hosts")],
  ["/hosts/:name", other("host")],
  ["/pages", other("pages")],
  ["/pages/:hash", other("page")],
  ["/products", other("products")],
  ["/products/:id", other("product")],
  ["/records", other("records")],
  ["/records/:id", other("record")],
  ["/dead", other("dead")],
  ["/alerts", other("alerts")],
  ["/workers", other("workers")],
  ["/proxies", other("proxies")],
  ["/sites", other("sites")],
  ["/settings", other("settings")],
];
