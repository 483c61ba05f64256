/** Whether the dice of a game were what was promised: the hash of the key must be the commitment shown before the first roll. */

/** What the check says. "unknown": the key is not told yet, or this browser cannot hash. */
export type Verdict = "match" | "mismatch" | "unknown";

/** The bytes of hexadecimal digits, or null where they are none. */
export function bytesOf(hex: string): Uint8Array<ArrayBuffer> | null {
  if (!/^([0-9a-f]{2})+$/i.test(hex)) return null;
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** The SHA-256 of bytes as hexadecimal digits. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Hash the key here, in the reader's own browser, and compare. */
export async function checkDice(commitment: string, key: string | null): Promise<Verdict> {
  if (!key || !commitment || !globalThis.crypto?.subtle) return "unknown";
  const bytes = bytesOf(key);
  if (!bytes) return "mismatch";
  return (await sha256(bytes)) === commitment.toLowerCase() ? "match" : "mismatch";
}
