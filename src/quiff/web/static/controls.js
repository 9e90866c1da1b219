// Sliders with fields, choices and switches; each knows the name of its value in a state, and can be marked as wrong.
import { make } from "./dom.js";
import { state as address } from "./state.js";

const digits = (value, count) => Number(value.toPrecision(count));
const LINEAR = { to: Number, from: Number };

// A slider in powers of ten, for numbers from a few to billions, or from hundredths on where they are not whole.
export const powers = (low, high, whole = true) => ({
  min: 0, max: 1000, step: 1,
  unit: (value) => (whole && value <= 10000 ? 1 : 10 ** (Math.floor(Math.log10(Math.max(value, low))) - 1)),
  to: (value) => (1000 * Math.log(Math.max(value, low) / low)) / Math.log(high / low),
  from: (place) => {
    const value = digits(low * (high / low) ** (place / 1000), 2);
    return whole ? Math.max(low, Math.round(value)) : value;
  },
});

// Thousands with a comma, as they are read; a fraction such as 1/20, as the command line may give it, as a decimal.
function readable(text) {
  const [over, under] = String(text).split("/").map(Number);
  if (under) return String(over / under);
  return /^\d{4,}$/.test(text) ? Number(text).toLocaleString("en") : text;
}
const plain = (text) => text.trim().replace(/,(?=\d{3})/g, "");

// A label and a field, the reason below if its value is wrong, and the words in brackets in a quiet voice.
function frame(kind, id, label, ...fields) {
  const [words, aside = ""] = label.split(/ (?=\()/);
  const text = make("label", { for: id }, words, aside && make("small", {}, ` ${aside}`));
  const reason = make("p", { class: "reason", id: `${id}-reason`, hidden: true });
  const element = make("div", { class: `control ${kind}${label.length > 16 ? " long" : ""}` }, ...(kind === "check" ? [...fields, text] : [text, ...fields]), reason);
  const fail = (message) => {
    const field = element.querySelector(`[id="${id}"]`);
    element.classList.toggle("wrong", Boolean(message));
    reason.hidden = !message;
    reason.textContent = message ?? "";
    if (message) { field.setAttribute("aria-invalid", "true"); field.setAttribute("aria-describedby", reason.id); }
    else { field.removeAttribute("aria-invalid"); field.removeAttribute("aria-describedby"); }
  };
  return { element, fail };
}

export function number({ name, label, min, max, step = 1, scale, hint = "", names = [], state = address, change }) {
  const { to, from, unit, ...range } = { min, max, step, ...LINEAR, ...scale };
  const list = names.length ? make("datalist", { id: `${name}-names` }, ...names.map((value) => make("option", { value }))) : null;
  const field = make("input", { type: "text", id: name, inputmode: names.length ? null : "decimal", placeholder: hint, autocomplete: "off", spellcheck: "false", list: list?.id });
  const slider = make("input", { type: "range", id: `${name}-slider`, "aria-label": `${label}, slider`, ...range });
  const follow = () => {
    const set = state[name] !== "" && !Number.isNaN(Number(state[name]));
    slider.value = set ? to(Number(state[name])) : range.min;
    slider.classList.toggle("unset", !set);
    slider.setAttribute("aria-valuetext", field.value || hint);
  };
  const put = (value) => {
    state[name] = String(value);
    field.value = readable(state[name]);
    follow();
    change(name);
  };
  slider.addEventListener("input", () => put(from(Number(slider.value))));
  // In powers of ten an arrow key moves the value by one of its units, so that every value can be reached.
  slider.addEventListener("keydown", (event) => {
    const sign = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key];
    if (!sign || !unit) return;
    event.preventDefault();
    const value = Number(state[name]) || min;
    put(Math.min(max, Math.max(min, digits(value + sign * unit(value), 12))));
  });
  field.addEventListener("input", () => {
    state[name] = plain(field.value);
    follow();
    change(name);
  });
  field.addEventListener("blur", () => { field.value = readable(state[name]); });
  const { element, fail } = frame("number", name, label, field, slider, list);
  return { name, element, field, fail, show: () => { field.value = readable(state[name]); follow(); } };
}

export function choice({ name, label, options, state = address, change }) {
  const list = options.map(([value, text]) => make("option", { value }, text));
  const select = make("select", { id: name }, ...list);
  select.addEventListener("change", () => { state[name] = select.value; change(name); });
  return { name, ...frame("choice", name, label, select), field: select, show: () => { select.value = state[name]; } };
}

export function text({ name, label, hint, state = address, change }) {
  const field = make("input", { type: "text", id: name, placeholder: hint, spellcheck: "false", autocomplete: "off" });
  field.addEventListener("input", () => { state[name] = field.value.trim(); change(name); });
  return { name, ...frame("words", name, label, field), field, show: () => { field.value = state[name]; } };
}

export function check({ name, label, state = address, change }) {
  const box = make("input", { type: "checkbox", id: name });
  box.addEventListener("change", () => { state[name] = box.checked ? "1" : "0"; change(name); });
  return { name, ...frame("check", name, label, box), field: box, show: () => { box.checked = state[name] === "1"; } };
}

export function group(title, ...controls) {
  return make("fieldset", {}, make("legend", {}, title), ...controls.map((each) => each.element ?? each));
}
