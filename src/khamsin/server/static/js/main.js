/** The page: puts the parts together and answers the hand. */

import * as api from "./api.js";
import { Board } from "./board.js";
import { between, byId, el, keep, recall, still } from "./dom.js";
import { Find } from "./find.js";
import { HexPanel } from "./hexpanel.js";
import { Legend } from "./legend.js";
import { Marks } from "./marks.js";
import { Minimap } from "./minimap.js";
import { LAYERS, Sheet } from "./sheet.js";
import { View } from "./view.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const desk = byId("desk");
const table = byId("table");
const [under, ground] = [byId("under"), byId("ground")];

const view = new View(byId("viewport"), [under, ground, byId("marks")]);
const marks = new Marks(byId("marks"));
const minimap = new Minimap(byId("minimap"), view);
const find = new Find(goToFound);
const legend = new Legend(byId("board-panel"), {
  layer: toggleLayer,
  outline: (shape) => marks.outline(shape),
  visit: bringIntoSight,
});
const panel = new HexPanel(byId("hex-panel"), { go: goTo, release: () => pin(null), area: showArea });

/** What is on the table now. */
const now = { games: [], game: "", board: null, sheet: null, hovered: null, pinned: null, laid: 0 };
const off = new Set(recall("off", []));
const drawn = new Map();
const stands = new Map();

await begin();

/* Choosing a board */

async function begin() {
  foldAtFirst();
  view.addEventListener("rest", lay);
  view.addEventListener("hover", ({ detail }) => hover(detail));
  view.addEventListener("grab", () => hover(null));
  view.addEventListener("leave", () => hover(null));
  view.addEventListener("tap", ({ detail }) => tap(detail));
  view.addEventListener("move", drawScale);
  view.addEventListener("move", coverWhileShrinking);
  addEventListener("popstate", follow);
  addEventListener("hashchange", follow);
  listenToKeys();
  listenToButtons();
  await layOut();
}

/** Ask which boards there are, and show one. */
async function layOut() {
  try {
    now.games = await api.boards();
  } catch (error) {
    return tell(error, layOut);
  }
  byId("tabs").replaceChildren(...now.games.map(tab));
  await follow();
}

function tab({ id, title }, index) {
  return el("button", {
    type: "button", role: "tab", id: `tab-${id}`, "aria-controls": "table", "aria-selected": "false", tabindex: -1,
    "aria-keyshortcuts": String(index + 1), click: () => choose(id),
    keydown: (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.stopPropagation();
      const tabs = [...byId("tabs").children];
      const next = tabs[(index + step + tabs.length) % tabs.length];
      next.focus();
      next.click();
    },
  }, el("kbd", { "aria-hidden": "true" }, String(index + 1)), title);
}

/** Show what the address asks for: #game/hex. */
async function follow() {
  const [game, number] = location.hash.slice(1).split("/");
  const known = now.games.some(({ id }) => id === game);
  const wanted = known ? game : recall("board", now.games[0].id);
  const target = now.games.some(({ id }) => id === wanted) ? wanted : now.games[0].id;
  if (target !== now.game) await show(target, number);
  else if (number && number !== now.pinned?.number) await visitNumber(number);
  else if (!number && now.pinned) pin(null);
}

function choose(game) {
  if (game === now.game) return;
  history.pushState(null, "", `#${game}`);
  show(game);
}

