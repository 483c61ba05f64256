/** The right panel: everything known of one hex. */

import { Board, compassWord } from "./board.js";
import { el, svg } from "./dom.js";
import { origin } from "./legend.js";

const CLOCKWISE = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"];

export class HexPanel {
  /** `ask` has `go(hex)`, `release()`, `area(area)`, which the page answers. */
  constructor(element, ask) {
    this.element = element;
    this.ask = ask;
    this.hex = undefined;
  }

  /** Begin with a board. */
  show(board) {
    this.board = board;
    this.hex = undefined;
    this.say(null, false);
  }

  /** Describe a hex, or say how to choose one. */
  say(hex, pinned) {
    if (hex === this.hex && pinned === this.pinned) return;
    [this.hex, this.pinned] = [hex, pinned];
    this.element.scrollTop = 0;
    this.element.classList.toggle("pinned", pinned);
    if (!hex) {
      this.element.replaceChildren(el("div", { class: "empty" },
        svg("svg", { viewBox: "0 0 48 54", "aria-hidden": "true" }, svg("path", { d: "M24 3 44 14.500v23L24 49 4 37.500v-23z" })),
        el("p", {}, "Move over a hex to read it, click to pin it here."),
        el("p", { class: "quiet" }, "Every hex says what lies in it, where its roads lead, and where that is known from.")));
      return;
    }
    this.element.replaceChildren(...this.#body(hex, pinned).filter(Boolean));
  }

  #body(hex, pinned) {
    const { board } = this;
    const terrain = board.terrain.get(hex.terrain);
    const [chief, ...others] = hex.places;
    return [
      el("div", { class: "hex-head" },
        el("span", { class: "number" }, hex.number),
        pinned
          ? el("button", { type: "button", class: "chip release", click: () => this.ask.release() }, "pinned", el("kbd", { "aria-hidden": "true" }, "esc"), el("span", { class: "hidden" }, ", let it go"))
          : el("span", { class: "quiet small" }, "click to pin")),
      chief && el("h2", { class: "place" }, chief.name, " ", el("small", {}, chief.kind)),
      others.length > 0 && el("p", { class: "also" }, others.map((place) => `${place.name} (${place.kind})`).join(", ")),
      el("p", { class: "terrain" }, swatch(terrain), el("b", {}, hex.terrain), !terrain.enterable && el("span", { class: "closed" }, "closed to land units")),
      hex.tags.length > 0 && el("ul", { class: "tags" }, hex.tags.map((tag) => el("li", {}, tag.replaceAll("-", " ")))),
      el("dl", { class: "table-list" },
        row("Height", `${Math.round(hex.elevation).toLocaleString("en").replace("-", "\u2212")} m`),
        row("Position", Board.position(hex))),
      el("h3", {}, "Sides"),
      this.#rose(hex),
      this.#sides(hex),
      hex.areas.length > 0 && el("h3", {}, "Belongs to"),
      hex.areas.length > 0 && el("ul", { class: "areas" }, hex.areas.map((area) => this.#area(area))),
      el("h3", {}, "Where it comes from"),
      this.#sources(hex),
    ];
  }

  /** The hex itself, its lines and its neighbours' numbers. */
  #rose(hex) {
    const { board } = this;
    const unit = 84 / board.scale;
    const at = ([x, y], by = 1) => [x * unit * by, y * unit * by];
    const art = svg("svg", { class: "rose", viewBox: "-116 -88 232 176", "aria-hidden": "true" });
    const ring = board.corners.map((corner) => at(corner).join(",")).join(" ");
    art.append(svg("polygon", { class: "ground", points: ring, fill: board.terrain.get(hex.terrain).colour }));
    board.directions.forEach(({ dx, dy }, i) => {
      const near = board.neighbour(hex, i);
      const [x, y] = at([dx, dy], 0.5);
      const label = at([dx, dy], board.directions.some(({ point }) => point === "N") ? 0.83 : 0.86);
      const number = svg("text", { x: label[0], y: label[1] + 4, class: near ? "near" : "edge" }, near ? near.number : "edge");
      if (near) number.addEventListener("click", () => this.ask.go(near));
      art.append(number);
      const here = hex.features.filter((feature) => feature.direction === i).map((feature) => ({ ...feature, kind: board.kind.get(feature.side.kind) }));
      const over = here.filter(({ kind }) => kind.across && !["bridge", "ford"].includes(kind.form));
      over.forEach(({ kind }, n) => {
        const shift = (n - (over.length - 1) / 2) * 6;
        const length = Math.hypot(x, y);
        const [px, py] = [(-y / length) * shift, (x / length) * shift];
        const d = `M${px} ${py}L${x * 1.12 + px} ${y * 1.12 + py}`;
        art.append(svg("path", { class: "casing", d, "stroke-width": kind.width * 1.3 + 3.5 }));
        art.append(svg("path", { d, stroke: kind.colour, "stroke-width": kind.width * 1.3, "stroke-dasharray": kind.dash }));
        if (kind.form === "rail") art.append(svg("path", { d, stroke: kind.colour, "stroke-width": 8, "stroke-dasharray": "1.4 6" }));
      });
      const along = here.filter(({ kind }) => !kind.across);
      along.forEach(({ kind, side }, n) => {
        const inset = 1 - n * 0.09;
        const [[ax, ay], [bx, by]] = [at(board.directions[i].corner, inset), at(board.directions[i].next, inset)];
        art.append(svg("path", { class: "along", d: `M${ax} ${ay}L${bx} ${by}`, stroke: kind.colour, "stroke-width": 3.2, "stroke-dasharray": kind.dash }));
        if (side.low) {
          const outward = side.low === hex.number ? -1 : 1;
          const [nx, ny] = [(x / Math.hypot(x, y)) * 8 * outward, (y / Math.hypot(x, y)) * 8 * outward];
          const ticks = [0.14, 0.32, 0.5, 0.68, 0.86].map((t) => `M${ax + (bx - ax) * t} ${ay + (by - ay) * t}l${nx} ${ny}`);
          art.append(svg("path", { d: ticks.join(""), stroke: kind.colour, "stroke-width": 1.8 }));
        }
      });
      for (const { kind } of here.filter(({ kind }) => ["bridge", "ford"].includes(kind.form))) {
        art.append(svg("circle", { cx: x, cy: y, r: 5, fill: "#f8eed6", stroke: kind.colour, "stroke-width": 2 }));
      }
    });
    if (hex.places.length) art.append(svg("circle", { class: "town", r: 4.500 }));
    return art;
  }

  #sides(hex) {
    const { board } = this;
    const byPoint = new Map();
    for (const feature of hex.features) {
      const { point } = board.directions[feature.direction];
      byPoint.set(point, [...(byPoint.get(point) ?? []), feature]);
    }
    if (!byPoint.size) return el("p", { class: "quiet" }, "No road leads here and nothing lies along its sides.");
    return el("ul", { class: "sides" }, CLOCKWISE.filter((point) => byPoint.has(point)).map((point) => {
      const features = byPoint.get(point);
      return el("li", {},
        el("abbr", { title: compassWord(point) }, point),
        el("span", { class: "what" }, features.map(({ side }) => el("span", { class: "feature" },
          el("b", {}, side.kind), side.low && el("small", {}, side.low === hex.number ? ", rising" : ", falling"), side.name && el("small", {}, ` ${side.name}`)))),
        el("button", { type: "button", class: "link", click: () => this.ask.go(features[0].to), "aria-label": `go to ${features[0].to.number}` }, features[0].to.number));
    }));
  }

