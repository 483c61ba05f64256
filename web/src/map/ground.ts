/**
 * The ground of the map as bitmaps. The drawing has thousands of strokes, and a browser that draws it anew for whatever comes into
 * sight lets every click wait for it. So it is drawn in squares, once for each zoom, between the clicks; a sketch of the whole
 * board lies under them for what is not drawn yet.
 */

import type { MapPictures } from "../lib/mapimage";
import type { Box } from "../lib/geometry";
import type { Window } from "./arrange";

/** The side of a square, in pixels of the screen, and in how many steps each way it is drawn: no step keeps a click waiting for long. */
const SIDE = 1024;
const STEPS = 2;
/** Squares share a row of pixels with their neighbours, so that no seam shows. */
const SEAM = 1;
/** So many pixels are drawn ahead of need. */
const AHEAD = 12_000_000;
const SKETCH = 1280;

export interface Size {
  width: number;
  height: number;
}

export interface Square {
  column: number;
  row: number;
}

/** The squares of a board: first those that touch the part in sight, then the others, each lot from the middle outwards. */
export function squares(board: Size, sight: Box, scale: number): { seen: Square[]; others: Square[] } {
  const side = SIDE / scale;
  const [x, y] = [(sight.left + sight.right) / 2, (sight.top + sight.bottom) / 2];
  const far = ({ column, row }: Square): number => Math.hypot((column + 0.5) * side - x, (row + 0.5) * side - y);
  const seen: Square[] = [];
  const others: Square[] = [];
  for (let row = 0; row * side < board.height; row++) {
    for (let column = 0; column * side < board.width; column++) {
      const touches = column * side < sight.right && (column + 1) * side > sight.left && row * side < sight.bottom && (row + 1) * side > sight.top;
      (touches ? seen : others).push({ column, row });
    }
  }
  const outwards = (a: Square, b: Square): number => far(a) - far(b);
  return { seen: seen.sort(outwards), others: others.sort(outwards) };
}

/** All squares of one zoom. */
interface Sheet {
  scale: number;
  far: boolean;
  holder: HTMLElement;
  drawn: Map<string, HTMLCanvasElement>;
}

export class Ground {
  #addresses: MapPictures | null = null;
  #pictures = new Map<string, Promise<HTMLImageElement>>();
  #sheets: Sheet[] = [];
  #window: Window | null = null;
  #far = false;
  #todo: { square: Square; seen: boolean; step: number }[] = [];
  #run = 0;

  /** `sketched` is handed the whole board in small, whenever it is drawn anew. */
  constructor(
    readonly host: HTMLElement,
    readonly board: Size,
    readonly sketched: (sketch: HTMLCanvasElement) => void,
  ) {}

