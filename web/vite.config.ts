import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import type { Plugin } from "vite";

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

export default defineConfig({
  plugins: [svelte(), packed()],
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
