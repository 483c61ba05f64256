import { describe, expect, it } from "vitest";
import { HELP, wish } from "../src/lib/keys";

describe("a key", () => {
  it("asks for what the help card says", () => {
    expect(wish({ key: "/" })).toEqual({ do: "find" });
    expect(wish({ key: "u" })).toEqual({ do: "undo" });
    expect(wish({ key: " " })).toEqual({ do: "next" });
    expect(wish({ key: "Enter" })).toEqual({ do: "enter" });
    expect(wish({ key: "h" })).toEqual({ do: "hide" });
    expect(wish({ key: "?", shiftKey: true })).toEqual({ do: "help" });
  });

  it("steps with an arrow and moves the map with shift", () => {
    expect(wish({ key: "ArrowUp" })).toEqual({ do: "step", dx: 0, dy: -1 });
    expect(wish({ key: "ArrowLeft", shiftKey: true })).toEqual({ do: "pan", dx: -1, dy: 0 });
  });

  it("switches layers with digits and presses buttons with alt and digits", () => {
    expect(wish({ key: "3" })).toEqual({ do: "layer", index: 2 });
    expect(wish({ key: "1", altKey: true })).toEqual({ do: "button", index: 0 });
    expect(wish({ key: "0" })).toEqual({ do: "fit" });
  });

  it("goes back with shift and space", () => {
    expect(wish({ key: " ", shiftKey: true })).toEqual({ do: "previous" });
  });

  it("works with caps lock on", () => {
    expect(wish({ key: "U", shiftKey: true })).toEqual({ do: "undo" });
  });

  it("leaves the browser its own", () => {
    expect(wish({ key: "u", ctrlKey: true })).toBeNull();
    expect(wish({ key: "f", metaKey: true })).toBeNull();
    expect(wish({ key: "q" })).toBeNull();
  });

  it("is on the help card", () => {
    const listed = HELP.flatMap(([keys]) => keys);
    for (const key of ["/", "u", "h", "f", "s", "[", "]", "?", "+", "0"]) expect(listed).toContain(key);
  });
});