/** Put a board on the table. */
async function show(game, number) {
  if (now.board) stands.set(now.game, { centre: view.centre, zoom: view.zoom });
  now.game = game;
  for (const { id } of now.games) {
    const chosen = id === game;
    byId(`tab-${id}`).setAttribute("aria-selected", String(chosen));
    byId(`tab-${id}`).tabIndex = chosen ? 0 : -1;
  }
  byId(`tab-${game}`).scrollIntoView({ block: "nearest", inline: "nearest" });
  const { title } = now.games.find(({ id }) => id === game);
  document.title = `${title} · Khamsin`;
  const patience = setTimeout(() => now.game === game && wait(title), 120);
  try {
    if (!drawn.has(game)) {
      const [data, map] = await Promise.all([api.board(game), api.map(game)]);
      const board = new Board(data);
      drawn.set(game, { board, sheet: new Sheet(board, map), picture: null });
    }
  } catch (error) {
    if (now.game === game) tell(error, () => show(game, number));
    return;
  } finally {
    clearTimeout(patience);
  }
  if (now.game !== game) return;
  keep("board", game);
  lift(drawn.get(game));
  if (number) await visitNumber(number, true);
}

/** Set a drawn board before the reader. */
function lift({ board, sheet, picture }) {
  Object.assign(now, { board, sheet, hovered: null, pinned: null, laid: 0 });
  byId("notice").hidden = true;
  under.replaceChildren(...(picture ? [picture] : []));
  ground.replaceChildren(sheet.host);
  sheet.switchOff(off);
  marks.show(board);
  view.show(board.width, board.height);
  find.show(board);
  legend.show(board, off);
  panel.show(board);
  minimap.show();
  if (picture) minimap.picture(picture);
  const before = stands.get(board.id);
  if (before) view.stand(...before.centre, before.zoom);
  else view.stand(...firstStand(board));
  table.setAttribute("aria-label", `Map of ${board.title}`);
  byId("spoken").textContent = `${board.title}, ${board.hexes.length} hexes`;
  say(null);
  table.classList.add("shown");
  if (!picture) takePicture();
}

/** Where to stand at first: the hexes fill the window, and the middle of the greater places is near its own. */
function firstStand(board) {
  const span = (key) => [Math.min(...board.hexes.map((hex) => hex[key])), Math.max(...board.hexes.map((hex) => hex[key]))];
  const [[left, right], [top, bottom]] = [span("x"), span("y")];
  const { width, height } = view.size;
  const filling = Math.max(width / (right - left), height / (bottom - top));
  const zoom = between(view.whole, filling, view.whole * 2.2);
  const great = board.places.filter(({ rank }) => rank <= 3);
  const middle = (key, low, high, half) => {
    if (half > (high - low) / 2) return (low + high) / 2;
    const mean = great.length ? great.reduce((sum, { hex }) => sum + hex[key], 0) / great.length : (low + high) / 2;
    return between(low + half, mean, high - half);
  };
  return [middle("x", left, right, width / 2 / zoom), middle("y", top, bottom, height / 2 / zoom), zoom];
}

/** Draw the picture of the whole once the map itself stands. */
function takePicture() {
  const { board, sheet } = now;
  const later = window.requestIdleCallback ?? ((work) => setTimeout(work, 200));
  later(async () => {
    try {
      const picture = await sheet.picture(off);
      drawn.get(board.id).picture = picture;
      if (now.board !== board) return;
      under.replaceChildren(picture);
      size(picture);
      minimap.picture(picture);
    } catch {
      /* A browser that cannot make a picture of a drawing still shows the drawing. */
    }
  });
}

function size(picture) {
  picture.style.width = `${now.board.width * view.laid}px`;
  picture.style.height = `${now.board.height * view.laid}px`;
}

/** Lay everything out at the zoom at which the view came to rest. */
function lay() {
  if (!now.board) return;
  now.sheet.cull(view.laid, view.sight);
  if (now.laid === view.laid) return;
  now.laid = view.laid;
  now.sheet.lay(view.laid);
  marks.lay(view.laid, off.has("names") ? new Set() : now.sheet.hidden);
  legend.far(now.sheet.tooFar(view.laid) && !off.has("numbers"));
  if (under.firstChild) size(under.firstChild);
}

/**
 * A sheet laid out for a near look and shrunk by a transform would have to be painted whole at its full size, which can
 * take seconds; until it is laid out anew the picture of the whole stands in.
 */
