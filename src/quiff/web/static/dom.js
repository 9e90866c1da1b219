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

// Numbers to be read, as the server writes them: three digits, thousands with a comma, whole numbers whole.
export function number(value) {
  if (value === "inf" || value === Infinity) return "no limit";
  const size = Math.abs(value);
  if (size >= 1e10) return value.toExponential(2).replace(/\.?0*e\+/, " x 10^");
  if (Math.abs(size - Math.round(size)) <= size / 1e10) return Math.round(value).toLocaleString("en");
  return Number(value.toPrecision(size >= 1000 && size < 10000 ? 4 : 3)).toLocaleString("en", { maximumSignificantDigits: 4 });
}
export function probability(value) {
  return value > 0 && value < 0.01 ? `1 in ${Number((1 / value).toPrecision(1 / value < 1000 ? 3 : 4)).toLocaleString("en")}` : `${number(100 * value)} %`;
}
