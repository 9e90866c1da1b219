// Small helpers to make elements, tables and links. Text is always set as text, never as HTML.

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

// A paragraph in which a number keeps its percent sign.
export const sentence = (text) => make("p", {}, text.replaceAll(" %", "\u00a0%"));

export const find = (id) => document.getElementById(id);

// What the server says to the page alone, and an address with the key by which it knows that the page asks.
export const told = (name) => document.querySelector(`meta[name="${name}"]`).content;
export const keyed = (path) => `${path}${path.includes("?") ? "&" : "?"}key=${told("key")}`;

// Links to files; each has its kind in words and its address.
export function downloads(what, links) {
  const made = links.map(([kind, href]) =>
    make("a", { href: keyed(href), download: true, "aria-label": `Download ${kind}: ${what}` }, kind));
  return make("p", { class: "download" }, "Download ", ...made);
}

let tables = 0; // two may have the same title

export function table(data, { wide = "", mark } = {}) {
  const side = (place) => (data.numeric[place] && place > 0 ? { class: "number" } : {});
  const head = data.columns.map((name, place) => make("th", { scope: "col", ...side(place) }, name));
  const rows = data.rows.map((cells) => {
    const made = cells.map((cell, place) =>
      place ? make("td", side(place), cell) : make("th", { scope: "row" }, cell));
    return make("tr", mark ? mark(cells) : {}, ...made);
  });
  const whole = make("table", {},
    make("caption", {}, make("span", {}, data.title)), make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
  const region = make("div",
    { class: `wide ${wide}`, role: "region", "aria-label": `Table ${++tables}: ${data.title}`, tabindex: 0 }, whole);
  const notes = data.notes.map((note) => make("p", { class: "note" }, note));
  return make("div", {}, region, ...notes);
}

let waiting;

// Tells people who do not see the page what has changed, once it has settled.
export function announce(text) {
  clearTimeout(waiting);
  waiting = setTimeout(() => { find("status").textContent = text; }, 600);
}

export function problem(text) {
  find("problem").hidden = !text;
  find("problem").textContent = text ?? "";
}

// What is refused has a reason, and often the field that is wrong.
export async function refusal(answer) {
  return Object.assign(new Error((await answer.text()).trim()), { field: answer.headers.get("Quiff-Field") });
}

export async function ask(path, signal) {
  const answer = await fetch(keyed(path), { signal });
  if (!answer.ok) throw await refusal(answer);
  return answer.json();
}

const digits = (value) => (Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3))));

// Numbers to be read, as the server writes them.
export const number = digits;
export function probability(value) {
  return value > 0 && value < 0.01 ? `1 in ${digits(1 / value)}` : `${digits(100 * value)} %`;
}
