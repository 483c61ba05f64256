/**
 * The ground of the map as bitmaps. The drawing has thousands of strokes: a browser that redraws it for every part that scrolls
 * into sight delays each click. So it is drawn in squares, once per zoom level, between the clicks. A small bitmap of the whole
 * board is under them for what is not drawn yet.
 *
 * Zoom levels are steps: a square is drawn at the next larger level and scaled down, so that a small change of the zoom needs no
 * drawing. At rest only the squares in sight are in the page: each canvas costs time in every frame.
 */

import type { MapPictures } from "../lib/mapimage";
import type { Box } from "../lib/geometry";
import type { Window } from "./arrange";

/**
 * The side of a square in pixels of the screen, and in how many steps it is drawn, so that no step delays a click for long. More
 * steps take more time in total: every step goes through all strokes of the drawing.
 */
const SIDE = 1024;
const STEPS = 2;
/** Squares share a row of pixels with their neighbours, so that no seam shows. */
const SEAM = 1;
/** Pixels drawn in advance around the part in sight, and pixels kept with those that were in sight before. */
const AHEAD = 12_000_000;
const KEPT_PIXELS = 24_000_000;
/** Milliseconds after a press in which nothing is drawn in sight, and nothing in advance: a step takes longer than a response. */
const PRESS_MS = 120;
const QUIET_MS = 800;
/** Milliseconds after a press in which nothing is drawn while the response is pending, and how often that is checked. */
const ANSWER_MS = 2_000;
const LOOK_MS = 30;
const SKETCH = 1280;
/** Milliseconds of drawing per frame. */
const FRAME_MS = 8;
/** Zoom levels per doubling, and how many of them are kept. */
const LEVELS = 2;
const KEPT = 2;

/** The zoom level at which the ground is drawn for a zoom: the next larger step. */
export const levelOf = (zoom: number): number => 2 ** (Math.ceil(LEVELS * Math.log2(zoom) - 0.01) / LEVELS);

