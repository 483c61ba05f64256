import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

/** The machine's own browser: none is ever downloaded. */
const CHROMIUM = (process.env["PATH"] ?? "")
  .split(":")
  .flatMap((folder) => ["chromium", "chromium-browser", "google-chrome"].map((name) => `${folder}/${name}`))
  .find(existsSync);
const PORT = process.env["KHAMSIN_E2E_PORT"] ?? "8177";

/** The whole program in a real browser against a real server. One worker: a browser and a server use two cores already. */
export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  fullyParallel: false,
  workers: 1,
  /** A busy machine may be late once; what fails twice is broken. */
  retries: 2,
  // A machine that does much else at the same time is slow, not wrong.
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: [["list"]],
  use: {
    baseURL: `http://127.0.0.1:${PORT}`,
    viewport: { width: 1280, height: 800 },
    // Nothing slides or fades: what a test waits for is there at once.
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: {
      executablePath: CHROMIUM,
      args: ["--no-sandbox", "--disable-dev-shm-usage"],
    },
  },
  webServer: {
    command: `rm -f test-results/e2e-${PORT}.db* && mkdir -p test-results && ${process.env["KHAMSIN"] ?? "../.venv/bin/khamsin"} play --no-browser --port ${PORT} --db sqlite:///test-results/e2e-${PORT}.db`,
    url: `http://127.0.0.1:${PORT}/api/shelf`,
    reuseExistingServer: false,
    timeout: 60_000,
    // All people call from one address.
    env: { KHAMSIN_RATE_SCALE: "4" },
  },
});
