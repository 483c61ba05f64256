/** The hint of a legal click in a few words: "2", "evades 1 in 6", "support 2, arrives 1/3". */
export function words(hint: unknown): string {
  if (typeof hint === "number" || typeof hint === "string") return String(hint);
  if (hint === null || typeof hint !== "object" || Array.isArray(hint)) return "";
  return Object.entries(hint).map(([name, value]) => `${name} ${String(value)}`).join(", ");
}
