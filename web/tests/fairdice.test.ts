import { expect, test } from "vitest";
import { bytesOf, checkContribution, checkDice, checkRolls, effectiveKey, fall } from "../src/lib/fairdice";

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

const roll = (number: number, value: number, sides = 6) => ({ number, click: 1, purpose: "attack", rule: "12", sides, value });

test("a roll that was changed is found, and no other", () => {
  const checked = checkRolls(KEY, [roll(0, 3), roll(1, 6)]);
  expect(checked.map(({ given, value }) => given === value)).toEqual([true, false]);
});

test("rolls of other dice are left out", () => {
  expect(checkRolls(KEY, [roll(-1, 5), roll(0, 3)]).map(({ given }) => given)).toEqual([null, 3]);
});

test("a roll is checked by its own number, also after numbers that were passed over", () => {
  const third = fall(bytesOf(KEY)!, 3, 1000);
  expect(checkRolls(KEY, [roll(0, 3), roll(3, third, 1000)]).map(({ given }) => given)).toEqual([3, third]);
});

// With the key above, the test vector of tests/kernel/test_dice.py too.
const FIRST = "01".repeat(32);
const SECOND = "02".repeat(32);
const FIRST_PROMISED = "72cd6e8422c407fb6d098690f1130b7ded7ec2f7f5e1d30bd9d521f015363793";
const EFFECTIVE = "d7442dc46164ed5e8576c597ab66e09e89184aa24f8651e76cf126882b1cefdf";

test("the effective key is the one that the kernel makes of the contributions", () => {
  expect(effectiveKey(KEY, [FIRST, SECOND])).toBe(EFFECTIVE);
  expect(effectiveKey(KEY, [SECOND, FIRST])).not.toBe(EFFECTIVE);
});

test("rolls with contributions fall as the kernel's own example says", () => {
  const checked = checkRolls(effectiveKey(KEY, [FIRST, SECOND]), [4, 1, 5, 5, 2, 4, 2, 5].map((value, i) => roll(i, value)));
  expect(checked.every(({ given, value }) => given === value)).toBe(true);
});

test("without contributions the key is the effective one", () => {
  expect(effectiveKey(KEY, [])).toBe(KEY);
});

test("there is no effective key of what is not 32 bytes, and no roll follows from it", () => {
  expect([effectiveKey(KEY, [FIRST, "02"]), effectiveKey("xyz", [FIRST, SECOND])]).toEqual([null, null]);
  expect(checkRolls(null, [roll(0, 3)]).map(({ given }) => given)).toEqual([null]);
});

test("a contribution fits its commitment, or it does not, or is not revealed yet", () => {
  expect(checkContribution(FIRST_PROMISED, FIRST)).toBe("match");
  expect(checkContribution(FIRST_PROMISED, SECOND)).toBe("mismatch");
  expect(checkContribution(PROMISED, KEY)).toBe("mismatch");
  expect(checkContribution(FIRST_PROMISED, null)).toBe("unknown");
});
