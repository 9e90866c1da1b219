// The view of one API or two by closed forms: sentences, figures, numbers.
import { announce, ask, downloads, find, make, problem, table } from "./dom.js";
import { chooser } from "./apis.js";
import { check, group, number, powers } from "./controls.js";
import { draw, forget, update } from "./figures.js";
import { section } from "./sections.js";
import { designQuery, state, writeAddress } from "./state.js";

let controls, asking, again, plots = {}, studied, drawn = [];

export function build(settings) {
  const { bounds } = settings;
  const api = (key, title, kind) => chooser({
    key, title, kind, settings, get: () => state[key],
    set: (spec, step = false) => { state[key] = spec; writeAddress(step); refresh(); },
  });
  const first = api("api", "First API", "first"), second = api("api2", "Second API", "second");
  const compare = check({ name: "second", label: "Compare with a second API", change: () => { show(); writeAddress(true); refresh(); } });
  const [least, most] = bounds.users;
  const users = number({ name: "users", label: "People (N)", min: least, max: most, scale: { ...powers(10, most), limit: most }, change: changed });
  const observations = number({ name: "observations", label: "Observations of one person", min: 1, max: 30, scale: { limit: bounds.observations[1] }, change: changed });
  controls = { second, all: [first, second, compare, users, observations] };
  find("design-studies").addEventListener("toggle", studies);
  find("design-controls").append(first.element, group("The situation", "", users, observations, compare), second.element);
}

function changed() {
  writeAddress();
  refresh();
}

export function show() {
  for (const control of controls.all) control.show();
  controls.second.element.hidden = state.second !== "1";
}

// One question at a time: what is set meanwhile is asked for when the answer is there.
export async function refresh() {
  if (asking) { again = true; return; }
  asking = true;
  const query = designQuery();
  try {
    const answer = await ask(`api/design?${query}`);
    problem();
    present(answer, query);
  } catch (error) {
    if (state.view === "design") problem(error.message);
  }
  asking = false;
  if (again) { again = false; refresh(); }
}

function present(answer, query) {
  find("design-sentences").replaceChildren(...answer.sentences.map((text) => make("p", {}, text)));
  figures(answer, query);
  find("cards").replaceChildren(...answer.cards.map(card));
  find("cards").classList.toggle("two", answer.specs.length > 1);
  find("closed-forms").replaceChildren(...(answer.table.rows.length
    ? [table(answer.table, { wide: "forms" }), downloads("all closed forms", [["CSV", `download/design-table.csv?${query}`]])] : []));
  find("more-numbers").hidden = !answer.table.rows.length;
  find("design").dataset.answered = query;
  studies();
  announce([...answer.sentences, ...answer.cards.map(({ title, texts }) => `${title}: ${texts[0]}`)].join(" "));
}

// The studies take longer than a slider waits: they are asked for while they are open, when all has settled.
let waiting;
function studies() {
  clearTimeout(waiting);
  if (find("design-studies").open) waiting = setTimeout(study, 300);
}

async function study() {
  const query = designQuery();
  if (studied === query) return;
  try {
    const answer = await ask(`api/studies?${query}`);
    if (query !== designQuery()) return;
    forget(drawn);
    drawn = [];
    studied = query;
    const made = answer.map((each) => section(each, "design", query, drawn));
    find("studies").replaceChildren(...(made.length ? made : [make("p", {}, "There is none of this API.")]));
  } catch (error) {
    problem(error.message);
  }
}

function card({ key, title, value, texts, unit, meaning, formula, source }) {
  const [first, second] = texts;
  const shown = make("data", { id: `card-${key}`, value }, first || "not known");
  const other = second === undefined ? null : make("p", { class: "second" }, `second: ${second || "not known"}`);
  const about = `${meaning[0].toUpperCase()}${meaning.slice(1)}.`;
  return make("article", { class: "card" }, make("h2", {}, title[0].toUpperCase() + title.slice(1)),
    make("p", { class: "value" }, shown, " ", make("small", {}, unit)), other,
    make("details", {}, make("summary", {}, "What it is"), make("p", {}, about), make("p", { class: "source" }, make("code", {}, formula), ` (${source})`)));
}

// A figure that only has new data is not made anew, so that it follows a slider.
function figures(answer, query) {
  const place = find("design-figures");
  for (const name of Object.keys(plots)) {
    if (name in answer.figures) continue;
    forget([plots[name].plot]);
    plots[name].element.remove();
    delete plots[name];
  }
  for (const [name, spec] of Object.entries(answer.figures)) {
    const { datasets, ...rest } = spec, form = JSON.stringify(rest);
    if (!plots[name]) {
      const plot = make("div", { class: "plot", role: "img" }), links = make("div"), caption = make("figcaption");
      plots[name] = { plot, links, caption, element: make("figure", {}, caption, plot, links) };
      place.append(plots[name].element);
    }
    const { plot, links, caption } = plots[name];
    caption.textContent = spec.title.text;
    const marks = datasets.marks.map(({ design, x, y }) => `${design}: ${y.toPrecision(3)} at ${x}`);
    plot.setAttribute("aria-label", `${spec.title.text}. ${marks.join("; ")}`);
    links.replaceChildren(downloads(spec.title.text, ["SVG", "PNG"].map((kind) => [kind, `download/design-${name}.${kind.toLowerCase()}?${query}`])));
    if (plots[name].form === form) update(plot, datasets);
    else draw(plot, spec, { fit: true });
    plots[name].form = form;
  }
}
