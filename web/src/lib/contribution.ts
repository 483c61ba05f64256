/**
 * This player's share in the dice. Each player commits to a random number by its hash and shows the number when all hashes are there,
 * so neither the server nor a player can choose the rolls.
 */

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { keep, recall } from "./remembered";
import type { Lobby } from "./types";

/** What this browser keeps of its share in one match. */
export interface Contribution {
  /** 32 random bytes as hexadecimal digits. */
  value: string;
  /** Whether the value was sent. From then on it is never replaced. */
  revealed: boolean;
  /** The server's commitment when the value was sent. */
  commitment: string;
  /** The other players' commitments when the value was sent, by side. */
  others: Record<string, string>;
}

const PLACE = "dice";

export const newContribution = (): Contribution => ({
  value: bytesToHex(crypto.getRandomValues(new Uint8Array(32))), revealed: false, commitment: "", others: {},
});

/** The hash that commits to a value. */
export const commitmentTo = (value: string): string => bytesToHex(sha256(hexToBytes(value)));

export const contributionTo = (id: string): Contribution | null => recall<Record<string, Contribution>>(PLACE, {})[id] ?? null;

export function keepContribution(id: string, contribution: Contribution): void {
  keep(PLACE, { ...recall<Record<string, Contribution>>(PLACE, {}), [id]: contribution });
}

/** The next step: nothing, send the commitment, send the value, or stop because of a contradiction. */
export type Step = { do: "wait" | "commit" | "reveal" } | { do: "stop"; why: string };

/**
 * The next step of a player. A value that was sent is never replaced: otherwise an operator could ask for new values until the
 * dice suit the operator.
 */
export function nextStep(lobby: Lobby, kept: Contribution | null): Step {
  const own = lobby.contributions.find(({ side }) => lobby.mine.includes(side));
  if (kept?.revealed) return afterReveal(lobby, kept, own?.revealed ?? true);
  if (lobby.begun || !own || own.revealed) return { do: "wait" };
  const committed = own.commitment !== null && own.commitment === (kept && commitmentTo(kept.value));
  const others = lobby.contributions.filter((one) => one !== own);
  const complete = others.every(({ commitment }) => commitment !== null);
  if (committed) return { do: complete ? "reveal" : "wait" };
  // Two devices of one player must not replace each other's commitment in turn, so one that is there stays until it is needed.
  if (own.commitment !== null && !complete) return { do: "wait" };
  if (others.some(({ revealed }) => revealed)) return { do: "stop", why: "This device does not hold your number for the dice. Open the match on the device where you joined." };
  return { do: "commit" };
}

function afterReveal(lobby: Lobby, kept: Contribution, taken: boolean): Step {
  const change = changeSince(kept, lobby);
  if (change) return { do: "stop", why: change };
  return { do: taken || lobby.begun ? "wait" : "reveal" };
}

/** What differs from the commitments under which the value was sent, or "". `dice` is a lobby or the dice of a view. */
export function changeSince(
  kept: Contribution, dice: { commitment: string; contributions: readonly { side: string; commitment: string | null }[]; mine?: readonly string[] },
): string {
  if (!kept.revealed) return "";
  if (dice.commitment !== kept.commitment) return "The server has replaced the key of its dice since your number was sent.";
  for (const [side, commitment] of Object.entries(kept.others)) {
    if (dice.contributions.find((one) => one.side === side)?.commitment !== commitment) return `The number of ${side} was replaced since yours was sent.`;
  }
  const own = dice.contributions.filter(({ side }) => !(side in kept.others));
  if (own.length !== 1 || own[0]!.commitment !== commitmentTo(kept.value)) return "Your own number is not among those of the dice.";
  return "";
}

/** Take steps until there is nothing left to do. Returns the lobby as it is then, and why it stopped, or "". */
export async function contribute(
  id: string, lobby: Lobby, send: (body: { commitment: string } | { value: string }) => Promise<Lobby>,
): Promise<{ lobby: Lobby; alarm: string }> {
  // A player takes two steps; the limit ends a loop between two devices.
  for (let i = 0; i < 4; i++) {
    let kept = contributionTo(id);
    const step = nextStep(lobby, kept);
    if (step.do === "stop") return { lobby, alarm: step.why };
    if (step.do === "wait") break;
    kept ??= newContribution();
    if (step.do === "reveal") kept = revealing(lobby, kept);
    // Kept before it is sent: a value that the server knows and this browser does not could not be checked.
    keepContribution(id, kept);
    lobby = await send(step.do === "commit" ? { commitment: commitmentTo(kept.value) } : { value: kept.value });
  }
  return { lobby, alarm: "" };
}

function revealing(lobby: Lobby, kept: Contribution): Contribution {
  const others = lobby.contributions.filter(({ side }) => !lobby.mine.includes(side));
  return { ...kept, revealed: true, commitment: lobby.commitment, others: Object.fromEntries(others.map(({ side, commitment }) => [side, commitment!])) };
}
