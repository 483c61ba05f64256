import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { NewStudy } from "../src/lib/types";
import { Following } from "../src/pages/lab/following.svelte";

const study: NewStudy = { game: "skirmish", scenario: "village", players: {}, options: {}, changes: [], games: 6, seed: 1 };
const running = { id: "s", state: "running", before: 0, finished: 2, total: 6, error: "", command: "", study, key: "" };
const gone = (): Response => Response.json({ error: "This study is not known here" }, { status: 404 });

/** What the server says next, by the end of the path; null: nothing at all. */
let says: Record<string, () => Response | null>;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", async (path: string) => {
    const answer = Object.entries(says).find(([end]) => path.split("?")[0]!.endsWith(end))![1]();
    if (!answer) throw new TypeError("no answer");
    return answer;
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a study that the server does not know is no trouble", async () => {
  says = { "/find": () => Response.json(null) };
  const following = new Following();
  await following.find(study);
  expect([following.unknown, following.trouble, following.info]).toEqual([true, "", null]);
});

test("a server that was started anew has forgotten the study, and it can be played again", async () => {
  says = { "/studies": () => Response.json(running), "/report": () => Response.json({ finished: 2 }), "/studies/s": () => null };
  const following = new Following();
  await following.begin(study);
  await vi.advanceTimersByTimeAsync(700);
  expect([following.trouble, following.running]).toEqual(["The server does not respond.", true]);
  says["/studies/s"] = gone;
  await vi.advanceTimersByTimeAsync(4_000);
  expect([following.unknown, following.trouble, following.running]).toEqual([true, "", false]);
});

test("an answer about a study that was left changes nothing", async () => {
  says = { "/find": () => Response.json(null) };
  const following = new Following();
  const found = following.find(study);
  following.leave();
  await found;
  expect(following.unknown).toBe(false);
});
