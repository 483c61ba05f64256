/** A study that is played on the server, followed while it grows. */

import { api, Refused } from "../../lib/api";
import type { LabReport, NewStudy, StudyInfo } from "../../lib/types";

const PAUSE = 600;
const place = (id: string): string => `khamsin.lab.${id}`;

export class Following {
  info = $state.raw<StudyInfo | null>(null);
  report = $state.raw<LabReport | null>(null);
  trouble = $state("");
  running = $derived(this.info?.state === "waiting" || this.info?.state === "running");
  /** Whether it was begun here, and may be stopped from here. */
  own = $derived(!!this.info && sessionStorage.getItem(place(this.info.id)) !== null);
  #asking: AbortController | null = null;

  /** Look whether the server knows this study; if so, show it. */
  async find(study: NewStudy): Promise<void> {
    this.leave();
    try {
      this.#follow(await api.findStudy(study));
    } catch (error) {
      // That it is not known is no trouble.
      if (!(error instanceof Refused) || error.status !== 404) this.trouble = (error as Error).message;
    }
  }

  async begin(study: NewStudy): Promise<void> {
    this.leave();
    try {
      const info = await api.beginStudy(study);
      if (info.key) sessionStorage.setItem(place(info.id), info.key);
      this.#follow(info);
    } catch (error) {
      this.trouble = (error as Error).message;
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

  /** Look at nothing. */
  leave(): void {
    this.#asking?.abort();
    this.info = null;
    this.report = null;
    this.trouble = "";
  }

  #follow(info: StudyInfo): void {
    this.info = info;
    this.#asking = new AbortController();
    void this.#watch(info.id, this.#asking.signal);
  }

  async #watch(id: string, signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        if (this.info!.finished !== this.report?.finished) {
          const report = await api.labReport(id, signal);
          if (signal.aborted) return;
          this.report = report;
        }
        if (!this.running) return;
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
        const info = await api.study(id, this.info!.finished, signal);
        if (!signal.aborted) this.info = info;
      }
    } catch (error) {
      if (!signal.aborted) this.trouble = (error as Error).message;
    }
  }
}