  #area(area) {
    const facts = Object.entries(area.data).map(([key, value]) => row(key.replaceAll("_", " "), words(value)));
    return el("li", {},
      el("button", { type: "button", class: "link", click: () => this.ask.area(area) }, area.name), " ",
      el("small", {}, area.kind, area.hexes.length > 1 && ` · ${area.hexes.length} hexes`),
      facts.length > 0 && el("dl", { class: "table-list tight" }, facts));
  }

  #sources(hex) {
    const said = new Map();
    const say = (source, what) => source && said.set(source, [...(said.get(source) ?? []), what]);
    say(hex.source, "ground");
    for (const place of hex.places) say(place.source, place.name);
    for (const { side } of hex.features) say(side.source, side.kind);
    for (const area of hex.areas) say(area.source, area.name);
    return el("ul", { class: "sources" }, [...said].map(([source, what]) => el("li", {},
      origin(source), el("span", {}, el("b", {}, [...new Set(what)].join(", ")), " ", source))));
  }
}

const row = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));

/** A figure of an area as words. */
function words(value) {
  if (Array.isArray(value)) {
    const texts = value.map(words);
    return texts.length > 14 ? `${texts.slice(0, 12).join(", ")} and ${texts.length - 12} more` : texts.join(", ");
  }
  if (value && typeof value === "object") return Object.entries(value).map(([key, inner]) => `${key}: ${words(inner)}`).join("; ");
  return value === true ? "yes" : value === false ? "no" : String(value);
}

function swatch(terrain) {
  return svg("svg", { class: "swatch", viewBox: "0 0 24 22", "aria-hidden": "true" },
    svg("polygon", { points: "12,1 21,6 21,16 12,21 3,16 3,6", fill: terrain.colour }));
}
