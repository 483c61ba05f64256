/** The layers that are drawn over the map. */

import { SvelteSet } from "svelte/reactivity";
import { api } from "./api";
import type { MatchStore } from "./match.svelte";
import type { LayerView } from "./types";

export class MapLayers {
  /** The layers that are on, by name. */
  on = new SvelteSet<string>();
  views = $state.raw<Record<string, LayerView>>({});

  constructor(readonly table: MatchStore) {}

  toggle(name: string): void {
    if (this.on.has(name)) this.on.delete(name);
    else {
      this.on.add(name);
      void this.#draw(name);
    }
  }

  /** Fetch every layer that is on again: the position has changed. */
  redraw(): void {
    for (const name of this.on) void this.#draw(name);
  }

  async #draw(name: string): Promise<void> {
    const at = this.table.view?.version;
    try {
      const layer = await api.layer(this.table.seat, name);
      if (this.on.has(name) && at === this.table.view?.version) this.views = { ...this.views, [name]: layer };
    } catch (error) {
      this.on.delete(name);
      this.table.refuse(error);
    }
  }
}
