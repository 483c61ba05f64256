import { beforeEach, describe, expect, it, vi } from "vitest";
import { backOff, Live, updated, type Listener, type Socket } from "../src/lib/live";
import type { LiveUpdate, View } from "../src/lib/types";
import { unit, view } from "./sample";

const update = (more: Partial<LiveUpdate> = {}): LiveUpdate => ({
  type: "update", since: 1, version: 2, set: {}, units: {}, log_from: 0, log: [], ...more,
});
const line = (text: string) => ({ click: 1, rule: "1", text, roll: null, turn: 1, phase: "combat", note: "" as const });

describe("an update", () => {
  it("changes only the units it names", () => {
    const before = view({ a: "0101", b: "0102" });
    const after = updated(before, update({ units: { a: unit("0201") } }));
    expect(after.units["a"]!.at).toBe("0201");
    expect(after.units["b"]).toBe(before.units["b"]);
    expect(after.version).toBe(2);
  });

  it("takes a unit away that is gone from sight", () => {
    expect(updated(view({ a: "0101" }), update({ units: { a: null } })).units).toEqual({});
  });

  it("keeps the units themselves where none changed", () => {
    const before = view({ a: "0101" });
    expect(updated(before, update()).units).toBe(before.units);
  });

  it("sets whole fields", () => {
    expect(updated(view(), update({ set: { phase: "combat" } })).phase).toBe("combat");
  });

  it("cuts the log back, then adds to it", () => {
    const before = view({}, { log: [line("one"), line("two"), line("three")] });
    const after = updated(before, update({ log_from: 1, log: [line("four")] }));
    expect(after.log.map(({ text }) => text)).toEqual(["one", "four"]);
  });

  it("counts the log from its first line, not from that which is here", () => {
    const before = view({}, { log_from: 5, log: [line("six"), line("seven")] });
    const after = updated(before, update({ log_from: 7, log: [line("eight")] }));
    expect(after.log.map(({ text }) => text)).toEqual(["six", "seven", "eight"]);
  });

  it("fills in what a question leaves out", () => {
    const after = updated(view(), update({ set: { question: { side: "Blue", number: 4 } } }));
    expect(after.question).toMatchObject({ side: "Blue", number: 4, prompt: "", units: {}, moves: [] });
  });

  it("unfolds the path preview of a question, and keeps it with the question", () => {
    const reach = {
      at: ["0102", "0103", "0201", "0101"], cost: [1, 2, 3], left: [4, 3, 0], before: [3, 0, -1], words: ["", "by truck"], how: [0, 0, 1], paths: { "0201": [3, 0] },
    };
    const after = updated(view(), update({ set: { question: { side: "Blue", number: 4, reach } } }));
    expect(after.question!.reach).toEqual({
      "0102": { cost: 1, left: 4, before: "0101", how: "" },
      "0103": { cost: 2, left: 3, before: "0102", how: "" },
      "0201": { cost: 3, left: 0, before: "", how: "by truck", path: ["0101", "0102"] },
    });
    expect(updated(after, update({ set: { phase: "combat" } })).question).toBe(after.question);
  });
});

describe("the back-off", () => {
  it("grows and then stays", () => {
    expect(backOff(0, 0.5)).toBe(250);
    expect(backOff(3, 0.5)).toBe(2000);
    expect(backOff(50, 0.5)).toBe(15000);
  });
});

class Wire implements Socket {
  sent: Record<string, unknown>[] = [];
  onopen: ((event: Event) => void) | null = null;
  onmessage: ((event: MessageEvent) => void) | null = null;
  onclose: ((event: CloseEvent) => void) | null = null;
  closed = false;
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }
  close(): void {
    this.closed = true;
  }
  hear(frame: unknown): void {
    this.onmessage?.({ data: JSON.stringify(frame) } as MessageEvent);
  }
  break(code = 1006): void {
    this.onclose?.({ code, reason: "gone" } as CloseEvent);
  }
}

