import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

/** Where a running server answers while the client is developed (`npm run dev`). */
const SERVER = process.env["KHAMSIN_SERVER"] ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: "../src/khamsin/server/static/client",
    emptyOutDir: true,
    target: "es2022",
    // The page's policy allows no inline code, and fonts are better cached apart.
    assetsInlineLimit: 0,
    // The library of symbols is one large file by nature; it is fetched beside the rest.
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
