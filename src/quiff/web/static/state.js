// All that the page shows follows from its address: this is the one place that reads and writes it.

const DEFAULTS = {
  view: "design",
  api: "topics", second: "0", api2: "cookies", users: "1000000", observations: "4",
  picture: "time", along: "", prior: "0.0001", story: "",
  source: "synthetic", n: "2000", seed: "0", observed: "4", attacks: "0", stability: "", run: "0",
  verdict: "all", words: "",
};

export const state = { ...DEFAULTS };

export function readAddress() {
  const given = new URLSearchParams(location.search);
  for (const name of Object.keys(DEFAULTS)) state[name] = given.get(name) ?? DEFAULTS[name];
  if (!["design", "people", "compare", "paper"].includes(state.view)) state.view = "design";
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

const second = () => (state.second === "1" ? { api2: state.api2 } : {});

export function designQuery() {
  const { api, users, observations, prior, along } = state;
  const drawn = state.picture === "parameter" ? { along } : {};
  return String(new URLSearchParams({ api, ...second(), users, observations, prior, ...drawn }));
}

export const compareQuery = () => String(new URLSearchParams({ api: state.api, ...second() }));

export function peopleQuery() {
  const { source, n, seed, api, observed, attacks, stability } = state;
  const common = { source, api, ...second(), observations: observed, attacks, ...(stability && { stability }) };
  return String(new URLSearchParams(source === "file" ? common : { ...common, n, seed }));
}

export const paperQuery = () => String(new URLSearchParams({ verdict: state.verdict, words: state.words }));
