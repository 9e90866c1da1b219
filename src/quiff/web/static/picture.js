// The main picture, drawn here so that it follows a slider at once: lines, the points that are set, and a crowd.
import { find, make, number, probability } from "./dom.js";

const svg = find("picture"), tip = find("tip"), space = svg.namespaceURI;
const KINDS = ["first", "second"];
const STEPS = [1, 2, 5];
const DOWN = [-14, 26, 5, -34, 45, -54, 64]; // from a point to the foot of its text, what is near first
let scene, drawn, dragging;

export function shape(tag, attributes = {}, ...children) {
  const element = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const log = (value) => Math.log10(value);

// Places between two ends, as evenly as numbers allow that people read, or powers of ten.
function ticks(low, high, count, powers, whole) {
  if (powers) {
    const from = Math.ceil(log(low) - 1e-9), to = Math.floor(log(high) + 1e-9), every = Math.ceil((to - from + 1) / count);
    const found = [];
    if (to - from < 3) {
      for (let power = from - 1; power <= to; power++) found.push(...STEPS.map((each) => each * 10 ** power));
      return found.filter((at) => at >= low * 0.999 && at <= high * 1.001);
    }
    for (let power = to; power >= from; power -= every) found.unshift(10 ** power);
    return found;
  }
  const rough = (high - low) / count, base = 10 ** Math.floor(log(rough));
  let step = [...STEPS, 10].map((each) => each * base).find((each) => each >= rough - 1e-12);
  if (whole) step = Math.max(1, Math.round(step));
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step / 1e6; at += step) found.push(Number(at.toPrecision(10)));
  return found;
}

function axis(low, high, from, to, powers) {
  const [a, b] = powers ? [log(low), log(high)] : [low, high];
  const width = b - a || 1;
  return {
    low, high, powers,
    to: (value) => from + (((powers ? log(value) : value) - a) / width) * (to - from),
    back: (place) => { const at = a + ((place - from) / (to - from)) * width; return powers ? 10 ** at : at; },
  };
}

// `form` says how the picture is read: the ends of its axes, their texts, and what a drag means.
export function draw(picture, form) {
  drawn = { picture, form };
  const width = svg.clientWidth, height = svg.clientHeight;
  if (!width || !height) return;
  const small = width < 480;
  const edge = { left: small ? 90 : 104, right: small ? 22 : 28, top: 28, bottom: small ? 34 : 44 };
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const ends = dragging?.ends ?? form.ends(picture);
  const x = axis(...ends.x, edge.left, width - edge.right, picture.powers);
  const y = axis(...ends.y, height - edge.bottom, edge.top, true);
  Object.assign(drawn, { x, y, ends, edge, width, height });

  const frame = shape("g", { class: "frame", "aria-hidden": "true" });
  for (const at of ticks(...ends.y, small ? 5 : 7, true)) {
    frame.append(shape("line", { x1: edge.left, x2: width - edge.right, y1: y.to(at), y2: y.to(at), class: "grid" }),
      shape("text", { x: edge.left - 8, y: y.to(at) + 4, "text-anchor": "end" }, form.up(at)));
  }
  const longest = Math.max(...ends.x.map((at) => form.across(at).length));
  const room = Math.floor((width - edge.left - edge.right) / (7 * longest + 22));
  for (const at of ticks(...ends.x, Math.min(9, Math.max(2, room)), picture.powers, form.whole)) {
    frame.append(shape("text", { x: x.to(at), y: height - edge.bottom + 17, "text-anchor": "middle" }, form.across(at)));
  }
  frame.append(shape("text", { x: width - edge.right, y: height - 4, "text-anchor": "end", class: "title" }, picture.across));
  if (form.floor) {
    const level = y.to(form.floor);
    frame.append(shape("line", { x1: edge.left, x2: width - edge.right, y1: level, y2: level, class: "floor" }),
      shape("text", { x: width - edge.right, y: level - 6, "text-anchor": "end", class: "quiet" }, form.below));
  }
  const lines = picture.lines.map((line, place) => {
    const inside = line.filter(([at]) => at >= ends.x[0] - 1e-12 && at <= ends.x[1] + 1e-9);
    const path = inside.map(([at, value], k) => `${k ? "L" : "M"}${x.to(at).toFixed(1)} ${y.to(Math.max(value, ends.y[0])).toFixed(1)}`).join("");
    return shape("path", { d: path, class: `line ${KINDS[place]}` });
  });
  const next = shape("g", {}, frame, ...lines, shape("g", { class: "hover" }), ...labels(picture, form, x, y));
  if (scene) scene.replaceWith(next);
  else svg.prepend(next);
  scene = next;
  handles(picture, form, x, y);
  svg.setAttribute("aria-label", `${picture.title}. ${picture.points.map((point, place) => point && `${picture.names[place]}: ${form.up(point[1])} at ${form.across(point[0])}`).filter(Boolean).join("; ")}`);
}

