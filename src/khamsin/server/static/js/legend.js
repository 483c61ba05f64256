/** The left panel: what the board is, which layers are shown, and what its signs and areas mean. */

import { el, svg } from "./dom.js";
import { linesOf, surfaceOf } from "./marks.js";
import { LAYERS } from "./sheet.js";

export class Legend {
  /** `ask` has `layer(id)`, `outline(shape)` and `visit(hexes)`, which the page answers. */
  constructor(element, ask) {
    this.element = element;
    this.ask = ask;
    this.pressed = null;
  }

  /** Fill the panel for a board. */
  show(board, off) {
    this.board = board;
    this.pressed = null;
    const facts = [`${board.hexes.length.toLocaleString("en")} hexes`];
    if (board.km) facts.push(`${board.km.toFixed(1)} km a hex`);
    this.layers = new Map(LAYERS.map(({ id, name, key }) => [id, el(
      "button",
      { type: "button", class: "chip", "aria-keyshortcuts": key, click: () => this.ask.layer(id) },
      name, el("kbd", { "aria-hidden": "true" }, key),
    )]));
    this.element.replaceChildren(
      el("h2", { class: "board-title" }, board.title),
      el("p", { class: "quiet facts" }, facts.join(" · ")),
      el("h3", {}, "Layers"),
      el("div", { class: "chips" }, [...this.layers.values()]),
      el("p", { class: "quiet far-note", hidden: true }, "Numbers show when you come nearer."),
      el("h3", {}, "Ground"),
      el("ul", { class: "legend" }, board.terrains.filter((terrain) => terrain.count).map((terrain) => this.#terrain(terrain))),
      el("h3", {}, "Hexsides"),
      el("ul", { class: "legend" }, board.kinds.filter((kind) => kind.count).map((kind) => this.#kind(kind))),
      ...(board.areas.length ? [el("h3", {}, "Areas"), ...this.#groups(board.areas, (area) => this.#area(area))] : []),
      ...(board.boxes.length ? [el("h3", {}, "Off the map"), ...this.#groups(board.boxes, (box) => el("li", { class: "box", title: box.source }, box.name))] : []),
      el("h3", {}, "Where it comes from"),
      el("ul", { class: "origins" },
        el("li", {}, origin("rulebook"), " printed in the rulebook"),
        el("li", {}, origin("found"), " found in a public source"),
        el("li", {}, origin("reconstructed"), " reconstructed from the ground")),
    );
    this.switchOff(off);
  }

  /** Show which layers are on. */
  switchOff(off) {
    for (const [id, chip] of this.layers ?? []) chip.setAttribute("aria-pressed", String(!off.has(id)));
  }

  /** Say whether numbers wait for a nearer look. */
  far(far) {
    const note = this.element.querySelector(".far-note");
    if (note) note.hidden = !far;
  }

  /** Let go of whatever is outlined on the map. */
  release() {
    this.pressed?.setAttribute("aria-pressed", "false");
    this.pressed = null;
  }

  /** Outline an area as if its button had been pressed. */
  showArea(area) {
    this.release();
    this.ask.outline(surfaceOf(this.board, this.#hexes(area)));
  }

  #hexes(area) {
    return area.hexes.map((number) => this.board.byNumber.get(number)).filter(Boolean);
  }

  /** A button that shows something on the map, and takes it away again. */
  #button(shape, visit, ...content) {
    const button = el("button", { type: "button", class: "show", "aria-pressed": "false", click: () => {
      const again = this.pressed === button;
      this.release();
      if (!again) {
        this.pressed = button;
        button.setAttribute("aria-pressed", "true");
        if (visit) this.ask.visit(visit());
      }
      this.ask.outline(again ? null : shape());
    } }, ...content);
    return button;
  }

  #terrain(terrain) {
    const hexes = () => this.board.hexes.filter((hex) => hex.terrain === terrain.name);
    const swatch = svg("svg", { class: "swatch", viewBox: "0 0 24 22", "aria-hidden": "true" },
      svg("polygon", { points: "12,1 21,6 21,16 12,21 3,16 3,6", fill: terrain.colour }));
    return el("li", {}, this.#button(() => surfaceOf(this.board, hexes()), null,
      swatch, el("span", { class: "what" }, terrain.name, !terrain.enterable && el("small", {}, " closed")),
      el("span", { class: "count" }, terrain.count.toLocaleString("en"))));
  }

  #kind(kind) {
    const pen = { stroke: kind.colour, "stroke-width": Math.max(1.6, kind.width), "stroke-dasharray": kind.dash };
    const swatch = svg("svg", { class: "swatch", viewBox: "0 0 24 22", "aria-hidden": "true" },
      svg("path", { d: "M1 11h22", ...pen }),
      kind.form === "rail" && svg("path", { d: "M1 11h22", stroke: kind.colour, "stroke-width": 7, "stroke-dasharray": "1.4 4" }),
      ["scarp", "ridge", "wall"].includes(kind.form) && svg("path", { d: "M3 11v5m4.5-5v5m4.500-5v5m4.500-5v5m4.500-5v5", stroke: kind.colour, "stroke-width": 1.3 }));
    return el("li", {}, this.#button(() => linesOf(this.board, kind), null,
      swatch, el("span", { class: "what" }, kind.name), el("span", { class: "count" }, kind.count.toLocaleString("en"))));
  }

  #area(area) {
    return el("li", {}, this.#button(() => surfaceOf(this.board, this.#hexes(area)), () => this.#hexes(area),
      el("span", { class: "what" }, area.name), el("span", { class: "count" }, area.hexes.length === 1 ? area.hexes[0] : String(area.hexes.length))));
  }

  #groups(things, line) {
    const kinds = new Map();
    for (const thing of things) kinds.set(thing.kind, [...(kinds.get(thing.kind) ?? []), thing]);
    return [...kinds].map(([kind, members]) => el("details", {},
      el("summary", {}, el("span", {}, kind), el("span", { class: "count" }, String(members.length))),
      el("ul", { class: "legend" }, members.map(line))));
  }
}

/** The sign of a provenance: a full disc, a half one, a ring. */
export function origin(source) {
  const kind = ["rulebook", "found"].find((word) => source.startsWith(word)) ?? "reconstructed";
  return el("i", { class: `origin ${kind}`, role: "img", "aria-label": kind });
}
