import { expect, test } from "vitest";
import { bytesOf, checkDice, checkRolls, fall } from "../src/lib/fairdice";

// The commitment of a key of sixteen zero bytes, as the kernel's own example gives it.
const KEY = "00".repeat(16);
const PROMISED = "374708fff7719dd5979ec875d56cd2286f6d3cf7ec317a3b25632aab28ec37bb";

test("the key that was promised fits", () => {
  expect(checkDice(PROMISED, KEY)).toBe("match");
});

test("capital digits mean the same", () => {
  expect(checkDice(PROMISED.toUpperCase(), KEY)).toBe("match");
});

test("another key does not fit", () => {
  expect(checkDice(PROMISED, `01${KEY.slice(2)}`)).toBe("mismatch");
});

test("what is no key does not fit", () => {
  expect(checkDice(PROMISED, "not a key")).toBe("mismatch");
});

test("nothing is said before the key is told", () => {
  expect(checkDice(PROMISED, null)).toBe("unknown");
});

test("an odd digit is no byte", () => {
  expect(bytesOf("abc")).toBeNull();
});

test("rolls fall as the kernel's own example says", () => {
  expect([fall(bytesOf(KEY)!, 0, 6), fall(bytesOf(KEY)!, 1, 6)]).toEqual([3, 1]);
});

test("a roll that was changed is found, and no other", () => {
  const roll = (number: number, value: number) => ({ click: 1, purpose: "attack", rule: "12", sides: 6, value, number });
  const checked = checkRolls(KEY, { rolls: [roll(0, 3), roll(1, 6)] });
  expect(checked.map(({ given, value }) => given === value)).toEqual([true, false]);
});

test("rolls of other dice are left out", () => {
  const checked = checkRolls(KEY, { rolls: [{ click: 0, purpose: "", rule: "", sides: 6, value: 5, number: -1 }, { click: 1, purpose: "", rule: "", sides: 6, value: 3, number: 0 }] });
  expect(checked.map(({ given }) => given)).toEqual([null, 3]);
});
