// The choice of an API, and a control for each of its parameters; together they spell what --api takes.
import { check, choice, number, powers, text } from "./controls.js";
import { make } from "./dom.js";

const OPEN = 10000, FAR = 100, LEAST = 0.01;

// A spec such as topics:noise=0.1 as a name and the values that are not the defaults.
export function parse(spec) {
  const [name, given = ""] = spec.split(/:(.*)/s);
  const pairs = given.split(",").filter(Boolean).map((part) => part.split(/=(.*)/s).slice(0, 2));
  return { name, values: Object.fromEntries(pairs) };
}

export function chooser({ kind, suffix, apis, get, set }) {
  const by = Object.fromEntries(apis.map((api) => [api.name, api]));
  const values = {};
  const place = make("div");
  const about = make("p", { class: "note" });
  let shown;
  const spell = (name) => {
    const changed = by[name].controls.filter((each) => values[each.name] !== each.default);
    return changed.length ? `${name}:${changed.map((each) => `${each.name}=${values[each.name]}`).join(",")}` : name;
  };
  const own = { get [`api${suffix}`]() { return parse(get()).name; }, set [`api${suffix}`](name) { set(name, true); show(); } };
  const api = choice({ name: `api${suffix}`, label: "API", options: apis.map(({ name, title }) => [name, title]), state: own, change: () => {} });

  function show() {
    const { name, values: given } = parse(get());
    const found = by[name];
    if (!found) return;
    api.show();
    for (const each of found.controls) values[each.name] = given[each.name] ?? each.default;
    if (shown?.name !== name) {
      shown = { name, list: found.controls.map((each) => parameter(each, suffix, values, () => set(spell(name)))) };
      place.replaceChildren(...shown.list.map((each) => each.element));
      const needs = found.needs.length ? `works on ${found.needs.join(", ")}` : "works on any people";
      const status = found.ended ? `History, ${found.ended}. ` : "Alive. ";
      about.textContent = `One observation is about ${found.unit}, and shows ${found.sees}; ${needs}. ${status}${found.source}`;
    }
    for (const each of shown.list) each.show();
  }

  // Marks the parameter that a reason speaks of; the choice of the API if it is none of them.
  function fail(message) {
    api.fail();
    for (const each of shown?.list ?? []) each.fail();
    if (!message) return;
    const named = (each) => new RegExp(`\\b${each.name.slice(0, each.name.length - suffix.length)}\\b`).exec(message)?.index ?? Infinity;
    const wrong = [...(shown?.list ?? [])].sort((a, b) => named(a) - named(b))[0];
    if (!wrong || named(wrong) === Infinity) { api.fail(message); return; }
    const { name, label } = by[shown.name].controls.find((each) => `${each.name}${suffix}` === wrong.name);
    wrong.fail(message.startsWith(`${name} `) ? `${label.split(" (")[0]}${message.slice(name.length)}` : message);
  }

  const details = make("details", {}, make("summary", {}, "About this API"), about);
  const element = make("div", { class: `chooser ${kind}` }, api.element, place, details);
  return { element, show, fail, title: () => by[parse(get()).name]?.title ?? "", numbers: () => (by[parse(get()).name]?.controls ?? []).filter((each) => each.kind === "whole" || each.kind === "decimal") };
}

// One parameter: a slider with a number, names to choose from, or a switch. Its id is the name in Python and --api.
function parameter(each, suffix, values, change) {
  const id = `${each.name}${suffix}`, label = each.label;
  if (each.kind === "switch") {
    const state = { get [id]() { return values[each.name] === "True" ? "1" : "0"; }, set [id](on) { values[each.name] = on === "1" ? "True" : "False"; } };
    return check({ name: id, label, state, change });
  }
  const state = { get [id]() { return values[each.name]; }, set [id](value) { values[each.name] = value; } };
  if (each.kind === "choice") return choice({ name: id, label, options: each.names.map((name) => [name, name]), state, change });
  if (each.kind === "words") return text({ name: id, label, hint: each.example, state, change });
  const most = typeof each.most === "string" ? Number(values[each.most]) || OPEN : each.most ?? OPEN;
  const whole = each.kind === "whole";
  const least = each.least ?? (whole ? 0 : -OPEN), open = typeof each.most !== "number";
  const wide = open || most >= (whole ? 2000 : FAR);
  const low = whole || least < 0 ? Math.max(least, 1) : Math.max(least, LEAST);
  const scale = wide ? powers(low, Math.min(most, whole ? 2000 : OPEN), whole) : {};
  return number({ name: id, label, min: least + (each.above ? each.step : 0), max: most, step: each.step, scale, hint: each.default === "" ? "as specified" : "", names: each.names, state, change });
}
