// Sliders with number fields, choices and switches; each knows the name of its value in a state.
import { make } from "./dom.js";
import { state as address } from "./state.js";

const digits = (value, count) => Number(value.toPrecision(count));
const LINEAR = { to: Number, from: Number };

// A slider in powers of ten, for numbers from a few to billions, or from hundredths on where they are not whole.
export const powers = (low, high, whole = true) => ({
  min: 0, max: 1000, step: 1,
  to: (value) => (1000 * Math.log(Math.max(value, low) / low)) / Math.log(high / low),
  from: (place) => {
    const value = digits(low * (high / low) ** (place / 1000), 2);
    return whole ? Math.max(low, Math.round(value)) : value;
  },
});

export function number({ name, label, min, max, step = 1, scale, hint = "", state = address, change }) {
  const { to, from, fine, limit, ...range } = { min, max, step, ...LINEAR, ...scale };
  const field = make("input", { type: "number", id: name, min, max: limit ?? max, step: fine ?? step, inputmode: "decimal", placeholder: hint });
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
  return { element, field, show: () => { field.value = decimal(state[name]); follow(); } };
}

// A fraction such as 1/20, as the command line may give it, as a decimal.
function decimal(text) {
  const [over, under] = String(text).split("/").map(Number);
  return under ? String(over / under) : text;
}

export function choice({ name, label, options, state = address, change }) {
  const list = options.map(([value, text]) => make("option", { value }, text));
  const select = make("select", { id: name }, ...list);
  select.addEventListener("change", () => { state[name] = select.value; change(name); });
  const element = make("div", { class: "control" }, make("label", { for: name }, label), select);
  return { element, field: select, show: () => { select.value = state[name]; } };
}

export function text({ name, label, hint, state = address, change }) {
  const field = make("input", { type: "text", id: name, placeholder: hint, spellcheck: "false" });
  field.addEventListener("input", () => { state[name] = field.value.trim(); change(name); });
  const element = make("div", { class: "control" }, make("label", { for: name }, label), field);
  return { element, field, show: () => { field.value = state[name]; } };
}

export function check({ name, label, state = address, change }) {
  const box = make("input", { type: "checkbox", id: name });
  box.addEventListener("change", () => { state[name] = box.checked ? "1" : "0"; change(name); });
  const element = make("div", { class: "check" }, box, make("label", { for: name }, label));
  return { element, field: box, show: () => { box.checked = state[name] === "1"; } };
}

export function group(title, kind, ...controls) {
  return make("fieldset", { class: kind }, make("legend", {}, title), ...controls.map((each) => each.element ?? each));
}
