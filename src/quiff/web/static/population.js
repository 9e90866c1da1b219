// The view of a population: a study runs on the server, and its sections come in one after the other.
import { announce, downloads, find, make, problem, table } from "./dom.js";
import { check, choice, group, number, powers, taxonomy } from "./controls.js";
import { draw, forget } from "./figures.js";
import { populationQuery, state, writeAddress } from "./state.js";

let controls, stream, running, plots = [];

export function build(settings) {
  const { bounds, file } = settings;
  const [least, most] = bounds.people;
  const made = {
    people: number({ name: "people", label: "Users", min: least, max: most, scale: { ...powers(least, most), limit: most }, change: changed }),
    seed: number({ name: "seed", label: "Seed: another one, other people", min: 0, max: 100, scale: { limit: bounds.seed[1] }, change: changed }),
    top: number({ name: "ptop", label: "Topics in a user’s set (s)", min: 1, max: 20, change: changed }),
  };
  const options = [["made-up", "Made-up people"]];
  if (file) options.push(["file", `${file.name}: ${file.users} ${file.users === 1 ? "user" : "users"}, sets of ${file.top}`]);
  const source = choice({ name: "source", label: "Who", options, change: () => { show(); changed(); } });
  const further = file ? [["fitting", "what suits the file"], ["occurring", "the topics that occur"]] : [];
  const topics = taxonomy({ name: "ptopics", label: "Taxonomy", settings, bound: "made_up_topics", further, change: changed });
  const noise = number({ name: "pnoise", label: "Probability of a random topic (r)", min: 0, max: 1, step: 0.01, scale: { fine: "any" }, change: changed });
  const attacks = check({ name: "attacks", label: "Run the published attacks too (takes longer)", change: changed });
  const start = make("button", { type: "submit", class: "main", id: "start" }, "Measure");
  const stop = make("button", { type: "button", id: "stop", disabled: true }, "Cancel");
  stop.addEventListener("click", () => { end("Cancelled."); state.run = "0"; writeAddress(); start.focus(); });
  controls = { made, all: [source, ...Object.values(made), topics, noise, attacks], start, stop };
  const form = find("population-controls");
  form.append(
    group("The people", "", source, made.people, made.seed, made.top),
    group("The Topics API", "", topics, noise, attacks, make("div", { class: "buttons" }, start, stop)),
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
  const query = populationQuery();
  if (running === query && find("sections").childElementCount) return;
  end("");
  problem();
  forget(plots);
  plots = [];
  find("sections").replaceChildren();
  running = query;
  tell("Starting", 0);
  controls.stop.disabled = false;
  stream = new EventSource(`api/population?${query}`);
  stream.addEventListener("progress", ({ data }) => { const { step, share } = JSON.parse(data); tell(step, share); });
  stream.addEventListener("section", ({ data }) => section(JSON.parse(data), query));
  stream.addEventListener("done", () => end("Done."));
  stream.addEventListener("failed", ({ data }) => { end(""); problem(JSON.parse(data)); running = null; });
  stream.addEventListener("error", () => refused(query));
}

// A refusal has a reason, which an event stream does not show: it is asked for once more.
async function refused(query) {
  if (!stream) return;
  end("");
  running = null;
  const answer = await fetch(`api/population?${query}`).catch(() => null);
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
  find("population").dataset.ended = text;
  if (text) announce(text);
}

function section(data, query) {
  const file = (kind, number) => `download/population-${data.key}-${number}.${kind}?${query}`;
  const figures = data.figures.map(({ title, spec }, number) => {
    const plot = make("div", { class: "plot", role: "img", "aria-label": title });
    plots.push(plot);
    draw(plot, spec);
    return make("figure", {}, make("figcaption", {}, title), plot,
      downloads(title, [["SVG", file("svg", number)], ["PNG", file("png", number)]]));
  });
  const tables = data.tables.map((each, number) =>
    make("div", {}, table(each), downloads(each.title, [["CSV", file("csv", number)]])));
  const heading = make("h2", { id: `section-${data.key}` }, data.title);
  find("sections").append(make("section", { "aria-labelledby": heading.id }, heading,
    ...data.reading.map((sentence) => make("p", {}, sentence)), ...figures, ...tables));
}
