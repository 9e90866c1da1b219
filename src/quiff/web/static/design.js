// The view of one design or two: controls, numbers, figures.
import { announce, ask, downloads, find, make, problem, table } from "./dom.js";
import { check, group, number, powers, taxonomy } from "./controls.js";
import { draw, update } from "./figures.js";
import { designQuery, state, writeAddress } from "./state.js";

const CARDS = {
  bayes_capacity: "Average-case capacity",
  max_case_capacity: "Max-case capacity",
  epsilon: "Epsilon",
  topics_posterior: "Re-identified by one report",
  cookies_posterior: "Re-identified by a cookie",
  epochs_bound: "Bound over the epochs",
  genuine_probability: "Genuine-topic probability",
  iba_lower: "Advertiser (IBA), at least",
  iba_upper: "Advertiser (IBA), at most",
};
const FIGURES = {
  capacity: "Average case against utility",
  epsilon: "Worst case against utility",
  settings: "Settings of equal capacity",
};
const COUNTED = 10;

let controls, places, cells, specs, latest, asking, again, resting, counted;

export function build(settings) {
  const { bounds } = settings;
  const design = (suffix, title, kind) => {
    const names = { topics: `topics${suffix}`, top: `top${suffix}`, noise: `noise${suffix}` };
    const list = {
      topics: taxonomy({ name: names.topics, label: "Taxonomy", settings, change: changed }),
      top: number({ name: names.top, label: "Topics in a user’s set (s)", min: 1, max: 30, scale: { limit: bounds.top[1] }, change: changed }),
      noise: number({ name: names.noise, label: "Probability of a random topic (r)", min: 0, max: 1, step: 0.01, scale: { fine: "any" }, change: changed }),
    };
    const chooser = preset(settings, names, suffix, title);
    return { ...list, element: group(title, kind, chooser, list.topics, list.top, list.noise) };
  };
  const first = design("", "First design", "first");
  const second = design("2", "Second design", "second");
  const compare = check({ name: "second", label: "Compare with a second design", change: () => { show(); writeAddress(true); refresh(); } });
  const [least, most] = bounds.users;
  const users = number({ name: "users", label: "Users (N)", min: least, max: most, scale: { ...powers(10, most), limit: most }, change: changed });
  const epochs = number({ name: "epochs", label: "Epochs (E)", min: 1, max: 30, scale: { limit: bounds.epochs[1] }, change: changed });
  controls = { first, second, all: [first.topics, first.top, first.noise, second.topics, second.top, second.noise, compare, users, epochs] };
  find("design-controls").append(first.element, second.element, group("The situation", "", users, epochs, compare));
  places = Object.fromEntries(Object.entries(FIGURES).map(([name, title]) => [name, figure(name, title)]));
}

function preset(settings, names, suffix, title) {
  const options = settings.presets.map(({ name }, place) => make("option", { value: place }, name));
  const select = make("select", { id: `preset${suffix}`, "aria-label": `Preset of the ${title.toLowerCase()}` },
    make("option", { value: "" }, "Choose a preset …"), ...options);
  select.addEventListener("change", () => {
    const chosen = settings.presets[select.value];
    if (!chosen) return;
    Object.assign(state, { [names.topics]: chosen.topics, [names.top]: String(chosen.top), [names.noise]: String(chosen.noise) });
    writeAddress(true);
    show();
    refresh();
  });
  return make("div", { class: "control" }, make("label", { for: `preset${suffix}` }, "Preset"), select);
}

function figure(name, title) {
  const plot = make("div", { class: "plot", role: "img", "aria-label": title });
  const links = make("div");
  find("design-figures").append(make("figure", {}, make("figcaption", {}, title), plot, links));
  return { plot, links };
}

// A set cannot have more topics than there are, so that s follows m down.
function changed() {
  for (const { topics, top } of [controls.first, controls.second]) {
    const most = topics.size();
    if (most >= 1 && Number(top.field.value) > most) {
      state[top.field.id] = String(most);
      top.show();
    }
  }
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
  const two = answer.second !== null;
  if (!cells || cells.two !== two) cells = skeleton(answer, two);
  for (const section of answer.sections) {
    for (const row of section.rows) for (const set of cells.by[row.key]) set(row, answer);
  }
  for (const set of cells.counting) set(answer);
  clearTimeout(resting);
  resting = setTimeout(count, 250, query);
  find("design-download").replaceChildren(downloads("all closed forms", [["CSV", `download/design.csv?${query}`]]));
  figures(answer, query);
  find("design").dataset.answered = query;
  announce(Object.entries(CARDS).map(([key, name]) => `${name}: ${find(`card-${key}`).textContent}`).join("; "));
}

