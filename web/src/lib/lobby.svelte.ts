/** A match that has not begun: polls the server and contributes to the dice. */

import { api, Refused, type Seat } from "./api";
import { contribute } from "./contribution";
import type { Lobby } from "./types";

const POLL_MS = 2500;

export class LobbyStore {
  lobby = $state.raw<Lobby>(undefined!);
  /** Why the numbers of the dice cannot be exchanged. */
  alarm = $state("");
  /** Why the last request failed; the next one may succeed. */
  trouble = $state("");
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  #busy = false;

  constructor(
    readonly seat: Seat,
    lobby: Lobby,
  ) {
    this.lobby = lobby;
  }

  /** Whether the match can be opened without a warning. */
  get ready(): boolean {
    return this.lobby.begun && !this.alarm;
  }

  /** Poll until the match begins. Returns how to stop. */
  open(): () => void {
    const look = () => document.hidden || void this.#poll();
    document.addEventListener("visibilitychange", look);
    addEventListener("online", look);
    void this.#advance(this.lobby).finally(() => this.#again());
    return () => {
      this.#closed = true;
      clearTimeout(this.#timer);
      document.removeEventListener("visibilitychange", look);
      removeEventListener("online", look);
    };
  }

  async #poll(): Promise<void> {
    if (this.#busy || this.#closed || this.lobby.begun) return;
    clearTimeout(this.#timer);
    await this.#advance();
    this.#again();
  }

  #again(): void {
    if (!this.#closed && !this.lobby.begun) this.#timer = setTimeout(() => void this.#poll(), POLL_MS);
  }

  async #advance(known?: Lobby): Promise<void> {
    this.#busy = true;
    try {
      const lobby = known ?? (await api.lobby(this.seat));
      const { lobby: next, alarm } = await contribute(this.seat.id, lobby, (body) => api.contribute(this.seat, body));
      [this.lobby, this.alarm, this.trouble] = [next, alarm, ""];
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.trouble = error.message;
    } finally {
      this.#busy = false;
    }
  }
}

/** What a seat is doing before the match begins, in a few words. */
export function seatState({ awaited, mine, seats }: Pick<Lobby, "awaited" | "mine" | "seats">, side: string): string {
  const seat = seats.find((one) => one.side === side);
  if (seat && seat.who !== "open" && seat.who !== "person") return "computer";
  const to = awaited.find((one) => one.side === side)?.to;
  if (to === "join") return "invited; has not accepted yet";
  const joining = awaited.some((one) => one.to === "join");
  if (to && !(to === "reveal" && joining)) return mine.includes(side) ? "preparing the dice" : "joined; has to open the match before it begins";
  return "ready";
}

/** Who is awaited: "Allied", "Axis and Allied". */
export function awaitedSides({ awaited, mine }: Pick<Lobby, "awaited" | "mine">): string[] {
  const others = awaited.filter(({ side }) => !mine.includes(side));
  const joining = others.filter(({ to }) => to === "join");
  return [...new Set((joining.length ? joining : others).map(({ side }) => side))];
}
