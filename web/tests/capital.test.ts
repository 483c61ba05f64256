import { expect, it } from "vitest";
import { phaseTitle } from "../src/lib/capital";

it("the title of a phase begins with a capital and writes the sides as they are called", () => {
  expect(phaseTitle("impulse 1 allied movement", ["Axis", "Allied"])).toBe("Impulse 1 Allied movement");
  expect(phaseTitle("axis combat", ["Axis", "Allied"])).toBe("Axis combat");
  expect(phaseTitle("supply", [])).toBe("Supply");
});
