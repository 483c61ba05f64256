import { expect, test } from "vitest";
import { chapterOf, cited, depthOf, linked, search, sectionFor } from "../src/lib/sections";

const section = (number: string, title = "", gist = "") => ({ number, title, gist });
const book = [section("1", "Aim"), section("12", "Combat"), section("12.4", "Resolution", "Losses, then advance."), section("12.4.3", "Rolling")];

test("a citation may name several sections", () => {
  expect(cited("12.4, 13.2; §14")).toEqual(["12.4", "13.2", "14"]);
});

test("a table keeps its name", () => {
  expect(cited("Table 1")).toEqual(["Table 1"]);
});

test("a citation finer than the book finds the section it stands in", () => {
  expect(sectionFor(book, "12.4.9")?.number).toBe("12.4");
  expect(sectionFor(book, "12.4.3b")?.number).toBe("12.4.3");
});

test("a citation of nothing finds nothing", () => {
  expect(sectionFor(book, "99.1")).toBeNull();
});

test("a search for a number finds it and its parts first", () => {
  expect(search(book, "12.4").map(({ number }) => number)).toEqual(["12.4", "12.4.3"]);
});

test("a search puts titles before texts", () => {
  const found = search([section("3", "Zones", "combat"), section("12", "Combat")], "combat");
  expect(found.map(({ number }) => number)).toEqual(["12", "3"]);
});

test("numbers that are sections become links, others stay text", () => {
  const pieces = linked("Roll (12.4.3) on 2.5 dice (1).", new Set(["1", "12.4.3"]));
  expect(pieces.filter(({ section }) => section).map(({ text }) => text)).toEqual(["12.4.3", "1"]);
  expect(pieces.map(({ text }) => text).join("")).toBe("Roll (12.4.3) on 2.5 dice (1).");
});

test("a section does not link to itself", () => {
  expect(linked("See 12.4.", new Set(["12.4"]), "12.4")).toEqual([{ text: "See 12.4." }]);
});

test("chapters, sections and their parts", () => {
  expect(["12", "1.0", "Scenario 2", "OCS 8", "Introduction"].map(depthOf)).toEqual([1, 1, 1, 1, 1]);
  expect(["12.4", "1.10", "OCS 8(1)", "SCS 9.1", "OCS 9.10"].map(depthOf)).toEqual([2, 2, 2, 2, 2]);
  expect(["12.4.3", "1.1a"].map(depthOf)).toEqual([3, 3]);
});

test("the chapter of a section is the last one up to it", () => {
  const sections = [section("Introduction"), section("1.0"), section("1.1"), section("1.1a"), section("2.0")];
  expect(sections.map((one) => chapterOf(sections, one)?.number)).toEqual(["Introduction", "1.0", "1.0", "1.0", "2.0"]);
});
