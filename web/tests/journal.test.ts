import { expect, test } from "vitest";
import type { LogLine } from "../src/lib/types";
import { chapters, foldRoutine } from "../src/panels/journal";

const line = (click: number, turn: number, phase: string, text: string, roll: number | null = null): LogLine => ({ click, rule: "1.1", text, roll, turn, phase, note: "" });

const log = [
  line(0, 0, "", "set up"), line(3, 1, "movement", "moves"), line(5, 1, "command", "rolled", 4), line(5, 1, "combat", "fights"), line(9, 2, "movement", "arrives"),
];

test("lines before the first phase are the set-up", () => {
  expect(chapters(log, 0)[0]).toMatchObject({ phase: "Set-up", turn: 0, click: 0 });
});

test("a line is told with the phase in which it happened, also where one click led through several", () => {
  const found = chapters(log, 0).map(({ phase, turn, entries }) => [phase, turn, entries.map(({ text }) => text)]);
  expect(found.slice(1)).toEqual([["movement", 1, ["moves"]], ["command", 1, ["rolled"]], ["combat", 1, ["fights"]], ["movement", 2, ["arrives"]]]);
});

test("a line without a phase is told with what came before", () => {
  const found = chapters([...log, line(9, 0, "", "the rules have been corrected")], 0);
  expect(found.at(-1)!.entries.map(({ text }) => text)).toEqual(["arrives", "the rules have been corrected"]);
});

test("lines keep their place in the whole log when the first are left out", () => {
  expect(chapters(log.slice(2), 2).flatMap(({ entries }) => entries.map(({ number }) => number))).toEqual([2, 3, 4]);
});

test("only rolls can be asked for", () => {
  expect(chapters(log, 0, { text: "", rolls: true }).flatMap(({ entries }) => entries)).toHaveLength(1);
});

test("a search finds words and rules", () => {
  expect(chapters(log, 0, { text: "ARRIVES", rolls: false })).toHaveLength(1);
  expect(chapters(log, 0, { text: "1.1", rolls: false })).toHaveLength(5);
});

test("a line without a roll is not one", () => {
  const bare = { click: 3, rule: "", text: "moves", roll: null, turn: 1, phase: "movement", note: "" as const };
  expect(chapters([bare], 0, { text: "", rolls: true })).toEqual([]);
});

test("two or more routine rolls in a row are one line, a single one is not", () => {
  const routine = (number: number) => ({ ...line(number, 1, "command", "no effect", 3), note: "routine" as const, number });
  const effect = { ...line(3, 1, "command", "out of command", 1), number: 3 };
  const shown = foldRoutine([routine(1), routine(2), effect, routine(4)]);
  expect(shown).toEqual([{ key: "routine 1", routine: [routine(1), routine(2)] }, effect, routine(4)]);
});