// The values beside the points: of all places for them together those that meet least of the lines, the points and each other.
function labels(picture, form, x, y) {
  const { width, height, edge } = drawn;
  const marks = picture.points.flatMap((point, place) => (point ? [mark(picture, place, x, y)] : []));
  const met = picture.lines.flatMap((line) => line.slice(1).flatMap((to, k) => {
    const [[a, b], [c, d]] = [spot(line[k], x, y), spot(to, x, y)], count = Math.ceil(Math.hypot(c - a, d - b) / 5);
    return Array.from({ length: Math.min(count, 200) }, (_, i) => [a + ((c - a) * i) / count, b + ((d - b) * i) / count]);
  }));
  const texts = picture.points.flatMap((point, place) => {
    if (!point) return [];
    const [at, level] = mark(picture, place, x, y), name = picture.names[place];
    const words = `${picture.names.length < 2 ? "" : name.length <= 24 && width > 480 ? `${name}: ` : `${name[0]}: `}${form.up(point[1])}`;
    const wide = 7.4 * words.length;
    const places = DOWN.flatMap((down, far) => [14, -14].map((right) => {
      const left = right > 0 ? at + right : at + right - wide, top = level + down - 13;
      const near = ([a, b], room) => a > left - room && a < left + wide + room && b > top - room && b < top + 18 + room;
      const outside = left < edge.left || left + wide > width - 2 || top < 0 || top + 18 > height - edge.bottom;
      return { box: [left, top, wide], right, down, cost: met.filter((each) => near(each, 3)).length + (marks.some((each) => near(each, 6)) ? 50 : 0) + (outside ? 500 : 0) + far / 4 };
    }));
    return [{ place, words, at, level, places }];
  });
  const over = ([a, b, c], [d, e, f]) => a < d + f + 6 && d < a + c + 6 && Math.abs(b - e) < 19;
  const choices = texts.length < 2 ? (texts[0]?.places ?? []).map((one) => [one])
    : texts[0].places.flatMap((one) => texts[1].places.map((other) => [one, other]));
  const cost = (chosen) => chosen.reduce((sum, each) => sum + each.cost, 0) + (chosen[1] && over(chosen[0].box, chosen[1].box) ? 1000 : 0);
  const best = choices.map((chosen) => [cost(chosen), chosen]).reduce((one, other) => (other[0] < one[0] ? other : one), [Infinity, []])[1];
  return best.map(({ right, down }, k) => shape("text", { x: texts[k].at + right, y: texts[k].level + down, "text-anchor": right > 0 ? "start" : "end", class: `name ${KINDS[texts[k].place]}`, "aria-hidden": "true" }, texts[k].words));
}

// Where the mark of a point stands: two that would hide each other step aside.
function mark(picture, place, x, y) {
  const own = spot(picture.points[place], x, y), other = picture.points[1 - place] && spot(picture.points[1 - place], x, y);
  const hides = other && Math.hypot(other[0] - own[0], other[1] - own[1]) < 12;
  return [own[0] + (hides ? 18 * place - 9 : 0), own[1]];
}

// The points stay the same elements, so that a key or a finger does not lose them.
function handles(picture, form, x, y) {
  const there = [...svg.querySelectorAll(".handle")];
  KINDS.forEach((kind, place) => {
    const point = picture.points[place];
    let handle = there.find((each) => each.dataset.place === String(place));
    if (!point) { handle?.remove(); return; }
    if (!handle) {
      handle = shape("g", { class: `handle ${kind}`, role: "slider", tabindex: 0, "data-place": place }, shape("circle", { r: 16, class: "reach" }),
        place ? shape("rect", { x: -7, y: -7, width: 14, height: 14 }) : shape("circle", { r: 8 }));
      handle.addEventListener("keydown", keyed);
      svg.append(handle);
    }
    handle.setAttribute("transform", `translate(${mark(picture, place, x, y).join(" ")})`);
    const told = { "aria-label": `${picture.across}, ${picture.names[place]}`, "aria-valuenow": point[0], "aria-valuemin": drawn.ends.x[0], "aria-valuemax": drawn.ends.x[1], "aria-valuetext": `${form.across(point[0])}: ${form.up(point[1])}` };
    for (const [name, value] of Object.entries(told)) handle.setAttribute(name, value);
  });
}

const spot = (point, x, y) => [x.to(Math.min(Math.max(point[0], x.low), x.high)), y.to(Math.max(point[1], y.low))];

function keyed(event) {
  const turn = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
  if (!turn) return;
  event.preventDefault();
  const place = Number(event.currentTarget.dataset.place), { x, form, picture, width } = drawn;
  const now = picture.points[place][0];
  const next = form.whole ? now + turn : x.back(x.to(now) + (turn * width) / 100);
  form.drag(place, form.settle(Math.min(Math.max(next, x.low), x.high)));
}

