// The view of people: a study runs on the server, and its sections come in one after the other.
import { announce, find, make, problem } from "./dom.js";
import { chooser } from "./apis.js";
import { check, choice, group, number, powers } from "./controls.js";
import { forget } from "./figures.js";
import { section } from "./sections.js";
import { peopleQuery, state, writeAddress } from "./state.js";

let controls, stream, running, plots = [];

export function build(settings) {
  const { bounds, file } = settings;
  const [least, most] = bounds.n;
  const made = {
    people: number({ name: "n", label: "How many", min: least, max: most, scale: { ...powers(least, most), limit: most }, change: changed }),
    seed: number({ name: "seed", label: "Random seed: another one, other people", min: 0, max: 100, scale: { limit: bounds.seed[1] }, change: changed }),
  };
  const options = [["synthetic", "Synthetic people"]];
  if (file) options.push(["file", `${file.name}: ${file.users} ${file.users === 1 ? "user" : "users"} with ${file.attributes.join(", ") || "no attributes"}`]);
  const source = choice({ name: "source", label: "Who", options, change: () => { show(); changed(); } });
  // The same choice of API as in the view of designs: one address, one API.
  const api = chooser({ key: "api", title: "The API", kind: "first", settings: { ...settings, presets: [] }, suffix: "-people", get: () => state.api, set: (spec) => { state.api = spec; changed(); } });
  const observations = number({ name: "observed", label: "Observations of one person", min: 1, max: 10, change: changed });
  const attacks = check({ name: "attacks", label: "Run the published attacks too (takes longer)", change: changed });
  const start = make("button", { type: "submit", class: "main", id: "start" }, "Measure");
  const stop = make("button", { type: "button", id: "stop", disabled: true }, "Cancel");
  stop.addEventListener("click", () => { end("Cancelled."); state.run = "0"; writeAddress(); start.focus(); });
  controls = { made, all: [source, ...Object.values(made), api, observations, attacks], start, stop };
  const form = find("people-controls");
  form.append(
    group("The people", "", source, made.people, made.seed),
    api.element,
    group("The studies", "", observations, attacks, make("div", { class: "buttons" }, start, stop)),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    state.run = "1";
    writeAddress(true);
    run();
  });
}

function changed() {
  if (state.run === "1") { state.run = "0"; end(""); }
  writeAddress();
}

export function show() {
  for (const control of controls.all) control.show();
  for (const control of Object.values(controls.made)) control.element.hidden = state.source === "file";
}

// What the address says was run is shown again.
export function refresh() {
  if (state.run === "1") run();
  else if (stream) end("");
}

function run() {
  const query = peopleQuery();
  if (running === query && find("sections").childElementCount) return;
  end("");
  problem();
  forget(plots);
  plots = [];
  find("sections").replaceChildren();
  running = query;
  tell("Starting", 0);
  controls.stop.disabled = false;
  stream = new EventSource(`api/people?${query}`);
  stream.addEventListener("progress", ({ data }) => { const { step, share } = JSON.parse(data); tell(step, share); });
  stream.addEventListener("section", ({ data }) => find("sections").append(section(JSON.parse(data), "people", query, plots)));
  stream.addEventListener("done", () => end("Done."));
  stream.addEventListener("failed", ({ data }) => { end(""); problem(JSON.parse(data)); running = null; });
  stream.addEventListener("error", () => refused(query));
}

// A refusal has a reason, which an event stream does not show: it is asked for once more.
async function refused(query) {
  if (!stream) return;
  end("");
  running = null;
  const answer = await fetch(`api/people?${query}`).catch(() => null);
  problem(answer && !answer.ok ? (await answer.text()).trim() : "The connection was lost; start again.");
  answer?.body?.cancel();
}

function tell(step, share) {
  find("run").hidden = false;
  find("step").textContent = `${step[0].toUpperCase()}${step.slice(1)} …`;
  find("progress").value = share;
}

function end(text) {
  stream?.close();
  stream = null;
  if (text !== "Done.") running = null;
  controls.stop.disabled = true;
  find("run").hidden = true;
  find("people").dataset.ended = text;
  if (text) announce(text);
}
