import { beforeEach, describe, expect, it, vi } from "vitest";
import { Pace, pause } from "../src/lib/pace";
import type { View } from "../src/lib/types";
import { view } from "./sample";

const first = view({ a: "0101" });
const moved = view({ a: "0102" });
const rolled = { ...first, log: [{ click: 1, rule: "1", text: "", roll: 4, turn: 1, phase: "combat", note: "" as const }] };

describe("the pause after a change", () => {
  it("is longest for a roll, shorter for a move, and hardly any where nothing is to be seen", () => {
    expect(pause(first, rolled, 0)).toBeGreaterThan(pause(first, moved, 0));
    expect(pause(first, moved, 0)).toBeGreaterThan(300);
    expect(pause(first, { ...first, clicks: 2 }, 0)).toBeLessThan(50);
  });

  it("is shorter where many wait, but never too short to see", () => {
    expect(pause(first, moved, 30)).toBeLessThan(pause(first, moved, 0));
    expect(pause(first, moved, 5000)).toBeGreaterThanOrEqual(70);
  });
});

describe("the pace", () => {
  let shown: View[];
  let waiting: number;
  let pace: Pace;

  beforeEach(() => {
    vi.useFakeTimers();
    shown = [];
    waiting = 0;
    pace = new Pace((one) => shown.push(one), (count) => (waiting = count));
    pace.jump(first);
  });

  it("shows an answer to our own click at once", () => {
    pace.add(moved, true);
    expect(shown).toEqual([first, moved]);
  });

  it("plays the moves of others one after another", () => {
    const views = ["0102", "0103", "0104"].map((at) => view({ a: at }));
    for (const one of views) pace.add(one, false);
    expect(waiting).toBe(3);
    vi.advanceTimersByTime(1);
    expect(shown.at(-1)).toBe(views[0]);
    vi.advanceTimersByTime(440);
    expect(shown.at(-1)).toBe(views[0]);
    vi.advanceTimersByTime(20);
    expect(shown.at(-1)).toBe(views[1]);
    vi.advanceTimersByTime(2000);
    expect(shown.at(-1)).toBe(views[2]);
    expect(waiting).toBe(0);
  });

  it("does not let our own answer overtake what came before it", () => {
    pace.add(moved, false);
    pace.add(rolled, true);
    expect(shown).toEqual([first]);
    vi.advanceTimersByTime(5000);
    expect(shown).toEqual([first, moved, rolled]);
  });

  it("can be skipped", () => {
    pace.add(moved, false);
    pace.add(rolled, false);
    pace.skip();
    expect(shown.at(-1)).toBe(rolled);
    expect(waiting).toBe(0);
    vi.advanceTimersByTime(5000);
    expect(shown).toEqual([first, rolled]);
  });

  it("does not wait at all at speed nought", () => {
    pace.speed = 0;
    pace.add(moved, false);
    pace.add(rolled, false);
    vi.advanceTimersByTime(5);
    expect(shown).toEqual([first, moved, rolled]);
  });

  it("throws away what waits when a whole view comes", () => {
    pace.add(moved, false);
    pace.jump(rolled);
    vi.advanceTimersByTime(5000);
    expect(shown).toEqual([first, rolled]);
  });
});
