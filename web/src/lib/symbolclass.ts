/** The class of a counter by its symbol code: combat units are drawn above other units, supply, installations and markers. */
export function classRank(sidc: string | undefined): number {
  if (!sidc) return 0;
  const [set, kind] = [sidc[4], sidc[5]];
  return set === "U" && kind === "C" ? 3 : set === "U" && kind !== "S" ? 2 : 1;
}
