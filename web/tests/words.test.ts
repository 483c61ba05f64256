import { expect, test } from "vitest";
import { isPlural, Lexicon, listed, pluralVerb } from "../src/lib/words";

const zoc = { term: "ZOC", text: "Zone of control", rule: "3", forms: ["ZOCs", "zone of control"] };
const lexicon = new Lexicon(
  [{ name: "IN 3/MOTBDE", full: "3rd Indian Motor Brigade", label: "3/MOTBDE" }, { name: "Axis depot 1", full: "Axis installation 1", label: "depot 1" }, { name: "Axis depot 12", full: "", label: "" }],
  [zoc],
  (text) => ({ "0101": [], "0203": [], "B48.17": ["Gabès", "Gabès airfield"] })[text] ?? null,
);
const words = (text: string): string[] => lexicon.read(text).filter(({ kind }) => kind !== "text").map(({ kind, text }) => `${kind} ${text}`);

test("a unit reads as its full name", () => {
  expect(lexicon.read("IN 3/MOTBDE arrives in 0203")).toEqual([
    { kind: "unit", text: "3rd Indian Motor Brigade", unit: "IN 3/MOTBDE" }, { kind: "text", text: " arrives in " }, { kind: "hex", text: "0203", hex: "0203" },
  ]);
});

test("the longest name wins, and a unit without a full name keeps its own", () => {
  expect(words("Axis depot 12 and Axis depot 1")).toEqual(["unit Axis depot 12", "unit Axis installation 1"]);
});

test("a hex reads with its place, unless the text names it", () => {
  expect(lexicon.read("in B48.17")).toContainEqual({ kind: "hex", text: "B48.17 Gabès", hex: "B48.17" });
  expect(words("Gabès (B48.17)")).toEqual(["hex B48.17"]);
});

test("a number that is not a hex stays text", () => {
  expect(words("rolled 12, 0101 and 9999")).toEqual(["hex 0101"]);
});

test("a term is marked once, in any of its forms; an abbreviation by its capitals only", () => {
  expect(words("Zone of control, ZOCs and the ZOC")).toEqual(["term Zone of control"]);
  expect(words("zoc")).toEqual([]);
});

test("names inside other words are left alone", () => {
  expect(words("01012 X/IN 3/MOTBDE")).toEqual([]);
});

test("after a full name that is a plural the verb is one too", () => {
  const units = [{ name: "580 AC", full: "Armoured Cars of 580th Battalion", label: "" }, { name: "P-39", full: "P-39 Airacobra fighters", label: "" }, { name: "HQ CCA", full: "Headquarters of Combat Command A", label: "" }];
  const some = new Lexicon(units, [], (text) => (text === "0101" ? [] : null));
  const read = (text: string): string => some.read(text).map(({ text }) => text).join("");
  expect(read("580 AC advances to 0101")).toBe("Armoured Cars of 580th Battalion advance to 0101");
  expect(read("580 AC in 0101 is out of supply")).toBe("Armoured Cars of 580th Battalion in 0101 are out of supply");
  expect(read("P-39 ends its mission")).toBe("P-39 Airacobra fighters end their mission");
  expect(read("Send P-39, which arrives 67%")).toBe("Send P-39 Airacobra fighters, which arrive 67%");
  expect(read("HQ CCA retreats to 0101")).toBe("Headquarters of Combat Command A retreats to 0101");
  expect(read("P-39 across 0101")).toBe("P-39 Airacobra fighters across 0101");
});

test("plurals of names and verbs", () => {
  expect(["7th Hussars (re-equipped)", "Tanks of 2nd Chasseurs d'Afrique", "3rd and 4th Companies of 104th Regiment", "Remnants of 1st Brigade"].every(isPlural)).toBe(true);
  expect(["XX Corps", "1st Battalion, King's Royal Rifle Corps", "2nd Battalion, Hussars", "German Afrika Korps Headquarters"].some(isPlural)).toBe(false);
  expect(["is", "has", "goes", "flies", "loses", "sets", "passes", "launches"].map(pluralVerb)).toEqual(["are", "have", "go", "fly", "lose", "set", "pass", "launch"]);
});

test("a measure of one letter is a term after its number only", () => {
  const token = { term: "token", text: "A quarter of a SP", rule: "1", forms: ["tokens", "T"] };
  const measured = new Lexicon([{ name: "T1/10 Pz", full: "", label: "" }], [token], () => null);
  const found = (text: string) => measured.read(text).filter(({ kind }) => kind === "term").map(({ text }) => text);
  expect(found("6 SP 1T, then 12T")).toEqual(["1T"]);
  expect(found("costs 1½T")).toEqual(["1½T"]);
  expect(found("T, 2t, B40T and T1/10 Pz")).toEqual([]);
});

test("a list of many units has the names on their counters, and so have short texts", () => {
  const units = ["A", "B", "C", "D"].map((name) => ({ name: `IN ${name}`, full: `${name} Company, 1st Battalion`, label: name }));
  const some = new Lexicon(units, [], () => null);
  const read = (text: string, short = false): string => some.read(text, short).map(({ text }) => text).join("");
  expect(read("Attack by IN A, IN B, IN C")).toBe("Attack by A Company, 1st Battalion; B Company, 1st Battalion; C Company, 1st Battalion");
  expect(read("Attack by IN A, IN B, IN C, IN D in 0101")).toBe("Attack by A, B, C, D in 0101");
  expect(read("IN A, attack", true)).toBe("A, attack");
});

test("units whose names contain commas are divided by semicolons", () => {
  const units = [{ name: "131 Inf/7 Arm", full: "131st Brigade, 7th Division", label: "" }, { name: "154 Inf/51 Inf", full: "154th Brigade, 51st Division", label: "" }, { name: "NIH Arm", full: "North Irish Horse", label: "" }, { name: "40 RTR", full: "", label: "" }];
  const some = new Lexicon(units, [], () => null);
  const read = (text: string): string => some.read(text).map(({ text }) => text).join("");
  expect(read("131 Inf/7 Arm, 154 Inf/51 Inf, NIH Arm are disorganised")).toBe("131st Brigade, 7th Division; 154th Brigade, 51st Division; North Irish Horse are disorganised");
  expect(read("NIH Arm, 40 RTR retreat, 131 Inf/7 Arm holds")).toBe("North Irish Horse, 40 RTR retreat, 131st Brigade, 7th Division holds");
  expect(read("NIH Arm, 131 Inf/7 Arm, 40 RTR")).toBe("North Irish Horse; 131st Brigade, 7th Division; 40 RTR");
  expect(listed(["131st Brigade, 7th Division", "North Irish Horse"])).toBe("131st Brigade, 7th Division; North Irish Horse");
  expect(listed(["40 RTR", "North Irish Horse"])).toBe("40 RTR, North Irish Horse");
});

test("odds and values of counters stay on one line", () => {
  const found = lexicon.read("18 to 13, 1-1 +1, column 25-40, IN 3/MOTBDE 4-6-8, B40-12").filter(({ kind }) => kind === "figures");
  expect(found.map(({ text }) => text)).toEqual(["1-1", "25-40", "4-6-8"]);
});
