/**
 * Verify the dice of a match: the hash of the key must be the commitment shown before the first roll, and
 * every roll must follow from the key and the players' contributions, each with a commitment too. All of it is computed here, in
 * the reader's own browser.
 */

import { blake2b } from "@noble/hashes/blake2.js";
import { sha256 } from "@noble/hashes/sha2.js";
import type { Rolls } from "./types";

/** The result of the check. "unknown": the key is not published yet. */
export type Verdict = "match" | "mismatch" | "unknown";

/** A roll that was checked: `given` is what the key gives, null where other dice were used. */
export type Checked = Rolls["rolls"][number] & { given: number | null };

/** The length of a player's contribution to the key. */
const CONTRIBUTION_BYTES = 32;

/** The bytes of hexadecimal digits, or null where they are none. */
export function bytesOf(hex: string): Uint8Array | null {
  if (!/^([0-9a-f]{2})+$/i.test(hex)) return null;
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Hash the key and compare with the commitment. */
export function checkDice(commitment: string, key: string | null): Verdict {
  if (!key || !commitment) return "unknown";
  const bytes = bytesOf(key);
  if (!bytes) return "mismatch";
  return hexOf(sha256(bytes)) === commitment.toLowerCase() ? "match" : "mismatch";
}

/** Hash a player's contribution, 32 bytes, and compare with its commitment. */
export function checkContribution(commitment: string, value: string | null): Verdict {
  if (value && bytesOf(value)?.length !== CONTRIBUTION_BYTES) return "mismatch";
  return checkDice(commitment, value);
}

/** The key the rolls follow from: the hash of all contributions, in the order of the sides, under the server's key. */
export function effectiveKey(key: string, values: readonly string[]): string | null {
  const secret = bytesOf(key);
  const given = values.map(bytesOf);
  if (!secret || given.some((value) => value?.length !== CONTRIBUTION_BYTES)) return null;
  if (!given.length) return key;
  return hexOf(blake2b(bytesOf(values.join(""))!, { key: secret, dkLen: 32 }));
}

/** Compute every roll from the effective key. Each carries its number; a negative one means other dice. */
export function checkRolls(key: string | null, rolls: Rolls["rolls"]): Checked[] {
  const bytes = bytesOf(key ?? "");
  return rolls.map((roll) => ({ ...roll, given: bytes && roll.number >= 0 ? fall(bytes, roll.number, roll.sides) : null }));
}

/**
 * Roll number n of a die with this many sides: a 64-bit number is hashed from n under the key, again until one is below the
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