// Counting a million users takes longer than a slider may: it is asked for when the hand rests.
async function count(query) {
  counted?.abort();
  counted = new AbortController();
  const answer = await ask(`api/counting?${query}`, counted.signal).catch(() => null);
  if (answer) find("counting").replaceChildren(table(answer), downloads("counting", [["CSV", `download/counting.csv?${query}`]]));
}

async function figures(answer, query) {
  for (const [name, { plot, links }] of Object.entries(places)) {
    const at = answer.plane.designs.map((each) => `${each.design} design: s ${each.s}, noise ${each.r}, utility ${each.utility.toPrecision(4)}, capacity ${each.capacity.toPrecision(4)}`);
    plot.setAttribute("aria-label", `${FIGURES[name]}. ${at.join("; ")}`);
    links.replaceChildren(downloads(FIGURES[name], ["SVG", "PNG"].map((kind) => [kind, `download/design-${name}.${kind.toLowerCase()}?${query}`])));
    update(plot, answer.plane);
  }
  latest = answer.plane;
  if (specs) return;
  specs = ask("api/figures");
  for (const [name, spec] of Object.entries(await specs)) {
    draw(places[name].plot, spec, { fit: true });
    update(places[name].plot, latest);
  }
}

// Makes the cards and tables once; afterwards only their texts change.
function skeleton(answer, two) {
  const by = {}, counting = [];
  const add = (key, set) => (by[key] ??= []).push(set);
  find("cards").replaceChildren();
  find("cards").classList.toggle("two", two);
  for (const [key, name] of Object.entries(CARDS)) add(key, card(key, name, two));
  counting.push(countingCard(two));
  find("closed-forms").replaceChildren(...answer.sections.map((section) => forms(section, two, add)));
  return { two, by, counting };
}

function card(key, name, two) {
  const value = make("data", { id: `card-${key}` });
  const unit = make("small"), other = make("p", { class: "second" }), meaning = make("p"), source = make("p", { class: "source" });
  if (!two) other.hidden = true;
  find("cards").append(make("article", { class: "card" },
    make("h3", {}, name), make("p", { class: "value" }, value, " ", unit), other, meaning, source));
  return (row, answer) => {
    value.textContent = row.first;
    value.value = answer.first[key];
    unit.textContent = row.unit;
    if (two) other.replaceChildren(`second: ${row.second}`, make("br"), row.difference);
    meaning.textContent = `${row.meaning[0].toUpperCase()}${row.meaning.slice(1)}.`;
    source.replaceChildren(make("code", {}, row.formula), ` (${row.source})`);
  };
}

function countingCard(two) {
  const set = card("counting", `Counting ${COUNTED} users`, two);
  const at = (design) => design.counting.find((point) => point.n_users === COUNTED);
  const said = (value) => String(Number(value.toPrecision(6)));
  return (answer) => {
    const first = at(answer.first), second = answer.second && at(answer.second);
    const change = second && second.best_count_right - first.best_count_right;
    set({
      first: said(first.best_count_right), unit: "probability",
      second: second && said(second.best_count_right),
      difference: change ? `${change > 0 ? "+" : ""}${said(change)}` : "the same",
      meaning: `chance to say rightly how many of ${COUNTED} users have a topic; ${said(first.prior_count_right)} without reports`,
      formula: "the most probable count given the reports", source: "paper, Sec. 4.2.1, the counting query",
    }, { first: { counting: first.best_count_right } });
  };
}

function forms(section, two, add) {
  const names = two ? ["first", "second", "difference"] : ["first"];
  const head = ["quantity", ...names.map((name) => (name === "difference" ? name : `${name} design`)), "unit", "what it means", "formula and source"];
  const rows = section.rows.map((row) => {
    const values = names.map((name) => make("td", { class: "number" }));
    if (two) values[2].removeAttribute("class");
    add(row.key, (now) => names.forEach((name, place) => { values[place].textContent = now[name]; }));
    return make("tr", { "data-key": row.key }, make("th", { scope: "row" }, row.name), ...values, make("td", {}, row.unit),
      make("td", {}, row.meaning), make("td", {}, make("code", {}, row.formula), ` (${row.source}; assumes ${row.assumes})`));
  });
  const columns = head.map((name, place) => make("th", { scope: "col", class: place > 0 && place <= Math.min(names.length, 2) ? "number" : null }, name));
  const whole = make("table", {}, make("thead", {}, make("tr", {}, ...columns)), make("tbody", {}, ...rows));
  const region = make("div", { class: "wide forms", role: "region", "aria-label": section.title, tabindex: 0 }, whole);
  return make("details", { open: section.title.includes("worst") }, make("summary", {}, section.title), region);
}
