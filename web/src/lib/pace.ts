/** Other people's moves, played one after another so that the eye can follow. */

import type { View } from "./types";

/** How long the eye needs for a change, in milliseconds: a roll longest, a move a while, nothing visible no time. */
export function pause(before: View | null, after: View, waiting: number): number {
  if (!before) return 0;
  const rolled = after.log.slice(before.log_from + before.log.length - after.log_from).some((line) => line.roll != null);
  const moved = before.units !== after.units && somethingMoved(before, after);
  const need = rolled ? 900 : moved ? 450 : before.phase !== after.phase ? 350 : 25;
  // A long queue is played faster, but never so fast that it cannot be seen.
  return waiting > 8 ? Math.max(Math.min(need, 70), (need * 8) / waiting) : need;
}

function somethingMoved(before: View, after: View): boolean {
  for (const name in after.units) if (after.units[name]!.at !== before.units[name]?.at) return true;
  for (const name in before.units) if (!after.units[name]) return true;
  return false;
}

type Timer = ReturnType<typeof setTimeout>;

export class Pace {
  #queue: View[] = [];
  #shown: View | null = null;
  #timer: Timer | null = null;

  /** `show` puts a view on the screen; `waits` hears how many are still to come. */
  constructor(
    readonly show: (view: View) => void,
    readonly waits: (count: number) => void = () => {},
    readonly later: (run: () => void, milliseconds: number) => Timer = (run, ms) => setTimeout(run, ms),
    /** 1 is the usual speed, 2 twice as fast, 0 no waiting at all. */
    public speed = 1,
  ) {}

  /** Show a view at once: whatever was waiting is out of date. */
  jump(view: View): void {
    this.#clear();
    this.#put(view);
  }

  /** The next view; an answer to our own click is shown at once, unless others are still being played before it. */
  add(view: View, own: boolean): void {
    if (own && !this.#queue.length) return this.jump(view);
    this.#queue.push(view);
    this.waits(this.#queue.length);
    if (!this.#timer) this.#next(0);
  }

  /** Show the last at once. */
  skip(): void {
    const last = this.#queue.at(-1);
    this.#clear();
    if (last) this.#put(last);
  }

  #next(after: number): void {
    this.#timer = this.later(() => {
      this.#timer = null;
      const view = this.#queue.shift();
      if (!view) return;
      const before = this.#shown;
      this.#put(view);
      this.waits(this.#queue.length);
      const need = this.speed > 0 ? pause(before, view, this.#queue.length) / this.speed : 0;
      // Also after the last: what comes next must not tread on its heels.
      this.#next(need);
    }, after);
  }

  #put(view: View): void {
    this.#shown = view;
    this.show(view);
  }

  #clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#queue.length) this.waits(0);
    this.#queue = [];
  }
}
