import { describe, expect, it } from "vitest";
import { find, plain } from "../src/lib/find";
import { board } from "./sample";

const sample = board();
sample.hex("0203")!.places.push({ name: "Bir Zérat", kind: "well", rank: 5, source: "" });
const units = [
  { name: "XX 21/IBDE", label: "21", at: "0101", note: "" },
  { name: "XX 3/ABN", label: "3", at: "Box", note: "" },
];

describe("finding", () => {
  it("answers nothing to nothing", () => {
    expect(find("  ", sample, units)).toEqual([]);
  });

  it("finds a hex by its number", () => {
    expect(find("0203", sample, units)[0]).toMatchObject({ what: "hex", at: "0203" });
  });

  it("finds a place whatever its accents", () => {
    expect(find("zerat", sample, units)[0]).toMatchObject({ what: "place", name: "Bir Zérat", at: "0203" });
    expect(plain("Zérat")).toBe("zerat");
  });

  it("finds a unit by its label and by a part of its name", () => {
    expect(find("21", sample, units)[0]).toMatchObject({ what: "unit", name: "XX 21/IBDE", at: "0101" });
    expect(find("abn", sample, units)[0]).toMatchObject({ what: "unit", name: "XX 3/ABN" });
  });

  it("gives no more than asked for", () => {
    expect(find("0", sample, units, 3)).toHaveLength(3);
  });
});
