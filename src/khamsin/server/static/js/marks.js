/** What lies over the map: the hex under the pointer, the pinned one, an area shown, and great names seen from afar. */

import { svg } from "./dom.js";

/** Type sizes by rank, on a page whose own text is 15 pixels. */
const SIZES = { 1: 15, 2: 13.5, 3: 12.5, 4: 12, 5: 12 };

export class Marks {
  constructor(stage) {
    this.area = svg("svg", { class: "area", "aria-hidden": "true" });
    this.names = svg("svg", { class: "far-names", "aria-hidden": "true", width: 1, height: 1 });
    this.hexes = {};
    for (const name of ["hover", "pin", "flash"]) {
      this.hexes[name] = { node: svg("svg", { class: `mark ${name}`, "aria-hidden": "true" }), hex: null };
    }
    stage.replaceChildren(this.area, this.names, ...Object.values(this.hexes).map((mark) => mark.node));
    this.shape = null;
    this.zoom = 1;
  }

  /** Begin anew with a board. */
  show(board) {
    this.board = board;
    for (const mark of Object.values(this.hexes)) {
      mark.hex = null;
      mark.node.replaceChildren(
        svg("polygon", { class: "halo", points: board.corners.join(" ") }),
        svg("polygon", { points: board.corners.join(" ") }),
      );
      mark.node.classList.remove("on");
    }
    this.outline(null);
  }

  /** Set one of the marks hover, pin and flash on a hex, or take it off with null. */
  set(name, hex) {
    const mark = this.hexes[name];
    mark.hex = hex;
    mark.node.classList.toggle("on", Boolean(hex));
    if (hex) this.#stand(mark);
  }

  /** Make a hex flash once. */
  flash(hex) {
    this.set("flash", hex);
    const { node } = this.hexes.flash;
    node.getAnimations().forEach((animation) => animation.cancel());
    const running = node.animate(
      [{ opacity: 0 }, { opacity: 1, offset: 0.15 }, { opacity: 1, offset: 0.6 }, { opacity: 0 }],
      { duration: 1600, easing: "ease-out" },
    );
    running.onfinish = () => this.set("flash", null);
  }

  #stand({ node, hex }) {
    if (!hex) return;
    const size = this.board.scale * this.zoom * 1.5;
    const half = this.board.scale * 0.75;
    node.setAttribute("viewBox", `${-half} ${-half} ${2 * half} ${2 * half}`);
    node.setAttribute("width", size);
    node.setAttribute("height", size);
    node.style.transform = `translate(${hex.x * this.zoom - size / 2}px, ${hex.y * this.zoom - size / 2}px)`;
  }

  /** Draw over the map, or nothing: `{ fill, rim }` for a surface with its outline, `{ rim }` alone for lines. */
  outline(shape) {
    this.shape = shape;
    this.area.replaceChildren();
    this.area.classList.toggle("on", Boolean(shape));
    if (!shape) return;
    if (shape.fill) this.area.append(svg("path", { class: "fill", d: shape.fill }));
    this.area.append(svg("path", { class: "halo", d: shape.rim }), svg("path", { class: "rim", d: shape.rim }));
    this.#layArea();
  }

  #layArea() {
    const { width, height } = this.board;
    this.area.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.area.setAttribute("width", width * this.zoom);
    this.area.setAttribute("height", height * this.zoom);
  }

  /** Lay everything out at a zoom; `hidden` are the names the map itself does not show now. */
  lay(zoom, hidden) {
    this.zoom = zoom;
    for (const mark of Object.values(this.hexes)) this.#stand(mark);
    if (this.shape) this.#layArea();
    this.#nameFromAfar(hidden);
  }

  /** The greater names at a size that can be read, as many as find room. */
  #nameFromAfar(hidden) {
    const taken = [];
    const made = [];
    const larger = parseFloat(getComputedStyle(document.documentElement).fontSize) / 15;
    const crowd = this.board.scale * this.zoom;
    const least = [9, 13, 20, 30].filter((size) => crowd >= size).length + 1;
    for (const place of this.board.places) {
      if (place.rank > least || !hidden.has(place.name)) continue;
      const size = (SIZES[place.rank] ?? 12) * larger;
      const wide = place.name.length * size * (place.rank <= 2 ? 0.53 : 0.46);
      const [x, y] = [place.hex.x * this.zoom, place.hex.y * this.zoom];
      const tries = [[6, 0, "start"], [-6, 0, "end"], [0, -size, "middle"], [0, size, "middle"]];
      for (const [dx, dy, anchor] of tries) {
        const left = x + dx - wide * { start: 0, middle: 0.5, end: 1 }[anchor];
        const box = [left - 3, y + dy - size * 0.6, left + wide + 3, y + dy + size * 0.6];
        if (box[0] < 0 || box[2] > this.board.width * this.zoom) continue;
        if (taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
        taken.push(box);
        made.push(svg("text", {
          x: x + dx, y: y + dy + size * 0.34, "font-size": size, "text-anchor": anchor, class: place.rank <= 2 ? "great" : null,
        }, place.name));
        break;
      }
    }
    this.names.replaceChildren(...made);
  }
}

/** A group of hexes as a shape: its surface, and its rim without the sides within. */
export function surfaceOf(board, hexes) {
  const inside = new Set(hexes);
  const [fill, rim] = [[], []];
  for (const hex of inside) {
    const ring = board.corners.map(([x, y]) => `${round(hex.x + x)} ${round(hex.y + y)}`);
    fill.push(`M${ring.join("L")}z`);
    board.directions.forEach((_, i) => {
      if (!inside.has(board.neighbour(hex, i))) rim.push(`M${ring[i]}L${ring[(i + 1) % 6]}`);
    });
  }
  return { fill: fill.join(""), rim: rim.join("") };
}

/** Every hexside feature of a kind as a shape: from centre to centre across, or along the side. */
export function linesOf(board, kind) {
  const rim = board.sides.filter((side) => side.kind === kind.name).map((side) => {
    const [a, b] = [board.byNumber.get(side.a), board.byNumber.get(side.b)];
    if (kind.across) return `M${a.x} ${a.y}L${b.x} ${b.y}`;
    const { corner, next } = board.directions[board.directionTo(a, b)];
    return `M${round(a.x + corner[0])} ${round(a.y + corner[1])}L${round(a.x + next[0])} ${round(a.y + next[1])}`;
  });
  return { rim: rim.join("") };
}

const round = (value) => Math.round(value * 10) / 10;

