/** Links that carry a secret in their fragment, where no server log sees it, and the tokens of links that this browser may show again. */

import { keep, recall } from "./remembered";

/** What a secret is for: joining a match, moving a seat to another device, coming back to a lost seat, or the key itself. */
export type SecretKind = "invite" | "device" | "recover" | "key";

export interface Secret {
  /** The match. */
  id: string;
  kind: SecretKind;
  value: string;
}

const KINDS: readonly SecretKind[] = ["invite", "device", "recover", "key"];

/** The secret in the address of a match: `/game/ID#invite=TOKEN`. Null in every other address. */
export function secretIn({ pathname, hash }: Pick<URL, "pathname" | "hash">): Secret | null {
  const id = /^\/game\/([^/]+)/.exec(pathname)?.[1];
  if (!id) return null;
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const kind = KINDS.find((one) => words.get(one));
  return kind ? { id: decodeURIComponent(id), kind, value: words.get(kind)! } : null;
}

/** The address of a match, for spectators, or with a secret. */
export function linkTo(id: string, kind?: SecretKind, value = ""): string {
  const address = `${location.origin}/game/${encodeURIComponent(id)}`;
  return kind ? `${address}#${kind}=${encodeURIComponent(value)}` : address;
}

/** The tokens of one match: invitations that may still be unused, by side, and one's own recovery link. */
export interface Tokens {
  invitations: Record<string, string>;
  recovery: string;
  /** Whether the player has been told to keep the recovery link. */
  told: boolean;
}

const PLACE = "links";
const NONE: Tokens = { invitations: {}, recovery: "", told: false };

export const tokensOf = (id: string): Tokens => ({ ...NONE, ...recall<Record<string, Partial<Tokens>>>(PLACE, {})[id] });

/** Keep tokens of a match. A new recovery token has to be shown again. */
export function keepTokens(id: string, { invitations = {}, ...more }: Partial<Tokens>): void {
  const known = tokensOf(id);
  const told = more.recovery && more.recovery !== known.recovery ? false : known.told;
  keep(PLACE, { ...recall(PLACE, {}), [id]: { ...known, told, ...more, invitations: { ...known.invitations, ...invitations } } });
}

/** Drop the tokens of a match. */
export function forgetTokens(id: string): void {
  const { [id]: _, ...others } = recall<Record<string, Tokens>>(PLACE, {});
  keep(PLACE, others);
}
