/** A study that runs on the server, polled for results. */

import { api, Refused } from "../../lib/api";
import type { LabReport, NewStudy, StudyInfo } from "../../lib/types";
import { timeLeft } from "./questions";

/** Milliseconds between two polls, and before a retry. */
const PAUSE = 600;
const PATIENCE = 3_000;
const place = (id: string): string => `khamsin.lab.${id}`;

export class Following {
  info = $state.raw<StudyInfo | null>(null);
  report = $state.raw<LabReport | null>(null);
  trouble = $state("");
  /** Whether the server does not have the study; studies are lost when it restarts. */
  unknown = $state(false);
  running = $derived(this.info?.state === "waiting" || this.info?.state === "running");
  /** Whether it was started here, and can be stopped here. */
  own = $derived(!!this.info && sessionStorage.getItem(place(this.info.id)) !== null);
  /** When games were first seen to be finished, and how many: what the speed is measured from. */
  #since: { at: number; finished: number } | null = null;
  /** How long the rest of the run takes, in words. */
  left = $derived.by(() => {
    const { info } = this;
    if (!info || info.state !== "running" || !this.#since) return "";
    const { at, finished } = this.#since;
    return timeLeft(info.finished - finished, info.total - finished, (performance.now() - at) / 1000);
  });
  #asking: AbortController | null = null;

  /** Show the study if the server has it. */
  async find(study: NewStudy): Promise<void> {
    const signal = this.#restart();
    try {
      const info = await api.findStudy(study);
      if (signal.aborted) return;
      if (info) this.#follow(info, signal);
      else this.unknown = true;
    } catch (error) {
      if (!signal.aborted) this.#tell(error);
    }
  }

  async begin(study: NewStudy): Promise<void> {
    const signal = this.#restart();
    try {
      const info = await api.beginStudy(study);
      if (info.key) sessionStorage.setItem(place(info.id), info.key);
      if (!signal.aborted) this.#follow(info, signal);
    } catch (error) {
      if (!signal.aborted) this.trouble = (error as Error).message;
    }
  }

  async stop(): Promise<void> {
    const key = this.info && sessionStorage.getItem(place(this.info.id));
    if (!this.info || !key) return;
    try {
      await api.stopStudy(this.info.id, key);
    } catch (error) {
      this.trouble = (error as Error).message;
    }
  }

  /** Stop following. */
  leave(): void {
    this.#asking?.abort();
    this.info = null;
    this.#since = null;
    this.report = null;
    this.trouble = "";
    this.unknown = false;
  }

  /** Turn to another study; the signal tells when that is left in its turn. */
  #restart(): AbortSignal {
    this.leave();
    this.#asking = new AbortController();
    return this.#asking.signal;
  }

  /** That a study is not known is no trouble: it can be played again. */
  #tell(error: unknown): void {
    if (error instanceof Refused && error.status === 404) {
      this.leave();
      this.unknown = true;
    } else this.trouble = (error as Error).message;
  }

  #follow(info: StudyInfo, signal: AbortSignal): void {
    this.#see(info);
    void this.#watch(info.id, signal);
  }

  #see(info: StudyInfo): void {
    if (info.state === "running") this.#since ??= { at: performance.now(), finished: info.finished };
    this.info = info;
  }

  async #watch(id: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.info!.finished !== this.report?.finished) {
          const report = await api.labReport(id, signal);
          if (signal.aborted) return;
          this.report = report;
        }
        if (!this.running) return;
        await pause(PAUSE);
        const info = await api.study(id, this.info!.finished, signal);
        if (signal.aborted) return;
        this.trouble = "";
        this.#see(info);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Refused) || error.status !== 0) return this.#tell(error);
        // A server that does not respond may be restarting.
        this.trouble = error.message;
        await pause(PATIENCE);
      }
    }
  }
}

const pause = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));