function coverWhileShrinking() {
  ground.classList.toggle("covered", view.zoom / view.laid < 0.6 && Boolean(under.firstChild));
}

/* The hex under the hand */

function hover(point) {
  const hex = point && now.board ? now.board.at(...view.toSheet(point.x, point.y)) : null;
  placeTip(hex, point);
  if (hex === now.hovered) return;
  now.hovered = hex;
  marks.set("hover", hex === now.pinned ? null : hex);
  say(hex);
}

function placeTip(hex, point) {
  const tip = byId("tip");
  const told = !desk.classList.contains("no-right") && (!now.pinned || hex === now.pinned);
  tip.hidden = !hex || told;
  if (tip.hidden) return;
  if (tip.dataset.hex !== hex.number) {
    tip.dataset.hex = hex.number;
    tip.replaceChildren(el("b", {}, hex.number), " ", hex.places[0]?.name ?? "", el("span", {}, hex.terrain));
  }
  const x = Math.min(point.x + 16, view.size.width - tip.offsetWidth - 8);
  const y = point.y + 18 + tip.offsetHeight > view.size.height ? point.y - tip.offsetHeight - 10 : point.y + 18;
  tip.style.transform = `translate(${x}px, ${y}px)`;
}

/** Tell of a hex in the foot and, while none is pinned, in the panel. */
function say(hex) {
  const told = hex ?? now.pinned;
  const touched = matchMedia("(pointer: coarse)").matches;
  if (!now.pinned) panel.say(hex, false);
  byId("asked").replaceChildren(...(told
    ? [el("b", {}, told.number), told.places.length ? ` ${told.places.map(({ name }) => name).join(", ")}` : "", " ", el("span", {}, now.board.sentence(told))]
    : [el("span", { class: "lead" }, "Look around. "), el("span", {}, touched
      ? "Drag to move, pinch to come nearer, tap a hex to pin it."
      : "Drag to move, turn the wheel to come nearer, click a hex to pin it.")]));
}

function tap(point) {
  table.focus({ preventScroll: true });
  if (!now.board) return;
  const hex = now.board.at(...view.toSheet(point.x, point.y));
  pin(hex === now.pinned ? null : hex);
}

/** Hold a hex in the panel and in the address. */
function pin(hex) {
  const before = now.pinned;
  now.pinned = hex;
  marks.set("pin", hex);
  marks.set("hover", now.hovered === hex ? null : now.hovered);
  panel.say(hex ?? now.hovered, Boolean(hex));
  say(now.hovered);
  byId("tip").hidden = true;
  if (before === hex) return;
  history.replaceState(null, "", hex ? `#${now.game}/${hex.number}` : `#${now.game}`);
  if (hex) {
    const name = hex.places.map(({ name }) => name).join(", ");
    byId("spoken").textContent = `${hex.number}${name ? ` ${name}` : ""}, ${now.board.sentence(hex)}`;
  }
}

/** Pin a hex and bring it into sight. */
function goTo(hex) {
  pin(hex);
  view.reveal(hex.x, hex.y);
}

async function visitNumber(number, atOnce = false) {
  const hex = now.board?.byNumber.get(number);
  if (!hex) {
    byId("asked").replaceChildren(el("span", {}, `There is no hex ${number} on the board of ${now.board?.title ?? now.game}.`));
    return;
  }
  pin(hex);
  const near = Math.max(view.zoom, 0.9);
  if (atOnce) view.stand(hex.x, hex.y, near);
  else view.fly(hex.x, hex.y, near);
  marks.flash(hex);
}

/** Go where the search box says. */
function goToFound({ hexes, area }) {
  if (hexes.length === 1) {
    pin(hexes[0]);
    view.fly(hexes[0].x, hexes[0].y, Math.max(view.zoom, 0.9));
    marks.flash(hexes[0]);
  } else bringIntoSight(hexes);
  if (area) legend.showArea(area);
  else {
    legend.release();
    marks.outline(null);
  }
}

