/** The geometry of plots: round numbers on an axis, lines and bands, colours between colours. */

import type { LabPoint } from "../../lib/types";

/** The colours of the sides, as in the report; then that of neither. */
export const SIDES = ["#b0552f", "#3d6690", "#5b7f4e", "#7d5b8c"] as const;
export const NEITHER = "#a59b8a";
/** As it is, and changed. */
export const ARMS = ["#7a7164", "#8a2d5c"] as const;
export const ARM_NAMES = ["as it is", "what if"] as const;
/** From little to much. */
export const HEAT = ["#f7dfa6", "#f0b65f", "#e2823b", "#c04a26", "#7d1d1a"] as const;
export const PALE = "#f3eddf";

/** Round numbers that span a range: `ticks(0, 37)` is 0, 10, 20, 30, 40. */
export function ticks(low: number, high: number): number[] {
  const rough = (high - low) / 4 || 1;
  const scale = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * scale).find((one) => one >= rough * 0.999)!;
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, n) => Number(((first + n) * step).toPrecision(12)));
}

/** A colour of a scale, from 0 to 1. */
export function mix(colours: readonly string[], share: number): string {
  const at = Math.min(Math.max(share, 0), 1) * (colours.length - 1);
  const low = Math.min(Math.floor(at), colours.length - 2);
  const [one, two] = [parts(colours[low]!), parts(colours[low + 1]!)];
  return `#${one.map((value, i) => Math.round(value + (two[i]! - value) * (at - low)).toString(16).padStart(2, "0")).join("")}`;
}

const parts = (colour: string): number[] => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

export interface Series {
  name: string;
  colour: string;
  points: readonly LabPoint[];
}

export interface Drawn {
  x: (turn: number) => number;
  y: (value: number) => number;
  across: number[];
  up: number[];
}

/** The scales of a plot of curves within a frame. */
export function frame(series: readonly Series[], zero: boolean, { left, top, width, height }: { left: number; top: number; width: number; height: number }): Drawn | null {
  const points = series.flatMap((one) => one.points);
  if (!points.length) return null;
  const turns = points.map(({ turn }) => turn);
  const [first, last] = [Math.min(...turns), Math.max(...turns)];
  let low = Math.min(...points.map(({ p10 }) => p10));
  let high = Math.max(...points.map(({ p90 }) => p90));
  if (zero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  if (high - low < 1e-9) [low, high] = [low - 1, high + 1];
  const up = ticks(low, high);
  const [bottom, ceiling] = [Math.min(low, up[0]!), Math.max(high, up.at(-1)!)];
  const every = Math.max(1, Math.round((last - first) / 10));
  return {
    x: (turn) => left + (width * (turn - first)) / Math.max(1, last - first),
    y: (value) => top + (height * (ceiling - value)) / (ceiling - bottom),
    across: Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, n) => first + n * every),
    up,
  };
}

type Column = "p10" | "p25" | "median" | "p75" | "p90";

/** A line through one column. */
export const line = (points: readonly LabPoint[], { x, y }: Drawn, column: Column): string =>
  points.map((point, i) => `${i ? "L" : "M"}${round(x(point.turn))} ${round(y(point[column]))}`).join("");

/** The band between two columns. */
export function band(points: readonly LabPoint[], { x, y }: Drawn, low: Column, high: Column): string {
  if (!points.length) return "";
  const there = points.map((point) => `${round(x(point.turn))} ${round(y(point[high]))}`);
  const back = [...points].reverse().map((point) => `${round(x(point.turn))} ${round(y(point[low]))}`);
  return `M${[...there, ...back].join("L")}Z`;
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** A share as a percentage. */
export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** A number with its sign. */
export const signed = (value: number): string => `${value > 0 ? "+" : value < 0 ? "−" : "±"}${Math.abs(Number(value.toPrecision(3)))}`;

/** Curves of one thing for each side belong into one plot. */
export function families(titles: readonly string[], sides: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const title of titles) {
    const side = sides.find((name) => title.startsWith(`${name} `)) ?? "";
    const what = title.slice(side.length).trim();
    const name = what.charAt(0).toUpperCase() + what.slice(1);
    found.set(name, [...(found.get(name) ?? []), title]);
  }
  return found;
}
