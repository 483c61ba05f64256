/** Arrivals and departures of players, shown for a moment. */

import type { SeatInfo } from "./types";

/** A player who is away for this long has left: a page that is only loaded again is back sooner. */
const GONE_AFTER = 4000;
const TOLD_FOR = 5000;

export class Company {
  /** The last arrival or departure; empty after a moment. */
  told = $state("");
  #leaving = new Map<string, ReturnType<typeof setTimeout>>();
  #untell: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly announce: (text: string) => void) {}

  /** Show which players other than `own` came or left between two lists of seats. */
  compare(before: SeatInfo[], after: SeatInfo[], own: readonly string[]): void {
    for (const { side, name, who, here } of after) {
      const was = before.find((seat) => seat.side === side);
      if (!["person", "open"].includes(who) || own.includes(side) || !was || was.here === here) continue;
      const called = name ? `${name} (${side})` : side;
      const leaving = this.#leaving.get(side);
      clearTimeout(leaving);
      this.#leaving.delete(side);
      if (here && !leaving) this.#tell(`${called} is here`);
      if (!here) this.#leaving.set(side, setTimeout(() => { this.#leaving.delete(side); this.#tell(`${called} has left`); }, GONE_AFTER));
    }
  }

  close(): void {
    clearTimeout(this.#untell);
    for (const timer of this.#leaving.values()) clearTimeout(timer);
  }

  #tell(text: string): void {
    this.told = text;
    this.announce(text);
    clearTimeout(this.#untell);
    this.#untell = setTimeout(() => (this.told = ""), TOLD_FOR);
  }
}