/** Outline an area that the hex panel names. */
function showArea(area) {
  legend.showArea(area);
  bringIntoSight(area.hexes.map((number) => now.board.byNumber.get(number)).filter(Boolean));
}

/** Move so that hexes can be seen, no nearer than is needed to read them. */
function bringIntoSight(hexes) {
  if (!hexes.length) return;
  const [xs, ys] = [hexes.map(({ x }) => x), hexes.map(({ y }) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const margin = 4 * now.board.scale;
  const zoom = Math.min(view.size.width / (right - left + margin), view.size.height / (bottom - top + margin), Math.max(view.zoom, 0.8));
  view.fly((left + right) / 2, (top + bottom) / 2, zoom);
}

/** Step from the pinned hex to the next in a direction of the screen; straight up or down where rows are staggered. */
function step([dx, dy]) {
  const { board } = now;
  if (!board) return;
  const from = now.pinned ?? board.at(...view.centre);
  if (!from) return;
  if (!now.pinned) return goTo(from);
  const line = now.line && now.line.hex === from ? now.line : { x: from.x, y: from.y };
  const ways = board.directions.map((way, i) => ({ near: board.neighbour(from, i), ahead: way.dx * dx + way.dy * dy }));
  const best = ways
    .filter(({ near, ahead }) => near && ahead > board.scale * 0.3)
    .sort((a, b) => aside(a) - aside(b))[0];
  function aside({ near, ahead }) {
    const off = dx ? Math.abs(near.y - line.y) : Math.abs(near.x - line.x);
    return off - ahead * 0.01;
  }
  if (!best) return;
  goTo(best.near);
  now.line = { hex: best.near, x: dx ? best.near.x : line.x, y: dx ? line.y : best.near.y };
}

/* Layers, panels, scale */

function toggleLayer(id) {
  if (!off.delete(id)) off.add(id);
  keep("off", [...off]);
  legend.switchOff(off);
  if (!now.board) return;
  now.sheet.switchOff(off);
  now.laid = 0;
  lay();
  for (const one of drawn.values()) one.picture = null;
  if (["relief", "lines"].includes(id)) takePicture();
  const { name } = LAYERS.find((layer) => layer.id === id);
  byId("spoken").textContent = `${name} ${off.has(id) ? "hidden" : "shown"}`;
}

function foldAtFirst() {
  const wide = innerWidth;
  fold("left", recall("no-left", wide < 1280));
  fold("right", recall("no-right", wide < 900));
}

function fold(side, away) {
  desk.classList.toggle(`no-${side}`, away);
  byId(side).inert = away;
  const button = byId(`fold-${side}`);
  button.setAttribute("aria-expanded", String(!away));
  const name = side === "left" ? "board panel" : "hex panel";
  button.setAttribute("aria-label", `${away ? "Show" : "Fold away"} the ${name}`);
  button.title = `${away ? "Show" : "Fold away"} the ${name} (${side === "left" ? "[" : "]"})`;
}

function toggleFold(side, away = !desk.classList.contains(`no-${side}`)) {
  fold(side, away);
  keep(`no-${side}`, away);
}

function drawScale() {
  const bar = byId("scalebar");
  const km = now.board?.km;
  bar.hidden = !km;
  if (!km) return;
  const perKm = (now.board.scale * view.zoom) / km;
  const length = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((one) => one * perKm >= 64) ?? 500;
  bar.firstElementChild.style.width = `${length * perKm}px`;
  bar.lastElementChild.textContent = `${length} km`;
}

/* Words in the middle of the table */

function wait(title) {
  clear();
  byId("notice").replaceChildren(el("p", { class: "waiting" }, `Drawing the map of ${title}`, el("i"), el("i"), el("i")));
}

function tell(error, again) {
  const { problem } = error;
  if (!problem) console.error(error);
  clear();
  byId("notice").replaceChildren(
    el("h2", {}, "This board cannot be shown"),
    el("p", {}, problem?.error ?? `Something went wrong: ${error.message}`),
    problem?.file ? el("p", { class: "quiet" }, "Mend the file, then try again; the other boards are not touched by it.") : "",
    el("button", { type: "button", class: "plain", click: again }, "Try again"),
  );
}

/** Take the board from the table, to say something in its place. */
function clear() {
  table.classList.remove("shown");
  for (const part of [under, ground, byId("board-panel"), byId("asked")]) part.replaceChildren();
  panel.say(null, false);
  find.show(null);
  Object.assign(now, { board: null, sheet: null, hovered: null, pinned: null });
  byId("tip").hidden = true;
  byId("notice").hidden = false;
}

/* Keys and buttons */

function listenToButtons() {
  byId("zoom-in").addEventListener("click", () => view.zoomBy(1.6));
  byId("zoom-out").addEventListener("click", () => view.zoomBy(1 / 1.6));
  byId("zoom-fit").addEventListener("click", () => view.fit());
  byId("fold-left").addEventListener("click", () => toggleFold("left"));
  byId("fold-right").addEventListener("click", () => toggleFold("right"));
  byId("help-open").addEventListener("click", () => byId("help").showModal());
  byId("help").addEventListener("click", (event) => event.target === byId("help") && byId("help").close());
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    table.focus();
  });
}

