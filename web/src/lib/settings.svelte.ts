/** How this player likes the table: kept in the browser, for every game. */

import "./settings.css";
import { keep, recall } from "./remembered";

export const PACES = [
  { speed: 0, title: "at once" },
  { speed: 3, title: "fast" },
  { speed: 1, title: "as usual" },
  { speed: 0.45, title: "slow" },
] as const;

export const FACES = [
  { name: "symbol", title: "NATO symbols" },
  { name: "plain", title: "large figures" },
] as const;

class Settings {
  #speed = $state(recall("speed", 1));
  #still = $state(recall("still", false));
  #face = $state(recall<string>("face", "symbol"));

  constructor() {
    this.#dress();
  }

  /** How fast other people's moves are played out: 1 as usual, 0 at once. */
  get speed(): number {
    return this.#speed;
  }
  set speed(speed: number) {
    this.#speed = speed;
    keep("speed", speed);
  }

  /** Whether nothing shall slide, also where the system does not ask for it. */
  get still(): boolean {
    return this.#still;
  }
  set still(still: boolean) {
    this.#still = still;
    keep("still", still);
    this.#dress();
  }

  /** What counters show most. */
  get face(): string {
    return this.#face;
  }
  set face(face: string) {
    this.#face = face;
    keep("face", face);
    this.#dress();
  }

  #dress(): void {
    const { dataset } = document.documentElement;
    if (this.#still) dataset["still"] = "";
    else delete dataset["still"];
    dataset["face"] = this.#face;
  }
}

export const settings = new Settings();
