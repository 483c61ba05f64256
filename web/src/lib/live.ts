/** The live connection to one match. It authenticates, reconnects and keeps the latest view. */

import type { LiveFrame, LiveUpdate, Refusal, Said, SeatInfo, SparseView, View } from "./types";
import { complete, completeQuestion } from "./complete";

export type Line = "joining" | "open" | "lost";

/** The events of a connection. */
export interface Listener {
  /** A complete view: at the start, after a change of seat, after a gap. */
  whole(view: View, chat: Said[], seats: SeatInfo[], rematch: string | null): void;
  /** The view after one change. `own`: caused by this client's click. */
  change(view: View, own: boolean): void;
  seats(seats: SeatInfo[], rematch: string | null): void;
  said(line: Said): void;
  line(line: Line): void;
  /** Another request was refused. */
  refused(refusal: Refusal): void;
  /** The server refuses the connection; retrying does not help. */
  barred(reason: string): void;
}

/** The part of a WebSocket that is used; tests pass their own. */
export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: ((event: Event) => void) | null;
  onmessage: ((event: MessageEvent) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
}

/** Return the delay before the n-th attempt in milliseconds, up to about 15 seconds. */
export const backOff = (attempt: number, chance = Math.random()): number =>
  Math.min(15_000, 250 * 2 ** Math.min(attempt, 10)) * (0.75 + chance / 2);

const LOST: Refusal = {
  error: "The connection broke before the answer arrived. The screen shows the current state.", reason: "busy", rule: "", cause: "", view: null,
};

/** Reasons for which retrying does not help: no such match, wrong key, invalid frame. */
const FINAL = new Set(["unknown", "seat", "invalid"]);

/** Whether a closed connection stays closed: after such a refusal, or with the code for a policy violation. */
const isFinal = (code: number, refusal: Refusal | null): boolean => (refusal ? FINAL.has(refusal.reason) : code === 1008);

export class Live {
  /** The latest view; the screen may be behind it. */
  latest: View | null = null;
  #socket: Socket | null = null;
  #attempt = 0;
  #next = 1;
  #waiting = new Map<number, (refusal: Refusal | null) => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  /** Whether a view has arrived. Before that, a refusal is the reason why the connection closes. */
  #joined = false;
  #refusal: Refusal | null = null;

  constructor(
    readonly id: string,
    public key: string | null,
    public side: string | null,
    readonly listener: Listener,
    readonly dial: (address: string) => Socket = (address) => new WebSocket(address),
  ) {}

  /** Connect, and reconnect until `close`. */
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

  /** Reconnect at once, for example when the network is back. */
  hurry(): void {
    if (this.#socket || this.#closed) return;
    this.#attempt = 0;
    this.open();
  }

  /** Send a click. Resolves with null, or with the refusal. */
  click(number: number, click: string, side: string | null): Promise<Refusal | null> {
    return this.#ask({ type: "click", number, click, side });
  }

  /** Undo a move; the last one by default. */
  undo(number: number, move: number | null, side: string | null): Promise<Refusal | null> {
    return this.#ask({ type: "undo", number, move, side });
  }

  say(text: string): void {
    this.#send({ type: "say", text });
  }

  /** Change to another seat; a complete view follows. */
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
      // The socket is not open; its close event reports that.
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
        // A late click is answered with a newer view; after a gap, request a complete one.
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

  /** An update was missed: request a complete view. */
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

/** Return the view after an update. Unchanged parts keep their identity. */
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
  const { question, ...set } = update.set as Partial<SparseView>;
  return { ...view, ...set, question: question === undefined ? view.question : completeQuestion(question), units, log, version: update.version };
}