function listenToKeys() {
  const held = new Set();
  let running = 0;
  const run = (before) => (time) => {
    const [dx, dy] = [...held].reduce(([x, y], key) => [x + ARROWS[key][0], y + ARROWS[key][1]], [0, 0]);
    const far = Math.min(time - before, 50) * 0.95;
    view.moveBy(-dx * far, -dy * far);
    running = held.size ? requestAnimationFrame(run(time)) : 0;
  };
  const letGo = () => held.clear();
  addEventListener("keyup", (event) => held.delete(event.key));
  addEventListener("pointerdown", () => document.body.classList.remove("by-keys"), true);
  addEventListener("keydown", (event) => event.key === "Tab" && document.body.classList.add("by-keys"), true);
  addEventListener("blur", letGo);

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    const typing = event.target.closest?.("input, textarea, select");
    if (typing) return;
    const { key } = event;
    if (key in ARROWS) {
      if (event.target.closest?.(".panel")) return;
      event.preventDefault();
      if (event.shiftKey) return step(ARROWS[key]);
      if (still()) return view.moveBy(-ARROWS[key][0] * 120, -ARROWS[key][1] * 120);
      if (!event.repeat) view.moveBy(-ARROWS[key][0] * 20, -ARROWS[key][1] * 20);
      held.add(key);
      running ||= requestAnimationFrame(run(performance.now()));
      return;
    }
    const number = now.games[Number(key) - 1];
    const layer = LAYERS.find((one) => one.key === key);
    const act = {
      "/": () => find.open(),
      "+": () => view.zoomBy(1.6),
      "=": () => view.zoomBy(1.6),
      "-": () => view.zoomBy(1 / 1.6),
      _: () => view.zoomBy(1 / 1.6),
      0: () => view.fit(),
      "[": () => toggleFold("left"),
      "]": () => toggleFold("right"),
      f: () => {
        const away = !(desk.classList.contains("no-left") && desk.classList.contains("no-right"));
        toggleFold("left", away);
        toggleFold("right", away);
      },
      "?": () => byId("help").showModal(),
      Escape: () => {
        if (now.pinned) return pin(null);
        legend.release();
        marks.outline(null);
      },
      Enter: () => {
        if (event.target !== table && event.target !== document.body) return false;
        const hex = now.hovered ?? now.board?.at(...view.centre);
        if (hex) pin(hex === now.pinned ? null : hex);
      },
    }[key] ?? (number ? () => choose(number.id) : layer ? () => toggleLayer(layer.id) : null);
    if (act && act() !== false) event.preventDefault();
  });
}
