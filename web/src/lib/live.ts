/** The live line to one game: it says who is calling, comes back by itself, and keeps the latest view. */

import type { LiveFrame, LiveUpdate, Refusal, Said, SeatInfo, View } from "./types";
import { complete } from "./complete";

export type Line = "joining" | "open" | "lost";

/** What the line tells of. */
export interface Listener {
  /** A whole view: at the beginning, after a change of seat, after a gap. */
  whole(view: View, chat: Said[], seats: SeatInfo[], rematch: string | null): void;
  /** The view after one change. `own`: it answers a click of ours. */
  change(view: View, own: boolean): void;
  seats(seats: SeatInfo[], rematch: string | null): void;
  said(line: Said): void;
  line(line: Line): void;
  /** Something else that was sent was not done. */
  refused(refusal: Refusal): void;
  /** The server will not talk to us, and asking again will not help. */
  barred(reason: string): void;
}

/** The part of a WebSocket that is used; tests hand in one of their own. */
export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: ((event: Event) => void) | null;
  onmessage: ((event: MessageEvent) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
}

/** How long to wait before the n-th attempt, in milliseconds: quickly at first, then every fifteen seconds or so. */
export const backOff = (attempt: number, chance = Math.random()): number =>
  Math.min(15_000, 250 * 2 ** Math.min(attempt, 10)) * (0.75 + chance / 2);

const LOST: Refusal = {
  error: "The line broke before the answer came; the table shows what holds.", reason: "busy", rule: "", cause: "", view: null,
};

/** Reasons for which calling again does not help: no such game, a wrong key, a frame that makes no sense. */
const FINAL = new Set(["unknown", "seat", "invalid"]);

/** Whether a closed line stays closed. A refusal that came first says so; without one only the code for policy does. */
const isFinal = (code: number, refusal: Refusal | null): boolean => (refusal ? FINAL.has(refusal.reason) : code === 1008);

export class Live {
  /** The latest view there is; what is on the screen may be behind it. */
  latest: View | null = null;
  #socket: Socket | null = null;
  #attempt = 0;
  #next = 1;
  #waiting = new Map<number, (refusal: Refusal | null) => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  /** Whether this line has had a view; before that, a refusal is the reason why it will be closed. */
  #joined = false;
  #refusal: Refusal | null = null;

  constructor(
    readonly id: string,
    public key: string | null,
    public side: string | null,
    readonly listener: Listener,
    readonly dial: (address: string) => Socket = (address) => new WebSocket(address),
  ) {}

  /** Call the server, and go on calling until `close`. */
  open(): void {
    this.#closed = false;
    this.#joined = false;
    this.#refusal = null;
    clearTimeout(this.#timer);
    const socket = this.dial(addressOf(this.id));
    this.#socket = socket;
    socket.onopen = () => this.#send({ type: "hello", key: this.key ?? "", side: this.side });
    socket.onmessage = ({ data }) => socket === this.#socket && this.#hear(JSON.parse(String(data)) as LiveFrame);
    socket.onclose = ({ code, reason }) => socket === this.#socket && this.#lost(code, reason);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.#release();
  }

  /** Call again at once, for instance when the network is back. */
  hurry(): void {
    if (this.#socket || this.#closed) return;
    this.#attempt = 0;
    this.open();
  }

  /** Answer a question. Resolves with null when it was done, with the refusal when not. */
  click(number: number, click: string, side: string | null): Promise<Refusal | null> {
    return this.#ask({ type: "click", number, click, side });
  }

  /** Take back a move; the last where none is named. */
  undo(number: number, move: number | null, side: string | null): Promise<Refusal | null> {
    return this.#ask({ type: "undo", number, move, side });
  }

  say(text: string): void {
    this.#send({ type: "say", text });
  }

  /** Look from another seat; a whole view follows. */
  lookFrom(side: string): void {
    this.side = side;
    this.#send({ type: "side", side });
  }

  #ask(frame: Record<string, unknown>): Promise<Refusal | null> {
    if (!this.#socket) return Promise.resolve(LOST);
    const id = this.#next++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ ...frame, id });
    });
  }

  #send(frame: Record<string, unknown>): void {
    try {
      this.#socket?.send(JSON.stringify(frame));
    } catch {
      // A socket that is not open yet or any more: its closing is what counts.
    }
  }

  #hear(frame: LiveFrame): void {
    switch (frame.type) {
      case "view":
        this.#joined = true;
        this.#attempt = 0;
        this.latest = complete(frame.view);
        this.listener.line("open");
        this.listener.whole(this.latest, frame.chat, frame.seats, frame.rematch);
        break;
      case "update":
        if (!this.latest || frame.since !== this.latest.version) return this.#resume();
        this.latest = updated(this.latest, frame);
        this.listener.change(this.latest, this.#waiting.size > 0);
        break;
      case "answer": {
        const resolve = this.#waiting.get(frame.id);
        this.#waiting.delete(frame.id);
        resolve?.(frame.refusal);
        // A click that came too late brings the news that made it so; whoever missed them begins again.
        if ((frame.refusal?.view?.version ?? 0) > (this.latest?.version ?? 0)) this.#resume();
        break;
      }
      case "seats":
        this.listener.seats(frame.seats, frame.rematch);
        break;
      case "said":
        this.listener.said(frame.line);
        break;
      case "refusal":
        if (!this.#joined) this.#refusal = frame.refusal;
        this.listener.refused(frame.refusal);
        break;
    }
  }

  /** Something was missed: begin again with a whole view. */
  #resume(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.#release();
    this.open();
  }

  #lost(code: number, reason: string): void {
    this.#socket = null;
    this.#release();
    if (this.#closed) return;
    this.listener.line("lost");
    if (isFinal(code, this.#refusal)) return this.listener.barred(this.#refusal?.error ?? reason);
    this.#timer = setTimeout(() => this.open(), backOff(this.#attempt++));
  }

  #release(): void {
    for (const resolve of this.#waiting.values()) resolve(LOST);
    this.#waiting.clear();
  }
}

function addressOf(id: string): string {
  const address = new URL(`/api/matches/${encodeURIComponent(id)}/live`, location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  return address.href;
}

/** The view after an update. What did not change is the same object as before. */
export function updated(view: View, update: LiveUpdate): View {
  let units = view.units;
  if (Object.keys(update.units).length) {
    units = { ...view.units };
    for (const [name, unit] of Object.entries(update.units)) {
      if (unit) units[name] = unit;
      else delete units[name];
    }
  }
  const kept = update.log_from - view.log_from;
  const log = kept >= view.log.length && !update.log.length ? view.log : [...view.log.slice(0, Math.max(0, kept)), ...update.log];
  return complete({ ...view, ...(update.set as Partial<View>), units, log, version: update.version });
}
