// A section of a study, wherever it is shown: sentences, the main figure and table, and the rest folded.
import { downloads, make, sentence, table } from "./dom.js";
import { draw } from "./figures.js";

// `lead` is where the main figure goes that is always in sight.
export function section(data, view, query, plots, lead) {
  const file = (kind, number) => `download/${view}/${data.key}-${number}.${kind}?${query}`;
  const figures = data.figures.map(({ title, spec }, number) => () => {
    const plot = make("div", { class: "plot", role: "img", "aria-label": title });
    plots.push(plot);
    draw(plot, spec, { fit: Boolean(lead) && number === 0 });
    return make("figure", {}, make("figcaption", {}, title), plot,
      downloads(title, [["SVG", file("svg", number)], ["PNG", file("png", number)]]));
  });
  const tables = data.tables.map((each, number) => () =>
    make("div", {}, table(each), downloads(each.title, [["CSV", file("csv", number)]])));
  const main = figures.splice(0, 1);
  if (lead) lead.replaceChildren(...main.splice(0).map((make) => make()));
  const heading = make("h2", { id: `section-${data.key}` }, data.title);
  return make("section", { "aria-labelledby": heading.id }, heading,
    ...data.sentences.map(sentence),
    ...[...main, ...tables.slice(0, 1)].map((make) => make()),
    folded([...figures, ...tables.slice(1)], data.tables.slice(1).map(({ title }) => title)));
}

// What is folded is made when it is opened.
function folded(parts, titles) {
  if (!parts.length) return null;
  const details = make("details", {}, make("summary", {}, `More on this: ${titles.join("; ") || "figures"}`));
  details.addEventListener("toggle", () => details.append(...parts.splice(0).map((make) => make())));
  return details;
}
