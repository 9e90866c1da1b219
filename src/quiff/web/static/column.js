// The column of controls that all views share: one design or two, the situation, and the people.
import { chooser } from "./apis.js";
import { check, choice, group, number, powers } from "./controls.js";
import { find, make } from "./dom.js";
import { state, writeAddress } from "./state.js";

let first, second, tabs, stories, designs, situation, people, all, refresh, shown = "A";
export let settings;

export function build(given, changed) {
  settings = given;
  refresh = changed;
  const { bounds, file, apis } = settings;
  const one = (kind, suffix, key) => chooser({
    kind, suffix, apis, get: () => state[key],
    set: (spec, push = false) => { state[key] = spec; told(push); label(); },
  });
  first = one("first", "", "api");
  second = one("second", "2", "api2");
  tabs = ["A", "B"].map((letter) => {
    const tab = make("button", { type: "button", id: `design-${letter}` });
    tab.addEventListener("click", () => {
      shown = letter;
      if (letter === "B" && state.second !== "1") { state.second = "1"; told(true); }
      show();
    });
    return tab;
  });
  const drop = make("button", { type: "button", id: "drop", "aria-label": "Remove the second design", title: "Remove the second design" }, "×");
  drop.addEventListener("click", () => { state.second = "0"; shown = "A"; told(true); show(); tabs[0].focus(); });
  designs = { drop };
  stories = storyChoice();

  const observations = number({ name: "observations", label: "Observations of one person", min: 1, max: 30, change: () => told() });
  const users = number({ name: "users", label: "People", min: bounds.users[0], max: bounds.users[1], scale: powers(10, bounds.users[1]), change: () => told() });
  situation = { observations, users, element: group("Situation", users, observations) };

  const options = [["synthetic", "Synthetic people"]];
  if (file) options.push(["file", `${file.name}: ${file.users.toLocaleString("en")} ${file.users === 1 ? "user" : "users"} with ${file.attributes.join(", ") || "no attributes"}`]);
  const source = choice({ name: "source", label: "Who", options, change: () => { show(); told(); } });
  const n = number({ name: "n", label: "How many", min: bounds.n[0], max: bounds.n[1], scale: powers(...bounds.n), change: () => told() });
  const seed = number({ name: "seed", label: "Random seed", min: 0, max: 100, change: () => told() });
  const observed = number({ name: "observed", label: "Visits of one person (page views of Topics; 4 weekly ones are a month)", min: 1, max: 10, change: () => told() });
  const attacks = check({ name: "attacks", label: "Run the published attacks too (takes longer)", change: () => told() });
  const kept = [["", "not known"], ...["0.5", "0.8", "0.9", "0.95", "0.99", "1"].map((share) => [share, `kept with ${100 * share} %`])];
  const stability = choice({ name: "stability", label: "Interests from week to week", options: kept, change: () => told() });
  const start = make("button", { type: "submit", class: "main", id: "start" }, "Measure");
  const stop = make("button", { type: "button", id: "stop", disabled: true }, "Cancel");
  people = { n, seed, element: group("People", source, n, seed, observed, attacks, stability, make("div", { class: "buttons" }, start, stop)) };
  all = { first, second, users, observations, source, n, seed, observed, attacks, stability };
  find("controls").append(stories.element, make("fieldset", { class: "designs" }, make("legend", {}, "Design"),
    make("div", { class: "tabs", role: "group", "aria-label": "Designs" }, ...tabs, drop), first.element, second.element), situation.element, people.element);
}

function told(push = false) {
  state.story = "";
  refresh(true);
  writeAddress(push);
}

// A story sets two designs side by side, and says what to look for.
function storyChoice() {
  const select = make("select", { id: "stories" }, make("option", { value: "" }, "Choose …"));
  for (const name of new Set(settings.stories.map(({ group: of }) => of))) {
    const of = settings.stories.filter((story) => story.group === name);
    select.append(make("optgroup", { label: name }, ...of.map(({ title }) => make("option", { value: title }, title))));
  }
  select.addEventListener("change", () => {
    const story = chosen(select.value);
    if (!story) return;
    Object.assign(state, { api: story.api, second: story.api2 ? "1" : "0", api2: story.api2 || "cookies", picture: story.picture, observations: String(story.observations), story: select.value });
    shown = "A";
    writeAddress(true);
    show();
    refresh();
  });
  return { element: make("div", { class: "control choice", id: "story-control" }, make("label", { for: "stories" }, "Begin with a story"), select), show: () => { select.value = state.story; } };
}

function label() {
  const two = state.second === "1";
  tabs[0].textContent = two ? `A: ${first.title()}` : first.title() || "A";
  tabs[1].textContent = two ? `B: ${second.title()}` : "+ design B";
  tabs.forEach((tab) => { tab.title = tab.textContent; });
  tabs.forEach((tab, place) => tab.setAttribute("aria-pressed", String(shown === "AB"[place])));
}

export function show() {
  if (state.second !== "1") shown = "A";
  for (const control of [...Object.values(all), stories]) control.show();
  label();
  first.element.hidden = shown !== "A";
  second.element.hidden = shown !== "B";
  designs.drop.hidden = state.second !== "1";
  find("controls").hidden = state.view === "paper";
  find("story-control").hidden = state.view !== "design";
  situation.element.hidden = state.view !== "design";
  people.element.hidden = state.view !== "people";
  for (const each of [people.n, people.seed]) each.element.hidden = state.source === "file";
}

// What time is counted in follows from the APIs, and how much of it a month is, 28 days.
export function period(name, month) {
  const words = name === "observation" ? "Observations of one person" : `${name[0].toUpperCase()}${name.slice(1)}s of observation`;
  situation.observations.element.querySelector("label").replaceChildren(words, month ? make("small", {}, ` (${month} are a month)`) : "");
}

// Marks the field that is wrong, with the reason; without one all are right. Tells whether it was found.
export function fail(error) {
  for (const control of Object.values(all)) control.fail();
  const names = { api: "first", api2: "second", observations: state.view === "people" ? "observed" : "observations" };
  const key = error && (names[error.field] ?? error.field);
  if (!(key in all)) return false;
  if (key === "first" || key === "second") { shown = key === "first" ? "A" : "B"; first.element.hidden = shown !== "A"; second.element.hidden = shown !== "B"; label(); }
  all[key].fail(error.message);
  return true;
}

// Sets a parameter of the first design or of the second, as a slider of it would.
export function put(place, name, value) {
  const field = find(`${name}${place ? "2" : ""}`);
  if (!field || field.value === String(value)) return;
  field.value = String(value);
  field.dispatchEvent(new Event("input"));
}

export const numbers = () => first.numbers();
const chosen = (title) => settings.stories.find((each) => each.title === title);
export const story = () => chosen(state.story)?.text ?? "";
