import { expect, test } from "vitest";
import { against, defaults, headOf } from "../src/lib/seating";
import { seatsOf } from "../src/panels/rematch";

test("I sit on one side and somebody else on the others", () => {
  expect(against(["Red", "Blue"], "Blue", "scripted")).toEqual({ Red: "scripted", Blue: "me" });
});

test("the first value of an option is its default", () => {
  expect(defaults({ weather: ["off", "on"] })).toEqual({ weather: "off" });
});

test("a record says what it is in its first line", () => {
  const record = '{"khamsin": 1, "game": "g", "scenario": "s"}\n{"click": "a"}\n{"click": "b"}\n{"saved": {}}\n';
  expect(headOf(record)).toEqual({ game: "g", scenario: "s", clicks: 2, over: false });
});

test("a record with a result is over", () => {
  expect(headOf('{"khamsin": 1, "game": "g"}\n{"result": {}}\n')?.over).toBe(true);
});

test("another file is no record", () => {
  expect([headOf("hello"), headOf("{}"), headOf("")]).toEqual([null, null, null]);
});

test("a rematch seats everybody as before", () => {
  const seats = [{ side: "Red", who: "person" }, { side: "Blue", who: "scripted" }, { side: "Green", who: "person" }];
  expect(seatsOf(seats, ["Red"])).toEqual({ Red: "me", Blue: "scripted", Green: "friend" });
});
