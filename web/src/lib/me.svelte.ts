/** The account that is signed in, if any. */

import { api } from "./api";
import type { Account, Credentials, Notices } from "./types";

class Me {
  /** Null until the first response. */
  account = $state.raw<Account | null>(null);
  #asked: Promise<void> | null = null;

  /** The name of the account, empty if not signed in. */
  get name(): string {
    return this.account?.name ?? "";
  }

  /** Request the account once. If the server does not respond, no account is signed in. */
  load(): Promise<void> {
    this.#asked ??= api.me().then(
      (account) => void (this.account = account),
      () => void (this.account = { name: "", email: "", confirmed: false, push: false, push_key: "", mail: false }),
    );
    return this.#asked;
  }

  /** Request the account again after a change made elsewhere. */
  async refresh(): Promise<void> {
    this.account = await api.me();
  }

  async signUp(credentials: Credentials): Promise<void> {
    this.account = await api.signUp(credentials);
  }

  async signIn(credentials: Credentials): Promise<void> {
    this.account = await api.signIn(credentials);
  }

  async signOut(): Promise<void> {
    await api.signOut();
    this.account = { ...this.account!, name: "", email: "", confirmed: false, push: false };
  }

  /** Close the account. */
  async close(password: string): Promise<void> {
    this.account = await api.closeAccount(password);
  }

  async notices(notices: Notices): Promise<void> {
    this.account = await api.notices(notices);
  }
}

export const me = new Me();
