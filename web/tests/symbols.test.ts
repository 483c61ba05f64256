import milsymbol from "milsymbol";
import { describe, expect, it } from "vitest";
import drawn from "virtual:symbols";
import { codesOf, draw, INK } from "../src/lib/symboldrawing";

describe("symbols drawn when the client is built", () => {
  it("has every symbol in every size", () => {
    expect(codesOf(['"infantry" = "SFGPUCI----"', '[size]\n"battalion" = "F"'])).toEqual(["SFGPUCI-----***", "SFGPUCI----F***"]);
  });

  it("has the symbols of the games, also those that a game states itself", () => {
    const codes = ["SFGPUCA----F***", "SFGPUCI----H***", "SFAPMFF-----***", "SFGPUULM---F***", "SFGPU-----AJ***"];
    expect(codes.filter((code) => !drawn[code])).toEqual([]);
  });

  it("draws what the library draws, in an ink that can be replaced", () => {
    const drawing = draw(milsymbol, "SFGPUCI----F***")!;
    expect(drawn["SFGPUCI----F***"]).toEqual(drawing);
    expect(drawing.svg).toContain(INK);
  });
});
