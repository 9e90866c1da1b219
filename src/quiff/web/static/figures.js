// Vega figures: the library comes from this server, runs without eval, and figures follow the colour scheme.

const DARK = {
  white: "#17191c", "#ffffff": "#17191c", black: "#e9e9e9", "#000000": "#ffffff", "#111111": "#e9e9e9",
  "#222222": "#dddddd", "#333333": "#dddddd", "#444444": "#c8c8c8", "#555555": "#b4b4b4", "#666666": "#9a9a9a", "#777777": "#a6a6a6", "#bbbbbb": "#6d6d6d", "#e4e4e4": "#33383e",
  "#0072B2": "#4aa3dd", "#D55E00": "#f07f2e",
};
const dark = matchMedia("(prefers-color-scheme: dark)");
const drawn = new Map();
let library;

// Begins to load the library, before the first figure asks for it.
export const prepare = () => { vega().catch(() => {}); };
const vega = () => (library ??= import("../vega.js").then(() => window.vegaEmbed));

function swapped(value) {
  if (typeof value === "string") return DARK[value] ?? value;
  if (Array.isArray(value)) return value.map(swapped);
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, key === "datasets" ? inner : swapped(inner)]));
  }
  return value;
}

function prepared(spec, fit) {
  const { usermeta, title, ...rest } = spec;
  const shown = dark.matches ? swapped(rest) : structuredClone(rest);
  if (fit) Object.assign(shown, { width: "container", autosize: { type: "fit-x", contains: "padding" } });
  shown.config = { ...shown.config, padding: 2 };
  if (dark.matches) {
    const text = { labelColor: "#dddddd", titleColor: "#dddddd" };
    shown.config.legend = { ...shown.config.legend, ...text };
    shown.config.text = { color: "#dddddd" };
  }
  return shown;
}

// Draws a figure into a place; `fit` lets it take the width that there is.
export async function draw(place, spec, { fit = false } = {}) {
  drawn.get(place)?.view?.finalize();
  const entry = { spec, fit };
  drawn.set(place, entry);
  const embed = await vega();
  if (drawn.get(place) !== entry) return;
  const found = await embed(place, prepared(entry.spec, fit), {
    actions: false, ast: true, defaultStyle: false, renderer: "svg", mode: "vega-lite",
    tooltip: { disableDefaultStyle: true },
  });
  entry.view = found.view;
  if (entry.late) await put(entry);
}

// Shows the newest data; what comes while it draws is shown when it has drawn.
async function put(entry) {
  if (entry.drawing) { entry.late = true; return; }
  entry.drawing = true;
  do {
    entry.late = false;
    await new Promise(requestAnimationFrame);
    for (const [name, rows] of Object.entries(entry.spec.datasets)) entry.view.data(name, rows);
    await entry.view.runAsync();
  } while (entry.late);
  entry.drawing = false;
}

// Gives a figure new data, as far as it shows them; nothing else of it is made anew.
export async function update(place, data) {
  const entry = drawn.get(place);
  if (!entry) return;
  const datasets = Object.fromEntries(Object.keys(entry.spec.datasets).map((name) => [name, data[name]]));
  entry.spec = { ...entry.spec, datasets };
  if (entry.view) await put(entry);
  else entry.late = true;
}

export function forget(places) {
  for (const place of places) {
    drawn.get(place)?.view?.finalize();
    drawn.delete(place);
  }
}

dark.addEventListener("change", () => {
  for (const [place, { spec, fit }] of [...drawn]) draw(place, spec, { fit });
});
