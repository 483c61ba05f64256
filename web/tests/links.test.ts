import { beforeEach, expect, test, vi } from "vitest";
import { fileNameIn } from "../src/lib/download";
import { adopt, forget, keyFor, keysOf } from "../src/lib/keyring";
import { keepTokens, linkTo, secretIn, tokensOf } from "../src/lib/links";
import { storage } from "./storage";

beforeEach(() => {
  vi.stubGlobal("localStorage", storage());
  vi.stubGlobal("sessionStorage", storage());
  vi.stubGlobal("location", new URL("https://table.example/"));
});

test.each(["invite", "device", "recover", "key"] as const)("a link with %s says what it is for", (kind) => {
  expect(secretIn(new URL(linkTo("a b", kind, "t/+")))).toEqual({ id: "a b", kind, value: "t/+" });
});

test("a secret is found in a replay's address too", () => {
  expect(secretIn(new URL("https://table.example/game/m/replay?at=3#key=k"))).toEqual({ id: "m", kind: "key", value: "k" });
});

test.each(["/game/m", "/game/m#", "/game/m#invite=", "/game/m#top", "/rules/m#key=k", "/#invite=t"])("%s has no secret", (address) => {
  expect(secretIn(new URL(address, "https://table.example"))).toBeNull();
});

test("the address of a match without a secret is for spectators", () => {
  expect(linkTo("m")).toBe("https://table.example/game/m");
});

test("a key of a link is this tab's key and is kept", () => {
  adopt("m", "k");
  expect([keyFor("m"), keysOf("m")]).toEqual(["k", { "": "k" }]);
  adopt("m", "k", ["Red"]);
  expect(keysOf("m")).toEqual({ Red: "k" });
});

test("what is forgotten leaves no key and no token", () => {
  adopt("m", "k", ["Red"]);
  keepTokens("m", { recovery: "r" });
  forget("m");
  expect([keyFor("m"), tokensOf("m").recovery]).toEqual([null, ""]);
});

test("a new recovery link has to be told again, an invitation does not change that", () => {
  keepTokens("m", { recovery: "r" });
  keepTokens("m", { told: true });
  keepTokens("m", { invitations: { Blue: "t" } });
  expect(tokensOf("m")).toEqual({ invitations: { Blue: "t" }, recovery: "r", told: true });
  keepTokens("m", { recovery: "s" });
  expect(tokensOf("m").told).toBe(false);
});

test("a file is named as the server says", () => {
  expect(fileNameIn('attachment; filename="paa-campaign-m.toml"', "x")).toBe("paa-campaign-m.toml");
  expect(fileNameIn("attachment; filename=a.jsonl", "x")).toBe("a.jsonl");
  expect([fileNameIn(null, "x"), fileNameIn('attachment; filename="../../a"', "x")]).toEqual(["x", "..-..-a"]);
});
