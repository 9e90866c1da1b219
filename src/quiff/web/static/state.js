// All that the page shows follows from its address: this is the one place that reads and writes it.

const DEFAULTS = {
  view: "design",
  topics: "v1", top: "5", noise: "0.05", users: "1000000", epochs: "3",
  second: "0", topics2: "v2", top2: "5", noise2: "0.05",
  source: "made-up", people: "2000", seed: "0", ptopics: "v1", ptop: "5", pnoise: "0.05", attacks: "0", run: "0",
  verdict: "all", words: "",
};

export const state = { ...DEFAULTS };

export function readAddress() {
  const given = new URLSearchParams(location.search);
  for (const name of Object.keys(DEFAULTS)) state[name] = given.get(name) ?? DEFAULTS[name];
  if (!["design", "population", "paper"].includes(state.view)) state.view = "design";
}

export function address(changes = {}) {
  const all = { ...state, ...changes };
  const kept = Object.entries(all).filter(([name, value]) => name === "view" || value !== DEFAULTS[name]);
  return `?${new URLSearchParams(kept)}`;
}

let writing;

// A new entry of the history for a step (push), else the present one changes, not more often than browsers allow.
export function writeAddress(push = false) {
  clearTimeout(writing);
  const write = () => history[push ? "pushState" : "replaceState"](null, "", address());
  if (push) write();
  else writing = setTimeout(write, 150);
}

export function designQuery() {
  const { topics, top, noise, users, epochs, topics2, top2, noise2 } = state;
  const first = { topics, top, noise, users, epochs };
  return String(new URLSearchParams(state.second === "1" ? { ...first, topics2, top2, noise2 } : first));
}

export function populationQuery() {
  const { source, people, seed, ptopics, ptop, pnoise, attacks } = state;
  const common = { source, topics: ptopics, noise: pnoise, attacks };
  return String(new URLSearchParams(source === "file" ? common : { ...common, people, seed, top: ptop }));
}

export function paperQuery() {
  return String(new URLSearchParams({ verdict: state.verdict, words: state.words }));
}
