// The view of one API or two by closed forms: sentences, the picture, numbers.
import { announce, ask, downloads, find, make, number, probability, problem, sentence } from "./dom.js";
import * as column from "./column.js";
import { crowd, draw } from "./picture.js";
import { forget } from "./figures.js";
import { parsed, section } from "./sections.js";
import { address, designQuery, state, writeAddress } from "./state.js";

const CAPTIONS = {
  time: (answer) => `Probability of re-identification, at most, by ${answer.period}`,
  crowd: () => "Among how many people a person is still hidden, at least",
  guess: () => "Probability that a guess about the secret is right after one observation, at most, by what it was before",
  parameter: () => "By how much one observation multiplies a probability, at most",
};
const TABS = { time: "Over time", crowd: "Crowd", guess: "Any guess", parameter: "Parameter" };
let asking, again, answered, drawn = [], studied, along, tabs;

export function build() {
  along = make("select", { id: "along", "aria-label": "Parameter" });
  along.addEventListener("change", () => { state.along = along.value; writeAddress(); refresh(); });
  tabs = Object.entries(TABS).map(([name, text]) => {
    const tab = make("button", { type: "button", id: `picture-${name}`, "data-name": name }, text);
    tab.addEventListener("click", () => { state.picture = name; writeAddress(true); refresh(); });
    return tab;
  });
  find("pictures").append(...tabs, along);
  find("design-studies").addEventListener("toggle", studies);
}

export function show() {}

// One question at a time: what is set meanwhile is asked for when the answer is there.
export async function refresh() {
  if (asking) { again = true; return; }
  asking = true;
  const query = designQuery();
  const late = setTimeout(() => find("design").classList.add("stale"), 200);
  try {
    const answer = await ask(`api/design?${query}`);
    problem();
    column.fail();
    present(answer, query);
  } catch (error) {
    if (state.view === "design") refuse(error);
  }
  clearTimeout(late);
  find("design").classList.remove("stale");
  asking = false;
  if (again) { again = false; refresh(); }
}

// What is wrong is marked at its field, and no number of other settings stays.
function refuse(error) {
  problem(column.fail(error) ? "" : error.message);
  answered = null;
  blank("There are no numbers: a value is not allowed. See the field that is marked.");
  for (const id of ["sentences", "numbers", "remarks", "quiet", "picture-files", "closed-forms", "studies"]) find(id).replaceChildren();
  find("design-rest").hidden = true;
  studied = null;
  find("design").dataset.answered = "";
  announce(error.message);
}

function blank(text, ...more) {
  find("figure").hidden = Boolean(text);
  find("nothing").hidden = !text;
  find("nothing").replaceChildren(text, ...more);
}

function present(result, query) {
  const { apis, words } = result.study, specs = Object.keys(apis);
  const answer = (answered = { ...result, specs, names: specs.map((spec) => apis[spec].title), period: words.period });
  find("design-rest").hidden = false;
  find("story").textContent = column.story();
  find("story").hidden = !column.story();
  for (const id of ["sentences", "numbers"]) find(id).classList.toggle("two", answer.names.length > 1);
  find("sentences").replaceChildren(...answer.sentences.map(sentence));
  column.period(answer.period, answer.month);
  picture(answer, query);
  find("numbers").replaceChildren(...Object.entries(answer.study.words.chief).map(([quantity, about]) => large(answer, quantity, about)));
  find("remarks").replaceChildren(...answer.notes.map((text) => make("p", { class: "remark" }, text)));
  find("quiet").replaceChildren(...parsed(answer.tables[0] ?? ""));
  find("closed-forms").replaceChildren(...parsed(answer.tables[1] ?? ""), downloads("all closed forms", [["CSV", `download/design-table.csv?${query}`]]));
  find("formulas").hidden = answer.tables.length < 2;
  find("command").textContent = `quiff theory ${answer.specs.map((spec) => `--api ${/[^\w:=.,-]/.test(spec) ? `'${spec}'` : spec}`).join(" ")}`;
  find("design").dataset.answered = query;
  studies();
  announce([...answer.sentences, ...find("numbers").children].map((part) => part.dataset?.told ?? part).join(" "));
}

// A number of the first design, large, with that of the second below.
function large({ specs, rows }, quantity, { title, unit, meaning }) {
  const values = specs.map((spec) => rows.find((row) => row.api === spec && row.quantity === quantity && !row.stage)?.value);
  const texts = values.map((value) => (value === undefined ? "not known" : unit === "probability" ? probability(value) : number(value)));
  const words = ["factor", "probability"].includes(unit) || typeof values[0] !== "number" ? "" : ` ${unit}`;
  const second = texts.length > 1 ? make("p", { class: "second" }, make("data", { id: `number-${quantity}-second` }, texts[1]), make("small", {}, " B")) : null;
  return make("article", { class: "number-card", "data-told": `${title}: ${texts[0]}` }, make("h2", {}, title[0].toUpperCase() + title.slice(1)),
    make("p", { class: "value" }, make("data", { id: `number-${quantity}`, value: values[0] }, texts[0]), make("small", {}, words, second ? " A" : "")), second,
    make("p", { class: "note" }, `${meaning[0].toUpperCase()}${meaning.slice(1)}.`));
}

