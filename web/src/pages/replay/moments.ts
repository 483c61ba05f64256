/** The moments of a match, fetched on demand and cached. */

import type { View } from "../../lib/types";

const KEPT = 240;

export class Moments {
  #views = new Map<number, Promise<View>>();

  /** `fetch` returns the view after a number of clicks. */
  constructor(readonly fetch: (click: number) => Promise<View>) {}

  /** The view after a number of clicks. */
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

  /** Empty the cache, for example when the viewer changes. */
  clear(): void {
    this.#views.clear();
  }
}
