// A guided first minute: a strip at the bottom that points at one thing after the other, and can be skipped.
import { find, make } from "./dom.js";
import { state, writeAddress } from "./state.js";

const STEPS = [
  ["Choose an API here, and move a slider. The sentence and the picture follow.", { view: "design" }, ".designs"],
  ["The sentence says what one observation can do at most, for any people. The number of people is yours to set.", { view: "design" }, "#sentences"],
  ["The picture: how far it goes, observation after observation. Drag the point.", { view: "design", picture: "time" }, "#figure"],
  ["The same probability as a crowd: among how many people is a person still hidden?", { view: "design", picture: "crowd" }, "#figure"],
  ["Set a second design (B) beside it, of the same API or of another. A story sets both.", { view: "design", picture: "time" }, "#design-B"],
  ["People: measure exactly, on synthetic people or on your own file. Nothing leaves this machine.", { view: "people" }, "#start"],
];
let step = -1, open;

export function build(show, fresh) {
  open = show;
  find("guide-open").addEventListener("click", () => (step < 0 ? go(0) : close()));
  addEventListener("keydown", (event) => { if (event.key === "Escape" && step >= 0) close(); });
  if (fresh) go(0, false);
}

function go(number, moves = true) {
  step = number;
  const [text, wanted, target] = STEPS[step], last = step === STEPS.length - 1;
  if (moves) { Object.assign(state, wanted); writeAddress(); open(); }
  point(target);
  const back = make("button", { type: "button", disabled: step === 0 }, "Back");
  const next = make("button", { type: "button", class: "main", id: "guide-next" }, last ? "Done" : "Next");
  const skip = make("button", { type: "button", id: "guide-skip" }, "Skip");
  back.addEventListener("click", () => go(step - 1));
  next.addEventListener("click", () => { if (last) close(); else { go(step + 1); find("guide-next").focus(); } });
  skip.addEventListener("click", close);
  find("guide").hidden = false;
  find("guide").replaceChildren(make("h2", { id: "guide-title" }, `First minute, ${step + 1} of ${STEPS.length}`), make("p", { "aria-live": "polite" }, text),
    make("div", { class: "buttons" }, back, next, ...(last ? [] : [skip])));
}

function point(target) {
  for (const each of document.querySelectorAll(".pointed")) each.classList.remove("pointed");
  if (target) document.querySelector(target)?.classList.add("pointed");
}

function close() {
  step = -1;
  point();
  find("guide").hidden = true;
  writeAddress(); // which is no longer that of a first visit
  find("guide-open").focus();
}
