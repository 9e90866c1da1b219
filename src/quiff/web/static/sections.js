// A section of a study as the report writes it: its files are of this query, and its figures are drawn once they are in sight.
import { keyed, make } from "./dom.js";
import { draw } from "./figures.js";

// The elements of a fragment, in which all text is escaped; a parser runs no script.
export function parsed(html, query = "") {
  const body = new DOMParser().parseFromString(html, "text/html").body;
  for (const link of body.querySelectorAll("a[download]")) link.href = keyed(`${link.getAttribute("href")}?${query}`);
  return [...body.childNodes].map((node) => document.adoptNode(node));
}

// `lead` is where the main figure goes that is always in sight.
export function section({ key, html, figures }, query, plots, lead) {
  const element = make("section", { "aria-labelledby": `section-${key}` }, ...parsed(html, query));
  [...element.querySelectorAll(".plot")].forEach((place, number) => {
    const show = () => { plots.push(place); draw(place, figures[number], { fit: Boolean(lead) && number === 0 }); };
    const details = place.closest("details");
    if (details) details.addEventListener("toggle", show, { once: true });
    else show();
  });
  if (lead) lead.replaceChildren(...[...element.querySelector(".pair > div")?.childNodes ?? []]);
  return element;
}
