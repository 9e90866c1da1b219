// Sliders with number fields, choices and switches; each knows the name of its value in the address.
import { make } from "./dom.js";
import { state } from "./state.js";

const digits = (value, count) => Number(value.toPrecision(count));
const LINEAR = { to: Number, from: Number };

// A slider in powers of ten, for numbers from a few to billions.
export const powers = (low, high) => ({
  min: 0, max: 1000, step: 1,
  to: (value) => (1000 * Math.log(value / low)) / Math.log(high / low),
  from: (place) => Math.max(low, Math.round(digits(low * (high / low) ** (place / 1000), 2))),
});

export function number({ name, label, min, max, step = 1, scale, change }) {
  const { to, from, ...range } = { min, max, step, ...LINEAR, ...scale };
  const field = make("input", { type: "number", id: name, min, max: scale?.limit ?? max, step: scale?.fine ?? step, inputmode: "decimal" });
  const slider = make("input", { type: "range", id: `${name}-slider`, "aria-label": `${label}, slider`, ...range });
  const follow = () => {
    slider.value = to(Number(field.value));
    slider.setAttribute("aria-valuetext", field.value);
  };
  slider.addEventListener("input", () => {
    field.value = from(Number(slider.value));
    slider.setAttribute("aria-valuetext", field.value);
    state[name] = field.value;
    change(name);
  });
  field.addEventListener("input", () => {
    state[name] = field.value;
    follow();
    change(name);
  });
  const element = make("div", { class: "control" }, make("label", { for: name }, label), slider, field);
  return { element, field, show: () => { field.value = state[name]; follow(); } };
}

export function choice({ name, label, options, change }) {
  const list = options.map(([value, text]) => make("option", { value }, text));
  const select = make("select", { id: name }, ...list);
  select.addEventListener("change", () => { state[name] = select.value; change(name); });
  const element = make("div", { class: "control" }, make("label", { for: name }, label), select);
  return { element, field: select, show: () => { select.value = state[name]; } };
}

export function check({ name, label, change }) {
  const box = make("input", { type: "checkbox", id: name });
  box.addEventListener("change", () => { state[name] = box.checked ? "1" : "0"; change(name); });
  const element = make("div", { class: "check" }, box, make("label", { for: name }, label));
  return { element, field: box, show: () => { box.checked = state[name] === "1"; } };
}

// A taxonomy by its name, or any number of topics.
export function taxonomy({ name, label, settings, bound = "topics", further = [], change }) {
  const [min, max] = settings.bounds[bound], limit = settings.bounds.topics[1];
  const sizes = settings.taxonomies;
  const named = Object.entries(sizes).map(([key, size]) => [key, `${key} (${size} topics)`]);
  const own = "own";
  const select = make("select", { id: `${name}-name` },
    ...[...further, ...named, [own, "a number of my own"]].map(([value, text]) => make("option", { value }, text)));
  const count = number({ name, label: "Topics in the taxonomy (m)", min, max, scale: { ...powers(min, max), limit }, change: (changed) => { select.value = own; change(changed); } });
  const free = new Set(further.map(([value]) => value));
  const size = () => sizes[state[name]] ?? Number(state[name]);
  const show = () => {
    const known = state[name] in sizes || free.has(state[name]);
    select.value = known ? state[name] : own;
    count.element.hidden = free.has(state[name]);
    const kept = state[name];
    state[name] = state[name] in sizes ? String(sizes[state[name]]) : state[name];
    count.show();
    state[name] = kept;
  };
  select.addEventListener("change", () => {
    state[name] = select.value === own ? count.field.value || String(min) : select.value;
    show();
    change(name);
  });
  const element = make("div", {},
    make("div", { class: "control" }, make("label", { for: `${name}-name` }, label), select), count.element);
  return { element, field: select, show, size };
}

export function group(title, kind, ...controls) {
  return make("fieldset", { class: kind }, make("legend", {}, title), ...controls.map((each) => each.element ?? each));
}
