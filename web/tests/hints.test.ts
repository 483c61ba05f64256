import { expect, test } from "vitest";
import { words } from "../src/lib/hints";

test("a hint is read out, whatever its form", () => {
  expect(words(3)).toBe("3");
  expect(words("½")).toBe("½");
  expect(words({ support: 2, arrives: "1/3" })).toBe("support 2, arrives 1/3");
  expect([null, undefined, [1]].map(words)).toEqual(["", "", ""]);
});
