/** Shows other players' moves one after another, at a pace the eye can follow. */

import type { View } from "./types";

/** Return the pause after a change in milliseconds: longest for a roll, shorter for a move, none if nothing is visible. */
export function pause(before: View | null, after: View, waiting: number): number {
  if (!before) return 0;
  const rolled = after.log.slice(before.log_from + before.log.length - after.log_from).some((line) => line.roll != null);
  const moved = before.units !== after.units && somethingMoved(before, after);
  const need = rolled ? 900 : moved ? 450 : before.phase !== after.phase ? 350 : 25;
  // A long queue is shown faster, but each change stays visible.
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

  /** `show` displays a view; `waits` receives the number of views in the queue. */
  constructor(
    readonly show: (view: View) => void,
    readonly waits: (count: number) => void = () => {},
    readonly later: (run: () => void, milliseconds: number) => Timer = (run, ms) => setTimeout(run, ms),
    /** 1 is normal, 2 twice as fast, 0 without pauses. */
    public speed = 1,
  ) {}

  /** Show a view at once and drop the queue. */
  jump(view: View): void {
    this.#clear();
    this.#put(view);
  }

  /** Queue a view. The result of the player's own click is shown at once if the queue is empty. */
  add(view: View, own: boolean): void {
    if (own && !this.#queue.length) return this.jump(view);
    this.#queue.push(view);
    this.waits(this.#queue.length);
    if (!this.#timer) this.#next(0);
  }

  /** Show the last view at once. */
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
      // Pause after the last view too, in case another follows.
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
