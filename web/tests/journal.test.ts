import { expect, test } from "vitest";
import type { LogLine, Moment } from "../src/lib/types";
import { chapters } from "../src/panels/journal";

const line = (click: number, text: string, roll: number | null = null): LogLine => ({ click, rule: "1.1", text, roll });
const phase = (click: number, turn: number, name: string): Moment => ({ click, turn, phase: name, side: null, kind: "phase", text: "" });

const log = [line(0, "set up"), line(3, "moves"), line(5, "rolled", 4), line(9, "arrives")];
const moments = [phase(2, 1, "movement"), phase(5, 1, "combat"), phase(8, 2, "movement")];

test("lines before the first phase are the set-up", () => {
  expect(chapters(log, 0, moments)[0]).toMatchObject({ phase: "Set-up", turn: 0, click: 0 });
});

test("a line belongs to the last phase that began at or before its click", () => {
  const found = chapters(log, 0, moments).map(({ phase, turn, entries }) => [phase, turn, entries.map(({ text }) => text)]);
  expect(found.slice(1)).toEqual([["movement", 1, ["moves"]], ["combat", 1, ["rolled"]], ["movement", 2, ["arrives"]]]);
});

test("lines keep their place in the whole log when the first are left out", () => {
  expect(chapters(log.slice(2), 2, moments).flatMap(({ entries }) => entries.map(({ number }) => number))).toEqual([2, 3]);
});

test("only rolls can be asked for", () => {
  expect(chapters(log, 0, moments, { text: "", rolls: true }).flatMap(({ entries }) => entries)).toHaveLength(1);
});

test("a search finds words and rules", () => {
  expect(chapters(log, 0, moments, { text: "ARRIVES", rolls: false })).toHaveLength(1);
  expect(chapters(log, 0, moments, { text: "1.1", rolls: false })).toHaveLength(4);
});

test("a roll in a line with no roll field is none", () => {
  const bare = { click: 3, rule: "", text: "moves" };
  expect(chapters([bare], 0, moments, { text: "", rolls: true })).toEqual([]);
});