// Which picture is shown: the one that is chosen or, if this API has no numbers for it, another.
function picture(answer, query) {
  const there = { ...answer.pictures, ...(answer.pictures.time ? { crowd: true } : {}) };
  const numbers = column.numbers();
  if (numbers.length && answer.pictures.guess) there.parameter ??= null;
  const name = there[state.picture] !== undefined ? state.picture : Object.keys(TABS).find((each) => there[each] !== undefined);
  if (!name) {
    const link = make("a", { href: address({ view: "people", run: "1" }) }, "Measure it on people");
    blank("There is no closed form to draw. ", link, ".");
    find("picture-files").replaceChildren();
    return;
  }
  blank("");
  for (const tab of tabs) {
    tab.hidden = there[tab.dataset.name] === undefined;
    tab.setAttribute("aria-pressed", String(tab.dataset.name === name));
  }
  along.hidden = name !== "parameter";
  if (name === "parameter") {
    along.replaceChildren(...numbers.map((each) => make("option", { value: each.name }, each.label)));
    along.value = numbers.find((each) => each.name === state.along)?.name ?? numbers.find((each) => each.label === answer.pictures.parameter?.across)?.name ?? numbers[0].name;
  }
  find("caption").textContent = CAPTIONS[name](answer);
  find("picture").toggleAttribute("hidden", name === "crowd");
  find("crowd").hidden = name !== "crowd";
  const file = name === "crowd" ? "time" : name;
  find("picture-files").replaceChildren(...downloads(TABS[file], ["SVG", "PNG"].map((kind) => [kind, `download/design-${file}.${kind.toLowerCase()}?${query}`])).childNodes);
  if (name === "crowd") return people(answer);
  if (answer.pictures[name]) draw(answer.pictures[name], FORMS[name](answer));
}

const after = (answer) => `after ${state.observations} ${answer.period}${state.observations === "1" ? "" : "s"}`;

function people(answer) {
  const shares = answer.pictures.time.points.map((point) => point?.[1]);
  crowd(Number(state.users), answer.names, shares, after(answer));
}

function set(name, value) {
  if (state[name] === String(value)) return;
  state[name] = String(value);
  column.show();
  writeAddress();
  refresh();
}

const lowest = (picture, floor) => 10 ** Math.floor(Math.log10(Math.min(floor, ...picture.lines.flatMap((line) => line.map(([, y]) => y).filter((y) => y > 0)))) + 1e-9);
const two = (value) => Number(value.toPrecision(2));

// How each picture is read: the ends of its axes, its texts, and what it means to drag a point.
const FORMS = {
  time: (answer) => {
    const users = Number(state.users), now = Number(state.observations);
    const few = now <= 8 ? 8 : now <= 30 ? 30 : 100;
    return {
      ends: (picture) => ({ x: [0, few], y: [Math.min(0.1, lowest(picture, 1 / users)), 1] }),
      up: probability, across: String, whole: true, settle: (value) => Math.max(1, Math.round(value)),
      what: (at) => `After ${at} ${answer.period}${at === 1 ? "" : "s"}, at most`,
      floor: 1 / users, below: `guessing: ${probability(1 / users)}`,
      drag: (_, value) => set("observations", value),
    };
  },
  guess: () => ({
    ends: (picture) => ({ x: [1e-6, 1], y: [lowest(picture, 1e-6), 1] }),
    up: probability, across: probability, settle: two,
    what: (at) => `A guess that was right with ${probability(at)}`,
    drag: (_, value) => set("prior", Math.max(1e-6, value)),
  }),
  parameter: (answer) => {
    const control = column.numbers().find((each) => each.name === along.value);
    const whole = control?.kind === "whole";
    return {
      ends: (picture) => {
        const points = [...picture.lines.flat(), ...picture.points.filter(Boolean)], xs = points.map(([x]) => x), ys = points.map(([, y]) => y);
        return { x: [Math.min(...xs), Math.max(...xs)], y: [Math.min(1, ...ys), Math.max(10, 10 ** Math.ceil(Math.log10(Math.max(...ys)) - 1e-9))] };
      },
      up: (value) => `× ${number(value)}`, across: number, whole: whole && !answer.pictures.parameter.powers, settle: whole ? Math.round : two,
      what: (at) => `${control?.label ?? ""}: ${number(at)}`,
      drag: (place, value) => column.put(place, along.value, value),
    };
  },
};

// The studies take longer than a slider waits: they are asked for while they are open, when all has settled.
let waiting;
function studies() {
  clearTimeout(waiting);
  if (find("design-studies").open && answered) waiting = setTimeout(study, 300);
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
    const made = answer.map((each) => section(each, query, drawn));
    find("studies").replaceChildren(...(made.length ? made : [make("p", {}, "There is none of this API.")]));
  } catch (error) {
    problem(error.message);
  }
}
