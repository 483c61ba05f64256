/** Points as players write them: a half is ½. */

const PARTS: [number, string][] = [[1 / 6, "⅙"], [1 / 4, "¼"], [1 / 3, "⅓"], [1 / 2, "½"], [2 / 3, "⅔"], [3 / 4, "¾"], [5 / 6, "⅚"]];

export function points(value: number): string {
  const whole = Math.floor(value);
  const part = PARTS.find(([size]) => Math.abs(value - whole - size) < 0.01);
  if (part) return `${whole || ""}${part[1]}`;
  return String(Math.round(value * 100) / 100);
}
