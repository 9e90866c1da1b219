// The view of people: a study runs on the server, and its sections come in one after the other.
import { announce, find, keyed, problem, refusal } from "./dom.js";
import * as column from "./column.js";
import { forget, prepare } from "./figures.js";
import { section } from "./sections.js";
import { peopleQuery, state, writeAddress } from "./state.js";

let stream, running, plots = [];

export function build() {
  find("controls").addEventListener("submit", (event) => {
    event.preventDefault();
    if (state.view !== "people") return;
    state.run = "1";
    writeAddress(true);
    run();
  });
  find("stop").addEventListener("click", () => { end("Cancelled."); state.run = "0"; writeAddress(); find("start").focus(); });
}

export function show() {
  if (state.view === "people") prepare();
}

// What the address says was run is shown again; a change of settings marks the results as out of date.
export function refresh(changed) {
  const old = Boolean(running) && running !== peopleQuery();
  if (state.run === "1" && !changed) return run();
  if (old && stream) { // a study that nobody waits for
    end("");
    running = null;
    clear();
  }
  state.run = running && !old ? "1" : "0";
  mark(old && running);
}

function clear() {
  for (const id of ["sections", "people-lead"]) find(id).replaceChildren();
}

function mark(old) {
  find("stale").hidden = !old;
  find("stale").textContent = old ? "Out of date: these results are of other settings. Press Measure to compute them anew." : "";
  find("people").classList.toggle("old", Boolean(old));
}

function run() {
  const query = peopleQuery();
  if (running === query && find("sections").childElementCount) { mark(false); return; }
  end("");
  problem();
  column.fail();
  mark(false);
  forget(plots);
  plots = [];
  clear();
  running = query;
  tell("Starting", 0);
  find("stop").disabled = false;
  find("people-about").hidden = true;
  find("synthetic").hidden = state.source === "file";
  find("synthetic").textContent = `These ${Number(state.n).toLocaleString("en")} people are synthetic: nobody real is described.`;
  stream = new EventSource(keyed(`api/people?${query}`));
  stream.addEventListener("progress", ({ data }) => { const { step, share } = JSON.parse(data); tell(step, share); });
  stream.addEventListener("section", ({ data }) => found(JSON.parse(data), query));
  stream.addEventListener("done", () => end("Done."));
  stream.addEventListener("failed", ({ data }) => { end(""); running = null; problem(JSON.parse(data)); clear(); });
  stream.addEventListener("error", () => refused(query));
}

// A refusal has a reason, which an event stream does not show: it is asked for once more.
async function refused(query) {
  if (!stream) return;
  end("");
  running = null;
  const answer = await fetch(keyed(`api/people?${query}`)).catch(() => null);
  const error = answer && !answer.ok ? await refusal(answer) : new Error("The connection was lost; start again.");
  problem(column.fail(error) ? "" : error.message);
  answer?.body?.cancel().catch(() => {});
}

// The main figure of the first section stays in sight.
function found(data, query) {
  const lead = find("sections").childElementCount ? undefined : find("people-lead");
  find("sections").append(section(data, query, plots, lead));
}

function tell(step, share) {
  find("run").hidden = false;
  find("step").textContent = `${step[0].toUpperCase()}${step.slice(1)} …`;
  find("progress").value = share;
}

function end(text) {
  stream?.close();
  stream = null;
  if (text === "Cancelled.") running = null;
  find("stop").disabled = true;
  find("run").hidden = true;
  find("people").dataset.ended = text;
  if (text) announce(text);
}