  /** Another drawing of the board: what was drawn is out of date. */
  async use(pictures: MapPictures): Promise<void> {
    this.#addresses = pictures;
    this.#pictures.clear();
    this.#run++;
    const scale = SKETCH / Math.max(this.board.width, this.board.height);
    const sketch = blank(this.board.width * scale, this.board.height * scale);
    const picture = await this.#picture("far");
    if (this.#addresses !== pictures) return;
    const pen = sketch.getContext("2d")!;
    pen.drawImage(picture, 0, 0, sketch.width, sketch.height);
    Object.assign(sketch.style, { width: `${this.board.width}px`, height: `${this.board.height}px` });
    this.host.replaceChildren(sketch);
    this.#sheets = [];
    this.sketched(sketch);
    this.#begin();
  }

  /** The map came to rest at a window. From `far` the numbers are left out. */
  look(window: Window, far: boolean): void {
    [this.#window, this.#far] = [window, far];
    if (this.host.firstChild) this.#begin();
  }

  /** The map moves: nothing is drawn until it rests. */
  pause(): void {
    this.#run++;
  }

  #begin(): void {
    const window = this.#window;
    if (!window) return;
    const scale = window.zoom * devicePixelRatio;
    let sheet = this.#sheets.at(-1);
    if (sheet?.scale !== scale || sheet.far !== this.#far) {
      sheet = { scale, far: this.#far, holder: document.createElement("div"), drawn: new Map() };
      this.#sheets.push(sheet);
      this.host.append(sheet.holder);
    }
    const { seen, others } = squares(this.board, window.sight, scale);
    const ahead = others.slice(0, Math.max(0, Math.floor(AHEAD / SIDE ** 2) - seen.length));
    const kept = new Set([...seen, ...ahead].map(name));
    for (const [key, canvas] of sheet.drawn) {
      if (kept.has(key)) continue;
      canvas.remove();
      sheet.drawn.delete(key);
    }
    this.#todo = [...seen.map((square) => ({ square, seen: true })), ...ahead.map((square) => ({ square, seen: false }))]
      .filter(({ square }) => !sheet.drawn.has(name(square)))
      .flatMap((one) => Array.from({ length: STEPS ** 2 }, (_, step) => ({ ...one, step })));
    const run = ++this.#run;
    delete this.host.dataset["drawn"];
    void this.#picture(sheet.far ? "far" : "near").then((picture) => this.#go(run, sheet, picture));
  }

  #picture(which: keyof MapPictures): Promise<HTMLImageElement> {
    const address = this.#addresses![which];
    const known = this.#pictures.get(address) ?? load(address);
    this.#pictures.set(address, known);
    return known;
  }

  /** Draw one square after another, those in sight with the frames, the others when there is nothing else to do. */
  #go(run: number, sheet: Sheet, picture: HTMLImageElement, canvas?: HTMLCanvasElement): void {
    const next = this.#todo[0];
    if (run !== this.#run) return;
    if (!next?.seen) this.#settle(sheet);
    if (!next) return;
    const draw = (): void => {
      if (run !== this.#run) return;
      this.#todo.shift();
      const square = next.step && canvas ? canvas : blank(SIDE + SEAM, SIDE + SEAM);
      fill(square, picture, this.board, sheet.scale, next.square, next.step);
      if (next.step === STEPS ** 2 - 1) this.#lay(sheet, next.square, square);
      this.#go(run, sheet, picture, square);
    };
    if (next.seen) requestAnimationFrame(() => setTimeout(draw));
    else whenIdle(draw);
  }

  #lay(sheet: Sheet, { column, row }: Square, canvas: HTMLCanvasElement): void {
    const size = `${(SIDE + SEAM) / sheet.scale}px`;
    Object.assign(canvas.style, { left: `${(column * SIDE) / sheet.scale}px`, top: `${(row * SIDE) / sheet.scale}px`, width: size, height: size });
    sheet.holder.append(canvas);
    sheet.drawn.set(name({ column, row }), canvas);
  }

  /** All that is in sight is drawn at this zoom: the squares of other zooms are not wanted any more. */
  #settle(sheet: Sheet): void {
    for (const other of this.#sheets) if (other !== sheet) other.holder.remove();
    this.#sheets = [sheet];
    this.host.dataset["drawn"] = "";
  }
}

const name = ({ column, row }: Square): string => `${column} ${row}`;

const whenIdle = (act: () => void): void => void ("requestIdleCallback" in globalThis ? requestIdleCallback(act) : setTimeout(act, 60));

function blank(width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(width);
  canvas.height = Math.ceil(height);
  return canvas;
}

/** Draw one of the steps of a square. */
function fill(canvas: HTMLCanvasElement, picture: HTMLImageElement, board: Size, scale: number, { column, row }: Square, step: number): void {
  const pen = canvas.getContext("2d")!;
  const side = SIDE / STEPS;
  const [left, top] = [(step % STEPS) * side, Math.floor(step / STEPS) * side];
  pen.save();
  pen.beginPath();
  pen.rect(left, top, side + SEAM, side + SEAM);
  pen.clip();
  pen.setTransform(scale, 0, 0, scale, -column * SIDE, -row * SIDE);
  pen.drawImage(picture, 0, 0, board.width, board.height);
  pen.restore();
}

async function load(address: string): Promise<HTMLImageElement> {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  return picture;
}
