// The view of every API beside the others, as `quiff compare` has it; a name leads to its design.
import { announce, ask, find, make, problem } from "./dom.js";
import * as column from "./column.js";
import { forget } from "./figures.js";
import { section } from "./sections.js";
import { compareQuery, state, writeAddress } from "./state.js";

let open, plots = [], latest;

export function build(_, show) { open = show; }
export function show() {}

export async function refresh() {
  latest?.abort();
  const query = compareQuery(), mine = (latest = new AbortController());
  try {
    const answer = await ask(`api/compare?${query}`, mine.signal);
    problem();
    column.fail();
    forget(plots);
    plots = [];
    const made = section(answer, query, plots);
    for (const row of made.querySelectorAll("tbody tr")) link(row, answer.apis);
    find("compared").replaceChildren(made);
    find("compare").dataset.answered = query;
    announce(`${Object.keys(answer.apis).length} APIs`);
  } catch (error) {
    if (error.name === "AbortError" || state.view !== "compare") return;
    problem(column.fail(error) ? "" : error.message);
    find("compared").replaceChildren();
  }
}

// The cell that names an API becomes a button; the two designs are marked.
function link(row, apis) {
  for (const cell of row.cells) {
    const spec = apis[cell.textContent];
    if (spec === undefined) continue;
    const go = make("button", { type: "button", class: "link" }, cell.textContent);
    go.addEventListener("click", () => { state.api = spec; state.view = "design"; writeAddress(true); open(); });
    cell.replaceChildren(go);
    row.className = spec === state.api ? "first" : state.second === "1" && spec === state.api2 ? "second" : "";
  }
}
