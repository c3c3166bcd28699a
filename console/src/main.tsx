import "./style/tokens.css";
import "./style/base.css";
import "./style/parts.css";
import "./style/pages.css";
import "./style/lists.css";
import "./style/small.css";
import { render } from "preact";
import { follow } from "./live";
import { load, matched, path } from "./router";
import { ROUTES } from "./routes";
import { Shell, useStart } from "./shell";

function Console() {
  useStart();
  return <Shell />;
}

// At once, beside the question who it is for.
const first = matched(ROUTES, path.value);
if (first) load(ROUTES, first[0]);
const app = document.getElementById("app");
if (app) render(<Console />, app);
follow();
