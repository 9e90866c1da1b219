// Vega figures: the library comes from this server and runs without eval; figures.css has their dark colours.

const views = new Map();
let library;

const vega = () => (library ??= import("../vega.js").then(() => window.vegaEmbed));

// Begins to load the library, before the first figure asks for it.
export const prepare = () => { vega().catch(() => {}); };

// Draws a figure into a place; `fit` lets it take the width that there is.
export async function draw(place, spec, { fit = false } = {}) {
  const { usermeta, title, ...shown } = structuredClone(spec);
  if (fit) Object.assign(shown, { width: "container", autosize: { type: "fit-x", contains: "padding" } });
  shown.config = { ...shown.config, padding: 2, background: null };
  if (fit) shown.config.axisX = { ...shown.config.axisX, titleAnchor: "end" }; // where there is room for a long one
  views.set(place, null);
  const embed = await vega();
  if (!views.has(place)) return;
  const found = await embed(place, shown, {
    actions: false, ast: true, defaultStyle: false, renderer: "svg", mode: "vega-lite",
    tooltip: { disableDefaultStyle: true },
  });
  if (views.has(place)) views.set(place, found.view);
  else found.view.finalize();
}

export function forget(places) {
  for (const place of places) {
    views.get(place)?.finalize();
    views.delete(place);
  }
}
