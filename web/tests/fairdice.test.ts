import { expect, test } from "vitest";
import { bytesOf, checkDice } from "../src/lib/fairdice";

// The commitment of a key of sixteen zero bytes, as the kernel's own example gives it.
const KEY = "00".repeat(16);
const PROMISED = "374708fff7719dd5979ec875d56cd2286f6d3cf7ec317a3b25632aab28ec37bb";

test("the key that was promised fits", async () => {
  expect(await checkDice(PROMISED, KEY)).toBe("match");
});

test("capital digits mean the same", async () => {
  expect(await checkDice(PROMISED.toUpperCase(), KEY)).toBe("match");
});

test("another key does not fit", async () => {
  expect(await checkDice(PROMISED, `01${KEY.slice(2)}`)).toBe("mismatch");
});

test("what is no key does not fit", async () => {
  expect(await checkDice(PROMISED, "not a key")).toBe("mismatch");
});

test("nothing is said before the key is told", async () => {
  expect(await checkDice(PROMISED, null)).toBe("unknown");
});

test("an odd digit is no byte", () => {
  expect(bytesOf("abc")).toBeNull();
});
