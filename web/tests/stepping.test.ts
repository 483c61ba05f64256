import { expect, test } from "vitest";
import type { Moment, View } from "../src/lib/types";
import { Moments } from "../src/pages/replay/moments";
import { jump, phaseAt, stops, within } from "../src/pages/replay/stepping";

const moment = (click: number, turn: number, kind: "phase" | "roll"): Moment => ({ click, turn, phase: `p${click}`, side: null, kind, text: "" });
const course = [moment(0, 1, "phase"), moment(4, 1, "roll"), moment(6, 1, "phase"), moment(9, 2, "phase"), moment(12, 2, "roll")];

test("a place outside the game is brought back into it", () => {
  expect([within(-3, 20), within(7, 20), within(99, 20)]).toEqual([0, 7, 20]);
});

test("no place at all is the end", () => {
  expect(within(Number.NaN, 20)).toBe(20);
});

test("a jump goes past the present moment, not to it", () => {
  expect(jump(course, 4, "roll", true)?.click).toBe(12);
  expect(jump(course, 12, "roll", false)?.click).toBe(4);
});

test("there is nothing beyond the last roll", () => {
  expect(jump(course, 12, "roll", true)).toBeNull();
});

test("a turn begins with its first phase", () => {
  expect(stops(course, "turn").map(({ click }) => click)).toEqual([0, 9]);
});

test("a click lies in the last phase that has begun", () => {
  expect(phaseAt(course, 8)?.click).toBe(6);
});

test("a moment is fetched once", async () => {
  const asked: number[] = [];
  const moments = new Moments(async (click) => { asked.push(click); return { clicks: click } as View; });
  await moments.at(3);
  expect((await moments.at(3)).clicks).toBe(3);
  expect(asked).toEqual([3]);
});

test("a moment that could not be fetched is asked for again", async () => {
  let fails = true;
  const moments = new Moments(async (click) => {
    if (fails) throw new Error("busy");
    return { clicks: click } as View;
  });
  await expect(moments.at(3)).rejects.toThrow("busy");
  fails = false;
  expect((await moments.at(3)).clicks).toBe(3);
});
