/**
 * Whether the dice of a game were what was promised: the hash of the key must be the commitment shown before the first roll, and
 * every roll must follow from the key. All of it is worked out here, in the reader's own browser.
 */

import { blake2b } from "@noble/hashes/blake2.js";
import { sha256 } from "@noble/hashes/sha2.js";
import type { Rolls } from "./types";

/** What the check of the promise says. "unknown": the key is not told yet. */
export type Verdict = "match" | "mismatch" | "unknown";

/** A roll that was checked: `given` is what the key gives, null where other dice were used. */
export type Checked = Rolls["rolls"][number] & { given: number | null };

/** The bytes of hexadecimal digits, or null where they are none. */
export function bytesOf(hex: string): Uint8Array | null {
  if (!/^([0-9a-f]{2})+$/i.test(hex)) return null;
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** Hash the key and compare with what was promised. */
export function checkDice(commitment: string, key: string | null): Verdict {
  if (!key || !commitment) return "unknown";
  const bytes = bytesOf(key);
  if (!bytes) return "mismatch";
  const hash = Array.from(sha256(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hash === commitment.toLowerCase() ? "match" : "mismatch";
}

/** Hash a player's number and compare with its commitment. */
export const checkContribution = (commitment: string, value: string | null): Verdict => checkDice(commitment, value);

/** The key that every roll follows from: the server's, mixed with the players' numbers in their order. */
export function effectiveKey(key: string, values: readonly string[]): string {
  const [bytes, message] = [bytesOf(key), bytesOf(values.join(""))];
  if (!bytes || !message) return key;
  return Array.from(blake2b(message, { key: bytes, dkLen: 32 }), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Compute every roll from the key. A negative number marks a roll of other dice. */
export function checkRolls(key: string, { rolls }: Rolls): Checked[] {
  const bytes = bytesOf(key);
  return rolls.map((roll) => ({ ...roll, given: bytes && roll.number >= 0 ? fall(bytes, roll.number, roll.sides) : null }));
}

/**
 * How a die of so many sides falls as roll number n: a 64-bit number is hashed from n under the key, anew until one lies below the
 * largest multiple of the sides, so that no face is favoured.
 */
export function fall(key: Uint8Array, n: number, sides: number): number {
  const faces = BigInt(sides);
  const bound = 2n ** 64n - (2n ** 64n % faces);
  for (let attempt = 0; ; attempt++) {
    const message = new DataView(new ArrayBuffer(12));
    message.setBigUint64(0, BigInt(n));
    message.setUint32(8, attempt);
    const hash = blake2b(new Uint8Array(message.buffer), { key, dkLen: 8 });
    const number = new DataView(hash.buffer, hash.byteOffset).getBigUint64(0);
    if (number < bound) return Number(number % faces) + 1;
  }
}