function position(event) {
  const box = svg.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

svg.addEventListener("pointerdown", (event) => {
  if (!drawn?.form.drag || event.button) return;
  const [at, level] = position(event), { x, y, picture } = drawn;
  const far = picture.points.map((point) => (point ? Math.hypot(x.to(point[0]) - at, y.to(point[1]) - level) : Infinity));
  const place = far.indexOf(Math.min(...far));
  if (far[place] > 28) return;
  dragging = { place, ends: drawn.ends };
  svg.setPointerCapture(event.pointerId);
  event.preventDefault();
});

svg.addEventListener("pointermove", (event) => {
  const [at] = position(event);
  if (!drawn?.x) return;
  const { x, form } = drawn, value = Math.min(Math.max(x.back(at), x.low), x.high);
  if (dragging) form.drag(dragging.place, form.settle(value));
  else hover(value, event.pointerType === "touch");
});

const release = () => { if (dragging) { dragging = null; redraw(); } };
svg.addEventListener("pointerup", release);
svg.addEventListener("pointercancel", release);
svg.addEventListener("pointerleave", () => hover());

// Tells the values where the pointer is.
function hover(value, touched = false) {
  const place = scene?.querySelector(".hover");
  tip.hidden = value === undefined || touched;
  place?.replaceChildren();
  if (tip.hidden) return;
  const { picture, form, x, y, edge, width, height } = drawn;
  const near = picture.lines.map((line) => line.reduce((best, point) => (!best || Math.abs(x.to(point[0]) - x.to(value)) < Math.abs(x.to(best[0]) - x.to(value)) ? point : best), null));
  const at = near.find(Boolean)?.[0];
  if (at === undefined) { tip.hidden = true; return; }
  place.append(shape("line", { x1: x.to(at), x2: x.to(at), y1: edge.top, y2: height - edge.bottom, class: "rule" }),
    ...near.flatMap((point, k) => (point ? [shape("circle", { cx: x.to(point[0]), cy: y.to(Math.max(point[1], y.low)), r: 4, class: `spot ${KINDS[k]}` })] : [])));
  tip.replaceChildren(make("b", {}, `${form.what(at)}`), ...near.flatMap((point, k) => (point ? [make("br"), `${picture.names[k]}: ${form.up(point[1])}`] : [])));
  tip.style.left = `${Math.min(x.to(at) + 14, width - tip.offsetWidth - 4)}px`;
  tip.style.top = `${height - edge.bottom - tip.offsetHeight - 10}px`;
}

function redraw() {
  if (drawn && !svg.hidden && svg.clientWidth) draw(drawn.picture, drawn.form);
}
new ResizeObserver(redraw).observe(svg);

// People as dots, in rows; from some number on a dot stands for many. One of them is the person.
function dots(count, most, kind, shown = count) {
  const each = count <= most ? 1 : 10 ** Math.ceil(log(count / most));
  const number = Math.max(1, Math.round(count / each)), columns = Math.ceil(Math.sqrt(number * 1.5)), rows = Math.ceil(number / columns);
  const path = (from, to) => Array.from({ length: Math.max(0, to - from) }, (_, k) => `M${((from + k) % columns) + 0.5} ${Math.floor((from + k) / columns) + 0.5}h0`).join("");
  const left = Math.min(number, Math.max(1, Math.round(shown / each)));
  const place = [((left - 1) % columns) + 0.5, Math.floor((left - 1) / columns) + 0.5];
  const picture = shape("svg", { viewBox: `0 0 ${columns} ${rows}`, preserveAspectRatio: "xMinYMin meet", class: `dots ${kind}`, "aria-hidden": "true" },
    shape("path", { d: path(left, number), class: "gone" }), shape("path", { d: path(0, left), class: "left" }),
    shape("path", { d: `M${place[0]} ${place[1]}h0`, class: "person" }));
  return { picture, each };
}

// Everybody, and the crowd that is left of them: 1 in N as N people.
export function crowd(users, names, shares, after) {
  const words = (each) => (each === 1 ? "a dot is one person" : `a dot is ${number(each)} people`);
  const figures = shares.flatMap((share, place) => {
    if (share === undefined) return [];
    const left = 1 / share, { picture, each } = dots(left, 1000, KINDS[place]);
    const said = share >= 1 ? "nobody is sure to be hidden: no crowd is promised" : `hidden as among ${number(left)} people (${probability(share)}), or more`;
    return [make("figure", {}, make("figcaption", {}, make("b", {}, `${names[place]}, ${after}: `), `${said}; ${words(each)}`), picture)];
  });
  const least = Math.min(...shares.filter((share) => share !== undefined));
  const everybody = dots(users, 1000, "all", 1 / (least || 1));
  find("crowd").replaceChildren(make("figure", {}, make("figcaption", {}, make("b", {}, "Before: "), `among ${number(users)} people; ${words(everybody.each)}`), everybody.picture), ...figures);
}
