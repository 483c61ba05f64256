/** The drawn map on its stage: layers on and off, less detail from afar, and a picture of the whole. */

import { el } from "./dom.js";

/** The layers a reader may switch, with the keys that do it. */
export const LAYERS = [
  { id: "relief", name: "Relief", key: "r" },
  { id: "lines", name: "Lines", key: "l" },
  { id: "grid", name: "Grid", key: "g" },
  { id: "numbers", name: "Numbers", key: "n" },
  { id: "names", name: "Names", key: "t" },
];

const NUMBERS_FROM = 42;
const NAMES_FROM = 0.78;
const READABLE = 7.5;
const PICTURE = 2200;
const PIECE = 40;

const RULES = `
  :host { display: block; position: absolute; inset: 0 auto auto 0; }
  svg { display: block; overflow: hidden; pointer-events: none; }
  ${LAYERS.map(({ id }) => `:host([data-off~="${id}"]) #${id} { display: none; }`).join("\n")}
  text.small { display: none; }
`;

/** One board's map, ready to be set on a stage. */
export class Sheet {
  constructor(board, text) {
    this.board = board;
    // The page's policy refuses style elements; a constructed style sheet says the same.
    this.rules = [];
    const bare = text.replace(/<style>([^<]*)<\/style>/g, (_, rules) => this.rules.push(rules) && "");
    this.source = new DOMParser().parseFromString(bare, "image/svg+xml").documentElement;
    if (this.source.nodeName !== "svg") throw new Error("The map that came is not a drawing.");
    this.host = el("div", { class: "sheet" });
    const root = this.host.attachShadow({ mode: "open" });
    this.svg = document.importNode(this.source, true);
    const rules = new CSSStyleSheet();
    rules.replaceSync(`${this.rules.join("\n")}\n${RULES}`);
    root.adoptedStyleSheets = [rules];
    this.svg.querySelector("title")?.remove();
    this.svg.setAttribute("aria-hidden", "true");
    this.svg.setAttribute("focusable", "false");
    root.append(this.svg);
    const places = new Set(board.places.map(({ name }) => name));
    this.texts = [...this.svg.querySelectorAll("#names text")].map((node) => ({
      node, size: sizeOf(node), words: node.textContent.trim(), place: places.has(node.textContent.trim()),
    }));
    this.numbers = [...this.svg.querySelectorAll("#numbers text")].flatMap(pieces);
    this.hidden = new Set();
    this.off = new Set();
  }

  /**
   * Lay the map out at a zoom. From afar its names of places go, to be written larger over it (`hidden` says which), and
   * so do other words too small to read.
   */
  lay(zoom) {
    this.svg.setAttribute("width", this.board.width * zoom);
    this.svg.setAttribute("height", this.board.height * zoom);
    this.hidden = new Set();
    for (const { node, size, words, place } of this.texts) {
      const small = place ? zoom < NAMES_FROM : size * zoom < READABLE;
      if (small && place) this.hidden.add(words);
      if (node.classList.contains("small") !== small) node.classList.toggle("small", small);
    }
  }

  /**
   * Keep only the numbers in or near sight, and none from afar. Laying out their thousands of digits costs more than all
   * the rest, even where they are not displayed, so they leave the page altogether.
   */
  cull(zoom, { left, top, width, height }) {
    const none = this.tooFar(zoom) || this.off.has("numbers");
    const [x0, x1, y0, y1] = [left - width / 2, left + width * 1.5, top - height / 2, top + height * 1.5];
    for (const piece of this.numbers) {
      const away = none || piece.x1 < x0 || piece.x0 > x1 || piece.y < y0 || piece.y > y1;
      if (away && piece.node.parentNode) piece.node.remove();
      else if (!away && !piece.node.parentNode) piece.home.append(piece.node);
    }
  }

  /** Whether numbers are too small to show at this zoom. */
  tooFar(zoom) {
    return this.board.scale * zoom < NUMBERS_FROM;
  }

  /** Take layers away. */
  switchOff(layers) {
    this.off = layers;
    this.host.dataset.off = [...layers].join(" ");
  }

  /** A picture of the whole without numbers and names, for the overview and to stand under the map while it is drawn. */
  async picture(off) {
    const copy = this.source.cloneNode(true);
    for (const id of ["numbers", "names", "grid", ...off]) copy.querySelector(`#${id}`)?.remove();
    const text = new XMLSerializer().serializeToString(copy).replace(">", `><style>${this.rules.join("")}</style>`);
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const scale = PICTURE / Math.max(this.board.width, this.board.height);
    const canvas = el("canvas", { width: Math.round(this.board.width * scale), height: Math.round(this.board.height * scale) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas;
  }
}

/** A row of numbers, of which every letter has its place, cut into pieces that can be taken away one by one. */
function pieces(row) {
  const places = (row.getAttribute("x") ?? "").trim().split(/[ ,]+/);
  const letters = [...row.textContent];
  const home = row.parentNode;
  const y = parseFloat(row.getAttribute("y"));
  const step = letters.length === places.length ? PIECE : letters.length || 1;
  const cut = [];
  for (let i = 0; i < letters.length; i += step) {
    const node = row.cloneNode(false);
    const here = places.slice(i, i + step);
    node.setAttribute("x", here.join(" "));
    node.textContent = letters.slice(i, i + step).join("");
    cut.push({ node, home, y, x0: parseFloat(here[0]), x1: parseFloat(here.at(-1)) });
  }
  row.remove();
  return cut;
}

/** The type size of a text, its own or that of a group around it. */
function sizeOf(node) {
  for (let here = node; here?.getAttribute; here = here.parentNode) {
    const size = parseFloat(here.getAttribute("font-size"));
    if (size) return size;
  }
  return 12;
}
