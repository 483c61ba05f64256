import { expect, test } from "vitest";
import { linkInHash } from "../src/pages/account/links";

test("a link by mail carries its token in the fragment", () => {
  expect(linkInHash("#confirm=a-B_9")).toEqual({ kind: "confirm", token: "a-B_9" });
  expect(linkInHash("#reset=xyz")).toEqual({ kind: "reset", token: "xyz" });
});

test("any other fragment is not a link", () => {
  for (const hash of ["", "#", "#key=abc", "#confirm=", "#confirm=a b", "#reset=<b>", "#other=abc"]) expect(linkInHash(hash)).toBeNull();
});
