import { describe, expect, it } from "vitest";
import { answersFolded, buttonWidth, inOneRow, roomBeside, roomFor } from "../src/lib/room";
import type { Button } from "../src/lib/types";

const button = (caption: string, role: Button["role"] = "plain"): Button => ({ click: caption, caption, role });
const many = [
  button("End movement", "main"), button("Rail a Supply Point"), button("Build Fortification"), button("Send a convoy"),
  button("Destroy Supply Point"), button("Demolish or repair"), button("Cancel", "cancel"),
];

describe("the buttons of a decision in one row", () => {
  it("are all shown where there is room", () => {
    expect(inOneRow(many, 200, 0)).toEqual({ shown: many, folded: [] });
  });
  it("go into a menu from the end where there is none, but for what continues and what cancels", () => {
    const { shown, folded } = inOneRow(many, 50, 8);
    expect(shown.map(({ caption }) => caption)).toEqual(["End movement", "Rail a Supply Point", "Cancel"]);
    expect(folded.map(({ caption }) => caption)).toEqual(["Build Fortification", "Send a convoy", "Destroy Supply Point", "Demolish or repair"]);
  });
  it("take another one along into the menu, so that it never has one entry and the row never two lines", () => {
    const numbers = Array.from({ length: 80 }, (_, i) => inOneRow(many, 20 + i, 8).folded.length);
    expect(new Set(numbers)).toEqual(new Set([5, 4, 3, 2, 0]));
    const full = many.reduce((sum, { caption }) => sum + buttonWidth(caption), 8);
    expect(inOneRow(many, full - 1, 8).folded.map(({ caption }) => caption)).toEqual(["Destroy Supply Point", "Demolish or repair"]);
  });
  it("keep their order", () => {
    const { shown, folded } = inOneRow(many, 60, 8);
    expect([...shown, ...folded].length).toBe(many.length);
    expect(shown).toEqual(many.filter((one) => shown.includes(one)));
  });
  it("need no menu for a single one", () => {
    const two = [button("Attack", "main"), button("A very long caption of a button")];
    expect(inOneRow(two, 10, 0)).toEqual({ shown: two, folded: [] });
  });
});

describe("the room beside a prompt", () => {
  it("is three quarters of the footer beside a short one", () => {
    expect(roomBeside(12, 80)).toBe(60);
  });
  it("is less beside a long one, but never less than three fifths", () => {
    expect(roomBeside(100, 80)).toBeLessThan(60);
    expect(roomBeside(1000, 80)).toBe(48);
  });
  it("is the whole width below it, where the window is narrow", () => {
    expect(roomFor(100, 390, 15)).toBe(24);
    expect(roomFor(100, 1200, 15)).toBe(roomBeside(100, 80));
  });
});

describe("a menu that has every answer", () => {
  const fire = [button("Fire without air"), button("Fire with 1 air"), button("Fire with 2 air"), button("Cancel", "cancel")];
  it("is what continues", () => {
    expect(answersFolded(inOneRow(fire, roomFor(90, 390, 16), 8))).toBe(true);
  });
  it("is not, where an answer is shown, or nothing is folded", () => {
    expect(answersFolded(inOneRow(many, 20, 8))).toBe(false);
    expect(answersFolded(inOneRow(fire, 40, 0))).toBe(false);
    expect(answersFolded(inOneRow(fire, 200, 0))).toBe(false);
  });
});
