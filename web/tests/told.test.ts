import { describe, expect, it } from "vitest";
import { asMade, isForced, isToldOf, resolved, withoutIdle } from "../src/lib/told";
import type { LogLine, OddsView, Question, View } from "../src/lib/types";

const sheet = (title: string, ...targets: string[]): OddsView => ({ title, attackers: ["a"], targets, column: "3-1", terms: [], outcomes: [], options: [], average: "" }) as unknown as OddsView;
const asking = (...sheets: OddsView[]): Question => ({ side: "Red", kind: "combat.target", number: 1, about: ["a"], sheets }) as unknown as Question;
const line = (text: string, roll: number | null = null): LogLine => ({ click: 1, rule: "1", text, roll }) as LogLine;

describe("the combat that was fought", () => {
  const combat = sheet("This combat: 0101", "0101");
  it("is told of after a roll", () => {
    expect(resolved(asking(combat), asking(), [line("Attack on 0101: rolled 3", 3)])).toBe(combat);
  });
  it("is told of where its result needs no roll", () => {
    expect(resolved(asking(combat), asking(), [line("Combat at 0101: 40 to 4, no roll, DS")])).toBe(combat);
  });
  it("is none where an attack was called off", () => {
    expect(resolved(asking(combat), asking(), [])).toBeNull();
    expect(resolved(asking(combat), asking(), [line("b moves to 0205")])).toBeNull();
  });
  it("is none while aircraft are on their way", () => {
    expect(resolved(asking(combat), { ...asking(), kind: "air.abort" }, [line("a flies to 0101")])).toBeNull();
  });
  it("is none where it was only declared", () => {
    expect(resolved(asking(combat), asking(sheet("Combat 1: 0101", "0101")), [line("Combat declared at 0101")])).toBeNull();
  });
});

describe("the sheet of a combat", () => {
  it("goes with the lines that name its hex, and with no others", () => {
    expect(isToldOf(sheet("0101", "0101"), [line("Attack on 0101: rolled 3", 3), line("a retreats to 0202")])).toBe(true);
    expect(isToldOf(sheet("0101", "0101"), [line("Barrage of 0303: rolled 4", 4)])).toBe(false);
    expect(isToldOf(null, [line("Attack on 0101: rolled 3", 3)])).toBe(false);
  });
});

describe("the odds before the roll", () => {
  const shown = sheet("This combat: 0101", "0101");
  it("are those of the last click, with the support that it added", () => {
    const made = { ...sheet("This combat: 0101", "0101"), column: "4-1" };
    expect(asMade(shown, [sheet("Combat 2: 0303", "0303"), made])).toBe(made);
  });
  it("are those of the player's last decision where the last click may not be known", () => {
    expect(asMade(shown, [])).toBe(shown);
    expect(asMade(shown, [sheet("Combat 2: 0303", "0303")])).toBe(shown);
  });
  it("are none where no combat was resolved", () => {
    expect(asMade(null, [sheet("Combat 2: 0303", "0303"), sheet("Loss")])).toBeNull();
  });
});

describe("a decision in the enemy's phase", () => {
  const phases = [{ name: "blue movement", side: "Blue" }, { name: "red movement", side: "Red" }, { name: "supply", side: null }] as unknown as View["phases"];
  const question = asking();
  it("is explained by what happened, a decision in one's own phase is not", () => {
    expect(isForced({ phase: "blue movement", phases, question, viewer: "Red" })).toBe(true);
    expect(isForced({ phase: "red movement", phases, question, viewer: "Red" })).toBe(false);
    expect(isForced({ phase: "supply", phases, question, viewer: "Red" })).toBe(false);
    expect(isForced({ phase: "blue movement", phases, question, viewer: "Blue" })).toBe(false);
    expect(isForced({ phase: "blue movement", phases, question: null, viewer: "Red" })).toBe(false);
  });
});

describe("rolls without effect", () => {
  const idle = (text: string): LogLine => ({ ...line(text, 2), note: "routine" });
  it("are counted, and the roll that had one is left with it", () => {
    const [roll, effect] = [line("command in 1107: rolled 1", 1), line("1107 is out of command")];
    expect(withoutIdle([roll, idle("command in 1250: rolled 2"), idle("command in 1351: rolled 2"), effect])).toEqual({ told: [roll, effect], idle: 2 });
  });
  it("are shown where there is one alone", () => {
    const alone = [idle("fog: rolled 2")];
    expect(withoutIdle(alone)).toEqual({ told: alone, idle: 0 });
  });
});
