import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

/** The machine's own browser: none is ever downloaded. */
const CHROMIUM = (process.env["PATH"] ?? "")
  .split(":")
  .flatMap((folder) => ["chromium", "chromium-browser", "google-chrome"].map((name) => `${folder}/${name}`))
  .find(existsSync);
const PORT = process.env["KHAMSIN_E2E_PORT"] ?? "8177";

/** The whole table in a real browser against a real server, two files at a time: a test waits as long as it works. */
export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  fullyParallel: false,
  workers: 2,
  /** A busy machine may be late once; what fails twice is broken. */
  retries: 2,
  // A machine that does much else at the same time is slow, not wrong.
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: [["list"]],
  use: {
    baseURL: `http://127.0.0.1:${PORT}`,
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      executablePath: CHROMIUM,
      args: ["--no-sandbox", "--disable-dev-shm-usage"],
    },
  },
  webServer: {
    command: `rm -f test-results/e2e.db* && mkdir -p test-results && ${process.env["KHAMSIN"] ?? "../.venv/bin/khamsin"} play --no-browser --port ${PORT} --db sqlite:///test-results/e2e.db`,
    url: `http://127.0.0.1:${PORT}/api/shelf`,
    reuseExistingServer: false,
    timeout: 60_000,
    // Two workers call from one address.
    env: { KHAMSIN_RATE_SCALE: "4" },
  },
});
