/** The moments of a game, fetched as they are needed and kept for going to and fro. */

import type { View } from "../../lib/types";

const KEPT = 240;

export class Moments {
  #views = new Map<number, Promise<View>>();

  /** `fetch` gives the game after so many clicks. */
  constructor(readonly fetch: (click: number) => Promise<View>) {}

  /** The game after so many clicks. */
  at(click: number): Promise<View> {
    const known = this.#views.get(click);
    if (known) return known;
    const view = this.fetch(click);
    this.#views.set(click, view);
    view.catch(() => this.#views.delete(click));
    const [oldest] = this.#views.keys();
    if (this.#views.size > KEPT) this.#views.delete(oldest!);
    return view;
  }

  /** Forget everything, as when another side looks. */
  clear(): void {
    this.#views.clear();
  }
}
