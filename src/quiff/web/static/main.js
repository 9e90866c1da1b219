// The page: which view is shown, and how it follows the address.
import * as column from "./column.js";
import * as compare from "./compare.js";
import * as design from "./design.js";
import * as guide from "./guide.js";
import * as paper from "./paper.js";
import * as people from "./people.js";
import { ask, find, problem, told } from "./dom.js";
import { address, readAddress, state, writeAddress } from "./state.js";

const VIEWS = { design, people, compare, paper };
const links = [...document.querySelectorAll("nav a")];

function show() {
  problem();
  column.fail();
  column.show();
  for (const [name, view] of Object.entries(VIEWS)) {
    find(name).hidden = name !== state.view;
    view.show();
  }
  for (const link of links) {
    if (link.dataset.view === state.view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.body.dataset.view = state.view;
  document.title = `${links.find((link) => link.dataset.view === state.view).textContent} · quiff explorer`;
  VIEWS[state.view].refresh();
}

for (const link of links) {
  // The link always leads to the whole present state, also for those who copy it.
  link.addEventListener("pointerdown", () => { link.href = address({ view: link.dataset.view }); });
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    state.view = link.dataset.view;
    writeAddress(true);
    show();
  });
}
addEventListener("popstate", () => { readAddress(); show(); });

try {
  const settings = await ask("api/settings");
  find("version").textContent = settings.version;
  readAddress();
  const fresh = !location.search;
  // Opened with a file, the page begins with the people in it.
  if (fresh && settings.file) {
    Object.assign(state, { view: "people", source: "file", run: "1" });
    writeAddress();
  }
  if (told("led") === "1") state.run = "0"; // another page must not make this one work
  column.build(settings, (changed) => VIEWS[state.view].refresh(changed));
  for (const view of Object.values(VIEWS)) view.build(settings, show);
  show();
  guide.build(show, fresh && !settings.file);
} catch (error) {
  problem(error.message);
}
