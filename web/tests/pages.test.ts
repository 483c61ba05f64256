import { expect, test } from "vitest";
import { pageOf, pages } from "../src/pages";

test("the path of a game is the table, and its replay a page of its own", () => {
  expect([pageOf(["game", "abc"]), pageOf(["game", "abc", "replay"])]).toEqual(["game", "replay"]);
});

test("the empty path is the first page", () => {
  expect(pages[pageOf([])]).toBeDefined();
});

test.each(["boards", "rules", "games", "account", "replay"])("there is a page for %s", (name) => {
  expect(pages[pageOf([name, "abc"])]).toBeDefined();
});

test("an unknown path is no page", () => {
  expect(pages[pageOf(["nowhere"])]).toBeUndefined();
});
