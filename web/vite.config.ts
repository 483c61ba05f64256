import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import milsymbol from "milsymbol";
import { defineConfig } from "vitest/config";
import type { Plugin } from "vite";
import { codesOf, draw } from "./src/lib/symboldrawing.ts";

/** The server used during development (`npm run dev`). */
const SERVER = process.env["KHAMSIN_SERVER"] ?? "http://127.0.0.1:8000";

const OUT = "../src/khamsin/server/static/client";

/** Store a gzipped copy of each text file, which the server sends as it is. */
const packed = (): Plugin => ({
  name: "packed",
  apply: "build",
  closeBundle() {
    const folder = new URL(`${OUT}/assets/`, import.meta.url);
    for (const name of readdirSync(folder).filter((one) => /\.(js|css|svg)$/.test(one))) {
      writeFileSync(new URL(`${name}.gz`, folder), gzipSync(readFileSync(new URL(name, folder)), { level: 9 }));
    }
  },
});

const SYMBOLS = "virtual:symbols";

/** Draw the symbols of all games: the library would be a third of the first load. */
const symbols = (): Plugin => ({
  name: "symbols",
  resolveId: (id) => (id === SYMBOLS ? `\0${SYMBOLS}` : null),
  load(id) {
    if (id !== `\0${SYMBOLS}`) return null;
    const server = new URL("../src/khamsin/", import.meta.url).pathname;
    const files = [`${server}server/symbols.toml`, ...readdirSync(`${server}games`).map((game) => `${server}games/${game}/game.toml`)].filter(existsSync);
    for (const file of files) this.addWatchFile(file);
    const drawn = codesOf(files.map((file) => readFileSync(file, "utf8"))).map((code) => [code, draw(milsymbol, code)] as const);
    const json = JSON.stringify(Object.fromEntries(drawn.filter(([, drawing]) => drawing)));
    return `export default JSON.parse(${JSON.stringify(json)});`;
  },
});

export default defineConfig({
  plugins: [svelte(), symbols(), packed()],
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: "es2022",
    // The content policy allows no inline code, and fonts are cached separately.
    assetsInlineLimit: 0,
    // The library of symbols is one large file, loaded separately.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: {
    proxy: {
      "/api": { target: SERVER, ws: true, changeOrigin: true },
      "/fonts": SERVER,
    },
  },
  test: { include: ["tests/**/*.test.ts"], environment: "node" },
});
