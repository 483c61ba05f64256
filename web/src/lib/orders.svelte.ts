/** The standing orders of the seat that a match is looked at from. */

import { api, Refused } from "./api";
import type { MatchStore } from "./match.svelte";
import type { StandingOrders } from "./types";

/** Values of an order's parameters by name. */
export type Given = Record<string, number | string>;

export class Standing {
  known = $state.raw<StandingOrders | null>(null);
  busy = $state(false);
  #table: MatchStore;

  constructor(table: MatchStore) {
    this.#table = table;
  }

  load(): Promise<boolean> {
    return this.#ask(() => api.orders(this.#table.seat));
  }

  /** Set an order. Whether it was; why not is shown above the footer. */
  set(kind: string, policy: string, given: Given): Promise<boolean> {
    return this.#ask(() => api.setOrder(this.#table.seat, { kind, policy, given }));
  }

  cancel(number: number): Promise<boolean> {
    return this.#ask(() => api.cancelOrder(this.#table.seat, number));
  }

  async #ask(request: () => Promise<StandingOrders>): Promise<boolean> {
    const { side } = this.#table;
    this.busy = true;
    try {
      const answer = await request();
      if (side === this.#table.side) this.known = answer;
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#table.refusal = error.refusal;
      return false;
    } finally {
      this.busy = false;
    }
  }
}

const all = new WeakMap<MatchStore, Standing>();

/** The standing orders of a match, shared by the panel and the decision. */
export function standing(table: MatchStore): Standing {
  let found = all.get(table);
  if (!found) all.set(table, (found = new Standing(table)));
  return found;
}
