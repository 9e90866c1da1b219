// The view of the paper: what holds, the points with their places, and its items, filtered by the server.
import { announce, ask, downloads, find, make, problem, sentence } from "./dom.js";
import { choice, group } from "./controls.js";
import { parsed } from "./sections.js";
import { paperQuery, state, writeAddress } from "./state.js";

const VERDICTS = [["all", "All"], ["match", "As printed"], ["wrong", "Wrong number or equation"], ["assumption", "Assumption"],
  ["too-strong", "Too strong, or wording"], ["misprint", "Misprint or rounding"], ["ambiguous", "A matter of reading"],
  ["needs-data", "What needs data"], ["cited", "Cited, not recomputed"]];
let verdict, words, wait, latest;

export function build() {
  verdict = choice({ name: "verdict", label: "Verdict", options: VERDICTS, change: changed });
  words = make("input", { type: "search", id: "words", maxlength: 40 });
  words.addEventListener("input", () => {
    state.words = words.value;
    clearTimeout(wait);
    wait = setTimeout(changed, 120);
  });
  const search = make("div", { class: "control choice" }, make("label", { for: "words" }, "Words in the id, place, figure or note"), words);
  find("paper-controls").append(group("Show", verdict, search));
  find("paper-controls").addEventListener("submit", (event) => event.preventDefault());
}

function changed() {
  writeAddress();
  refresh();
}

export function show() {
  verdict.show();
  words.value = state.words;
}

function point(found) {
  return make("details", { class: "point" }, make("summary", {}, found.title),
    ...found.told.map((text) => make("p", {}, text)), make("ul", {}, ...found.places.map((text) => make("li", {}, text))));
}

function summary(answer) {
  const kinds = [...new Set(answer.points.map((found) => found.kind))];
  find("paper-sentences").replaceChildren(...answer.sentences.map(sentence));
  find("points").replaceChildren(...kinds.map((kind) => make("section", { class: "kind" },
    make("h3", {}, kind[0].toUpperCase() + kind.slice(1)), ...answer.points.filter((found) => found.kind === kind).map(point))));
}

export async function refresh() {
  latest?.abort();
  const query = paperQuery(), mine = (latest = new AbortController());
  try {
    const answer = await ask(`api/paper?${query}`, mine.signal);
    problem();
    if (!find("points").childElementCount) summary(answer);
    find("items").replaceChildren(downloads("the items shown", [["CSV", `download/paper.csv?${query}`]]), ...parsed(answer.html));
    find("items").querySelectorAll("tbody tr").forEach((row, place) => { row.dataset.verdict = answer.verdicts[place]; });
    find("paper").dataset.answered = query;
    announce(find("items").querySelector("caption").textContent);
  } catch (error) {
    if (error.name !== "AbortError") problem(error.message);
  }
}