describe("the live line", () => {
  let wires: Wire[];
  let heard: string[];
  let views: View[];
  let live: Live;
  const wire = () => wires.at(-1)!;
  const begin = () => {
    wire().onopen?.({} as Event);
    wire().hear({ type: "view", view: view({ a: "0101" }), chat: [], seats: [] });
  };

  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal("location", { href: "https://table.example/game/m" });
    [wires, heard, views] = [[], [], []];
    const listener: Listener = {
      whole: (one) => void (heard.push("whole"), views.push(one)),
      change: (one, own) => void (heard.push(own ? "own" : "other"), views.push(one)),
      seats: () => heard.push("seats"), said: () => heard.push("said"), line: (state) => heard.push(state),
      refused: ({ error }) => heard.push(error), barred: (reason) => heard.push(`barred: ${reason}`),
    };
    live = new Live("m", "secret", "Red", listener, (address) => {
      expect(address).toBe("wss://table.example/api/matches/m/live");
      wires.push(new Wire());
      return wire();
    });
    live.open();
  });

  it("says hello first, with its key", () => {
    wire().onopen?.({} as Event);
    expect(wire().sent).toEqual([{ type: "hello", key: "secret", side: "Red" }]);
  });

  it("tells an answer to our click from the moves of others", () => {
    begin();
    wire().hear(update());
    void live.click(0, "a", "Red");
    wire().hear(update({ since: 2, version: 3 }));
    expect(heard).toEqual(["open", "whole", "other", "own"]);
  });

  it("resolves a click with its refusal", async () => {
    begin();
    const answer = live.click(7, "a", "Red");
    const { id } = wire().sent.at(-1)! as { id: number };
    expect(wire().sent.at(-1)).toMatchObject({ type: "click", number: 7, click: "a", side: "Red" });
    wire().hear({ type: "answer", id, refusal: { error: "No.", reason: "illegal" } });
    expect((await answer)?.error).toBe("No.");
  });

  it("asks for everything anew when an update does not follow on", () => {
    begin();
    wire().hear(update({ since: 5, version: 6 }));
    expect(wires).toHaveLength(2);
    expect(wires[0]!.closed).toBe(true);
  });

  it("begins again when a refusal shows that something was missed", async () => {
    begin();
    const answer = live.click(7, "a", "Red");
    const { id } = wire().sent.at(-1)! as { id: number };
    wire().hear({ type: "answer", id, refusal: { error: "Too late.", reason: "stale", view: view({}, { version: 9 }) } });
    expect((await answer)?.error).toBe("Too late.");
    expect(wires).toHaveLength(2);
  });

  it("calls again by itself when the line breaks", () => {
    begin();
    wire().break();
    expect(heard.at(-1)).toBe("lost");
    vi.advanceTimersByTime(400);
    expect(wires).toHaveLength(2);
  });

  it("lets nobody wait for an answer that cannot come any more", async () => {
    begin();
    const answer = live.click(0, "a", "Red");
    wire().break();
    expect((await answer)?.reason).toBe("busy");
  });

  it("does not call again where the server has closed the door", () => {
    wire().break(1008);
    expect(heard).toEqual(["lost", "barred: gone"]);
    vi.advanceTimersByTime(60_000);
    expect(wires).toHaveLength(1);
  });

  it.each(["busy", "limit"])("calls again after a refusal that passes: %s", (reason) => {
    wire().onopen?.({} as Event);
    wire().hear({ type: "refusal", refusal: { error: "Later.", reason } });
    wire().break(1008);
    expect(heard).toEqual(["Later.", "lost"]);
    vi.advanceTimersByTime(400);
    expect(wires).toHaveLength(2);
  });

  it.each(["unknown", "seat", "invalid"])("does not call again after a refusal that stays: %s", (reason) => {
    wire().onopen?.({} as Event);
    wire().hear({ type: "refusal", refusal: { error: "No.", reason } });
    wire().break(1008);
    expect(heard).toEqual(["No.", "lost", "barred: No."]);
    vi.advanceTimersByTime(60_000);
    expect(wires).toHaveLength(1);
  });

  it.each([1001, 1006, 1011, 1012, 1013])("calls again after code %d", (code) => {
    begin();
    wire().hear({ type: "refusal", refusal: { error: "Too much was said.", reason: "invalid" } });
    wire().break(code);
    vi.advanceTimersByTime(400);
    expect(wires).toHaveLength(2);
  });

  it("stays closed once it was closed", () => {
    begin();
    live.close();
    wire().break();
    vi.advanceTimersByTime(60_000);
    expect(wires).toHaveLength(1);
  });
});
