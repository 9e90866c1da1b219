// The view of every API beside the others: a row each, with its capacity as a point on one axis.
import { announce, ask, downloads, find, make, problem } from "./dom.js";
import { shape } from "./picture.js";
import * as column from "./column.js";
import { compareQuery, state, writeAddress } from "./state.js";

const FARTHEST = 1e7, TICKS = [1, 10, 100, 1000, 10000, 100000, 1000000];
let asking, again, open;

export function build(_, show) { open = show; }
export function show() {}

export async function refresh() {
  if (asking) { again = true; return; }
  asking = true;
  const query = compareQuery();
  try {
    const answer = await ask(`api/compare?${query}`);
    problem();
    column.fail();
    present(answer, query);
  } catch (error) {
    if (state.view === "compare") {
      problem(column.fail(error) ? "" : error.message);
      find("compared").replaceChildren();
    }
  }
  asking = false;
  if (again) { again = false; refresh(); }
}

function present(rows, query) {
  const parts = [["Who the person is: the observer does not know", false], ["What a person did: the observer knows who it is", true]];
  const body = parts.flatMap(([title, known]) => [
    make("tr", { class: "part" }, make("th", { colspan: 4, scope: "rowgroup" }, title)),
    ...rows.filter((row) => row.known === known).map(line),
  ]);
  const head = [["API, and what one observation is about"], ["multiplies a probability by, at most", "number"], [`re-identified among ${Number(state.users).toLocaleString("en")}`, "number"]]
    .map(([text, kind]) => make("th", { scope: "col", class: kind }, text));
  head.splice(1, 0, make("td", { class: "point" }, scale()));
  find("compared").replaceChildren(
    make("div", { class: "wide", role: "region", tabindex: 0, "aria-label": "Every API" }, make("table", { class: "compared" },
      make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body))),
    downloads("the comparison", [["CSV", `download/compare.csv?${query}`]]));
  find("compare").dataset.answered = query;
  announce(`${rows.length} APIs`);
}

function line({ spec, title, set, unit, status, capacity, factor, among }) {
  const go = make("button", { type: "button", class: "link" }, title);
  go.addEventListener("click", () => { state.api = spec; state.view = "design"; writeAddress(true); open(); });
  const kind = spec === state.api ? "first" : state.second === "1" && spec === state.api2 ? "second" : "other";
  return make("tr", { class: kind },
    make("th", { scope: "row" }, go, make("small", {}, ` ${[set, unit, status].filter(Boolean).join("; ")}`)),
    make("td", { class: "point" }, point(capacity, kind)), make("td", { class: "number" }, factor.replace("at most ", "")), make("td", { class: "number" }, among));
}

const at = (value) => 6 + (228 * Math.log10(value)) / 7;

// The numbers above the strips.
function scale() {
  const texts = [[1, "start", "1"], [1000, "middle", "1,000"], [1000000, "middle", "1,000,000"]];
  return shape("svg", { viewBox: "0 0 240 16", class: "strip", "aria-hidden": "true" },
    ...texts.map(([value, side, text]) => shape("text", { x: at(value) - (side === "start" ? 3 : 0), y: 12, "text-anchor": side }, text)));
}

function point(capacity, kind) {
  const svg = shape("svg", { viewBox: "0 0 240 16", class: "strip", "aria-hidden": "true" },
    ...TICKS.map((value) => shape("line", { x1: at(value), x2: at(value), y1: 0, y2: 16, class: "grid" })));
  if (capacity === null) return svg;
  const value = capacity === "inf" ? FARTHEST : Math.min(FARTHEST, capacity);
  svg.append(shape("line", { x1: at(1), x2: at(value), y1: 8, y2: 8, class: `range ${kind}` }));
  svg.append(capacity === "inf" ? shape("path", { d: "M231 2l7 6l-7 6z", class: `spot ${kind}` }) : shape("circle", { cx: at(value), cy: 8, r: 5, class: `spot ${kind}` }));
  return svg;
}