/** How long drawing must wait, given the milliseconds since the last press: for the response if one is pending, and for a pause after the press. */
export function restMs(sincePress: number, seen: boolean, answering: boolean): number {
  if (answering && sincePress < ANSWER_MS) return LOOK_MS;
  return Math.max(0, (seen ? PRESS_MS : QUIET_MS) - sincePress);
}

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
  #sketch: HTMLCanvasElement | null = null;
  #window: Window | null = null;
  #far = false;
  /** The squares in sight, by name. */
  #inSight = new Set<string>();
  /** Whether only what is in sight is in the page. */
  #trimmed = false;
  #todo: { square: Square; seen: boolean; step: number }[] = [];
  #run = 0;
  #pressed = -Infinity;

  /** `sketched` is handed the whole board in small, whenever it is drawn again; `answering` says whether a click is in progress. */
  constructor(
    readonly host: HTMLElement,
    readonly board: Size,
    readonly sketched: (sketch: HTMLCanvasElement) => void,
    readonly answering: () => boolean = () => false,
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
    this.#sketch = sketch;
    this.#sheets = [];
    this.#trimmed = false;
    this.sketched(sketch);
    this.#begin();
  }

  /** The map came to rest at a window. From `far` the numbers are left out. */
  look(window: Window, far: boolean): void {
    [this.#window, this.#far] = [window, far];
    if (this.host.firstChild) this.#begin();
  }

  /** A key or button was pressed: the response has priority over drawing. */
  press(): void {
    this.#pressed = performance.now();
  }

  /** The map moves: nothing is drawn until it rests, and what is drawn is shown where it comes into sight. */
  pause(sight?: Box): void {
    this.#run++;
    const sheet = this.#sheets.at(-1);
    if (!sheet || !sight) return;
    if (this.#trimmed) this.#sketch!.style.display = "";
    this.#trimmed = false;
    for (const square of squares(this.board, sight, sheet.scale).seen) {
      const canvas = sheet.drawn.get(name(square));
      if (canvas && !canvas.isConnected) sheet.holder.append(canvas);
    }
  }

  #begin(): void {
    const window = this.#window;
    if (!window) return;
    const scale = levelOf(window.zoom * devicePixelRatio);
    const sheet = this.#sheets.find((one) => one.scale === scale && one.far === this.#far)
      ?? { scale, far: this.#far, holder: document.createElement("div"), drawn: new Map<string, HTMLCanvasElement>() };
    // The newest is on top and last in the list.
    this.#sheets = [...this.#sheets.filter((one) => one !== sheet), sheet];
    this.host.append(sheet.holder);
    const { seen, others } = squares(this.board, window.sight, scale);
    const ahead = others.slice(0, Math.max(0, Math.floor(AHEAD / SIDE ** 2) - seen.length));
    this.#inSight = new Set(seen.map(name));
    forget(sheet.drawn, this.#inSight, new Set(ahead.map(name)));
    this.#todo = [...seen.map((square) => ({ square, seen: true })), ...ahead.map((square) => ({ square, seen: false }))]
      .filter(({ square }) => !sheet.drawn.has(name(square)))
      .flatMap((one) => Array.from({ length: STEPS }, (_, step) => ({ ...one, step })));
    this.pause(window.sight);
    const run = this.#run;
    if (this.#todo.some(({ seen }) => seen)) delete this.host.dataset["drawn"];
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
      const wait = restMs(performance.now() - this.#pressed, next.seen, this.answering());
      if (wait > 0) return void setTimeout(() => this.#go(run, sheet, picture, canvas), wait);
      const until = performance.now() + FRAME_MS;
      let square = canvas;
      do {
        const { step, square: which } = this.#todo.shift()!;
        square = step && square ? square : blank(SIDE + SEAM, SIDE + SEAM);
        fill(square, picture, this.board, sheet.scale, which, step);
        if (step === STEPS - 1) this.#lay(sheet, which, square);
      } while (this.#todo[0]?.seen && performance.now() < until);
      this.#go(run, sheet, picture, square);
    };
    if (next.seen) requestAnimationFrame(() => setTimeout(draw));
    else whenIdle(draw);
  }

  #lay(sheet: Sheet, { column, row }: Square, canvas: HTMLCanvasElement): void {
    const size = `${(SIDE + SEAM) / sheet.scale}px`;
    Object.assign(canvas.style, { left: `${(column * SIDE) / sheet.scale}px`, top: `${(row * SIDE) / sheet.scale}px`, width: size, height: size });
    if (!this.#trimmed || this.#inSight.has(name({ column, row }))) sheet.holder.append(canvas);
    sheet.drawn.set(name({ column, row }), canvas);
  }

  /** All that is in sight is drawn at this zoom: take everything else out of the page, and forget the oldest zoom levels. */
  #settle(sheet: Sheet): void {
    if (this.#trimmed) return;
    this.#trimmed = true;
    for (const other of this.#sheets) if (other !== sheet) other.holder.remove();
    this.#sheets = this.#sheets.slice(-KEPT);
    sheet.holder.replaceChildren(...[...sheet.drawn].filter(([key]) => this.#inSight.has(key)).map(([, canvas]) => canvas));
    this.#sketch!.style.display = "none";
    this.host.dataset["drawn"] = "";
  }
}

const name = ({ column, row }: Square): string => `${column} ${row}`;

const whenIdle = (act: () => void): void => void ("requestIdleCallback" in globalThis ? requestIdleCallback(act) : setTimeout(act, 60));

/** Drop the squares that were in sight longest ago, where there are too many; those in sight become the latest. */
export function forget<Kept extends { remove(): void }>(drawn: Map<string, Kept>, seen: ReadonlySet<string>, ahead: ReadonlySet<string>): void {
  for (const key of seen) {
    const canvas = drawn.get(key);
    if (!canvas) continue;
    drawn.delete(key);
    drawn.set(key, canvas);
  }
  let room = Math.floor(KEPT_PIXELS / SIDE ** 2) - seen.size - ahead.size;
  for (const [key, canvas] of [...drawn].reverse()) {
    if (seen.has(key) || ahead.has(key) || room-- > 0) continue;
    canvas.remove();
    drawn.delete(key);
  }
}

function blank(width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(width);
  canvas.height = Math.ceil(height);
  return canvas;
}

/** Draw one of the steps of a square. */
function fill(canvas: HTMLCanvasElement, picture: HTMLImageElement, board: Size, scale: number, { column, row }: Square, step: number): void {
  const pen = canvas.getContext("2d")!;
  const height = SIDE / STEPS;
  pen.save();
  pen.beginPath();
  pen.rect(0, step * height, SIDE + SEAM, height + SEAM);
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
