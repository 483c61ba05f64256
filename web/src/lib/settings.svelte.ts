/** The player's preferences, stored in this browser and shared by all games. */

import "./settings.css";
import { keep, recall } from "./remembered";

export const PACES = [
  { speed: 0, title: "at once" },
  { speed: 3, title: "fast" },
  { speed: 1, title: "normal" },
  { speed: 0.45, title: "slow" },
] as const;

export const FACES = [
  { name: "symbol", title: "NATO symbols" },
  { name: "plain", title: "large numbers" },
] as const;

class Settings {
  #speed = $state(recall("speed", 1));
  #still = $state(recall("still", false));
  #face = $state(recall<string>("face", "symbol"));
  #confirmEnd = $state(recall("confirm-end", true));
  #sound = $state(recall("sound", false));

  constructor() {
    this.#dress();
  }

  /** Speed at which other players' moves are shown: 1 normal, 0 at once. */
  get speed(): number {
    return this.#speed;
  }
  set speed(speed: number) {
    this.#speed = speed;
    keep("speed", speed);
  }

  /** Whether to reduce motion even if the system does not ask for it. */
  get still(): boolean {
    return this.#still;
  }
  set still(still: boolean) {
    this.#still = still;
    keep("still", still);
    this.#dress();
  }

  /** What counters show most prominently. */
  get face(): string {
    return this.#face;
  }
  set face(face: string) {
    this.#face = face;
    keep("face", face);
    this.#dress();
  }

  /** Whether to ask before ending a phase in which units can still act. */
  get confirmEnd(): boolean {
    return this.#confirmEnd;
  }
  set confirmEnd(confirm: boolean) {
    this.#confirmEnd = confirm;
    keep("confirm-end", confirm);
  }

  /** Whether the player's turn, dice and combat are heard. */
  get sound(): boolean {
    return this.#sound;
  }
  set sound(sound: boolean) {
    this.#sound = sound;
    keep("sound", sound);
  }

  #dress(): void {
    const { dataset } = document.documentElement;
    if (this.#still) dataset["still"] = "";
    else delete dataset["still"];
    dataset["face"] = this.#face;
  }
}

export const settings = new Settings();
