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

export function chooser({ key, title, kind, settings, suffix = key.replace("api", ""), get, set }) {
  const by = Object.fromEntries(settings.apis.map((api) => [api.name, api]));
  const values = {};
  const about = make("p", { class: "note" });
  const place = make("div");
  let shown;
  const offered = settings.apis.map(({ name, title: text }) => [name, text]);
  const select = make("select", { id: `api${suffix}` }, ...offered.map(([value, text]) => make("option", { value }, text)));
  const head = make("div", { class: "control" }, make("label", { for: `api${suffix}` }, "API"), select);
  const spell = (name) => {
    const changed = by[name].controls.filter((each) => values[each.name] !== each.default);
    return changed.length ? `${name}:${changed.map((each) => `${each.name}=${values[each.name]}`).join(",")}` : name;
  };
  const changed = () => set(spell(select.value));
  select.addEventListener("change", () => { set(select.value, true); show(); });

  function controls(api) {
    return api.controls.map((each) => parameter(each, suffix, values, changed));
  }

  function show() {
    const { name, values: given } = parse(get());
    const api = by[name];
    if (!api) return;
    select.value = name;
    for (const each of api.controls) values[each.name] = given[each.name] ?? each.default;
    if (shown?.name !== name) {
      shown = { name, list: controls(api) };
      place.replaceChildren(...shown.list.map((each) => each.element));
      const needs = api.needs.length ? `works on ${api.needs.join(", ")}` : "works on any people";
      about.textContent = `Shows ${api.sees}; ${needs}. ${api.status ? `${api.status[0].toUpperCase()}${api.status.slice(1)}. ` : ""}${api.source}`;
    }
    for (const each of shown.list) each.show();
  }

  const fits = settings.presets.filter(({ spec }) => by[parse(spec).name]);
  const preset = make("select", { id: `preset${suffix}` }, make("option", { value: "" }, "Choose a preset …"),
    ...fits.map(({ name, spec }) => make("option", { value: spec }, name)));
  preset.addEventListener("change", () => { if (preset.value) { set(preset.value, true); show(); preset.value = ""; } });
  const begin = make("div", { class: "control" }, make("label", { for: preset.id }, "Preset"), preset);
  const element = make("fieldset", { class: kind }, make("legend", {}, title), head, place, about, ...(fits.length ? [begin] : []));
  return { element, show };
}

// One parameter: a slider with a number, names to choose from, or a switch. Its name is that of Python and --api.
function parameter(each, suffix, values, change) {
  const id = `${each.name}${suffix}`, label = `${each.meaning} (${each.name})`;
  const changed = () => change(each.name);
  if (each.kind === "switch") {
    const state = { get [id]() { return values[each.name] === "True" ? "1" : "0"; }, set [id](on) { values[each.name] = on === "1" ? "True" : "False"; } };
    return check({ name: id, label, state, change: changed });
  }
  const state = { get [id]() { return values[each.name]; }, set [id](value) { values[each.name] = value; } };
  if (each.kind === "choice") return choice({ name: id, label, options: each.names.map((name) => [name, name]), state, change: changed });
  if (each.kind === "words") return text({ name: id, label, hint: each.example, state, change: changed });
  const most = () => (typeof each.most === "string" ? Number(values[each.most]) || OPEN : each.most ?? OPEN);
  const whole = each.kind === "whole";
  const least = each.least ?? (whole ? 0 : -OPEN), open = typeof each.most !== "number";
  const wide = open || most() >= (whole ? 2000 : FAR);
  const low = whole || least < 0 ? Math.max(least, 1) : Math.max(least, LEAST);
  const scale = wide ? { ...powers(low, Math.min(most(), whole ? 2000 : OPEN), whole), limit: Math.min(most(), OPEN), fine: whole ? 1 : "any" } : { fine: "any" };
  const step = whole ? 1 : (most() - least) / 100;
  const hint = each.default === "" ? "as specified" : "";
  const control = number({ name: id, label, min: least + (each.above && !wide ? step : 0), max: most(), step, scale, hint, state, change: changed });
  if (!each.names.length) return control;
  const names = make("select", { id: `${id}-name`, "aria-label": `${label}, by name` },
    make("option", { value: "" }, "a number"), ...each.names.map((name) => make("option", { value: name }, name)));
  const show = () => {
    const named = each.names.includes(values[each.name]);
    names.value = named ? values[each.name] : "";
    control.element.classList.toggle("named", named);
    if (!named) control.show();
  };
  names.addEventListener("change", () => {
    values[each.name] = names.value || control.field.value || each.default;
    show();
    changed();
  });
  control.element.append(names);
  return { ...control, show };
}
