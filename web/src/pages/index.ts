/** The pages besides the match, by the first part of their path; each is loaded when it is first opened. */

import type { Component } from "svelte";

/** A page is given `parts`, the rest of its path: `/rules/abc` gives `["abc"]`. One that has no use for it takes nothing. */
export type Page = Component<any>;

/** The name of the page that a path means: `/game/ID` is the match, `/game/ID/replay` the replay, `/` the first page. */
export function pageOf([first = "", , third]: readonly string[]): string {
  return first === "game" && third === "replay" ? "replay" : first;
}

export const pages: Record<string, () => Promise<{ default: Page }>> = {
  "": () => import("./home/Home.svelte"),
  games: () => import("./games/Games.svelte"),
  boards: () => import("./boards/Boards.svelte"),
  rules: () => import("./rules/Rules.svelte"),
  /** `/game/ID/replay`; the rest of `/game` is the match itself. */
  replay: () => import("./replay/Replay.svelte"),
  lab: () => import("./lab/Lab.svelte"),
  account: () => import("./account/Account.svelte"),
  lost: () => import("./Lost.svelte"),
};
