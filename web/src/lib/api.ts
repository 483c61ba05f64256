/** All HTTP requests to the server. */

import type {
  Account, ArrivalView, BoardData, Boards, BoxContents, Branch, Chat, CreatedMatch, Credentials, Device, Figures, Import, LabInfo, LabReport, LayerView, Lobby,
  MatchInfo, MyGames, NewMatch, NewOrder, NewStudy, Notices, OddsView, PushSubscriptionInfo, Reasons, Refusal, Rolls, Rulebook, Said, SeatGranted, SeatRequest, Shelf,
  SparseView, StandingOrders, StudyInfo, Timeline, TurnSummary, Why,
} from "./types";
import { complete } from "./complete";
import { fileNameIn, type TextFile } from "./download";

/** A refused request, with the `refusal`; `status` is that of the response, 0 if none came. */
export class Refused extends Error {
  constructor(
    readonly refusal: Refusal,
    readonly status: number,
  ) {
    super(refusal.error);
  }
}

/** A match and the key of a seat; `side` names the seat if the key opens several. */
export interface Seat {
  id: string;
  key?: string | null;
  side?: string | null;
}

type Query = Record<string, string | number | readonly string[] | null | undefined>;

interface Request {
  method?: string;
  body?: unknown;
  query?: Query;
  key?: string | null;
  signal?: AbortSignal;
}

async function ask<Answer>(path: string, { method = "GET", body, query, key, signal }: Request = {}): Promise<Answer> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key) headers["X-Khamsin-Key"] = key;
  const init: RequestInit = { method, headers, credentials: "same-origin" };
  if (body !== undefined) init.body = JSON.stringify(body);
  if (signal) init.signal = signal;
  let answer: Response;
  try {
    answer = await fetch(path + asText(query), init);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refused({ error: "The server does not respond.", reason: "busy", rule: "", cause: "", view: null }, 0);
  }
  if (answer.ok) return (answer.status === 204 ? undefined : await answer.json()) as Answer;
  throw new Refused(await refusalOf(answer), answer.status);
}

async function refusalOf(answer: Response): Promise<Refusal> {
  const empty: Refusal = { error: "", reason: "invalid", rule: "", cause: "", view: null };
  try {
    const said = { ...empty, ...((await answer.json()) as Partial<Refusal>) };
    if (said.error) return said;
  } catch {
    // No JSON: use the status.
  }
  return { ...empty, error: `The server returned ${answer.status}.` };
}

function asText(query: Query = {}): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) words.append(name, String(one));
  }
  const text = words.toString();
  return text && `?${text}`;
}

const part = encodeURIComponent;
const match = (id: string) => `/api/matches/${part(id)}`;

export const api = {
  shelf: () => ask<Shelf>("/api/shelf"),
  box: (game: string) => ask<BoxContents>(`/api/games/${part(game)}`),
  rulebook: (game: string) => ask<Rulebook>(`/api/games/${part(game)}/rulebook`),
  boards: () => ask<Boards>("/api/boards"),
  board: (game: string) => ask<BoardData>(`/api/boards/${part(game)}`),
  /** The map's drawing, as text. */
  async map(game: string): Promise<string> {
    const answer = await fetch(`/api/boards/${part(game)}/map.svg`);
    if (!answer.ok) throw new Refused(await refusalOf(answer), answer.status);
    return answer.text();
  },

  newMatch: (body: NewMatch) => ask<CreatedMatch>("/api/matches", { method: "POST", body }),
  importMatch: (body: Import) => ask<CreatedMatch>("/api/matches/import", { method: "POST", body }),
  view: ({ id, key, side }: Seat, from?: number) => ask<SparseView>(match(id), { key, query: { side, log_from: from } }).then(complete),
  info: ({ id, key }: Seat) => ask<MatchInfo>(`${match(id)}/info`, { key }),
  click: ({ id, key, side }: Seat, number: number, click: string) =>
    ask<SparseView>(`${match(id)}/clicks`, { method: "POST", key, body: { number, click, side: side ?? null } }).then(complete),
  undo: ({ id, key, side }: Seat, number: number, move: number | null) =>
    ask<SparseView>(`${match(id)}/undo`, { method: "POST", key, body: { number, move, side: side ?? null } }).then(complete),
  why: ({ id, key, side }: Seat, click: string, signal?: AbortSignal) =>
    ask<Why>(`${match(id)}/why`, { key, query: { click, side }, ...(signal && { signal }) }),
  odds: ({ id, key, side }: Seat, attackers: string[], targets: string[]) =>
    ask<OddsView>(`${match(id)}/odds`, { key, query: { attackers, targets, side } }),
  sheets: ({ id, key, side }: Seat, click: string | null, signal?: AbortSignal) =>
    ask<OddsView[]>(`${match(id)}/sheets`, { key, query: { click, side }, ...(signal && { signal }) }),
  layer: ({ id, key, side }: Seat, name: string) => ask<LayerView>(`${match(id)}/layers/${part(name)}`, { key, query: { side } }),
  calendar: ({ id, key, side }: Seat) => ask<ArrivalView[]>(`${match(id)}/calendar`, { key, query: { side } }),
  summary: ({ id, key, side }: Seat) => ask<TurnSummary>(`${match(id)}/summary`, { key, query: { side } }),
  timeline: ({ id, key, side }: Seat) => ask<Timeline>(`${match(id)}/timeline`, { key, query: { side } }),
  at: ({ id, key, side }: Seat, click: number) => ask<SparseView>(`${match(id)}/at/${click}`, { key, query: { side } }).then(complete),
  rolls: ({ id, key }: Seat) => ask<Rolls>(`${match(id)}/rolls`, { key }),
  /** The record of a match under the file name that the server gives it: the record, or a position while a side has something to hide. */
  async record({ id, key }: Seat): Promise<TextFile> {
    const answer = await fetch(`${match(id)}/record`, { headers: key ? { "X-Khamsin-Key": key } : {} });
    if (!answer.ok) throw new Refused(await refusalOf(answer), answer.status);
    return { name: fileNameIn(answer.headers.get("Content-Disposition"), `khamsin-${id}.jsonl`), text: await answer.text(), type: answer.headers.get("Content-Type") ?? "text/plain" };
  },
  reasons: ({ id, key }: Seat, after: number, signal?: AbortSignal) => ask<Reasons>(`${match(id)}/reasons`, { key, query: { after }, ...(signal && { signal }) }),
  /** Let the computer move with its best plan so far. */
  hurry: ({ id, key }: Seat) => ask<unknown>(`${match(id)}/hurry`, { method: "POST", key }),
  orders: ({ id, key, side }: Seat) => ask<StandingOrders>(`${match(id)}/orders`, { key, query: { side } }),
  setOrder: ({ id, key, side }: Seat, body: NewOrder) =>
    ask<StandingOrders>(`${match(id)}/orders`, { method: "POST", key, body: { ...body, side: side ?? null } }),
  cancelOrder: ({ id, key, side }: Seat, number: number) => ask<StandingOrders>(`${match(id)}/orders/${number}`, { method: "DELETE", key, query: { side } }),
  branch: ({ id, key }: Seat, body: Branch) => ask<CreatedMatch>(`${match(id)}/branch`, { method: "POST", key, body }),
  rematch: ({ id, key }: Seat, body: { contribution: string }) => ask<CreatedMatch>(`${match(id)}/rematch`, { method: "POST", key, body }),
  resign: ({ id, key }: Seat, side: string | null) => ask<SparseView>(`${match(id)}/resign`, { method: "POST", key, body: { side } }),
  /** End a match whose opponent has been away for longer than was agreed. */
  claimVictory: ({ id, key }: Seat, side: string | null) => ask<SparseView>(`${match(id)}/claim`, { method: "POST", key, body: { side } }),
  /** Show both sides of a match against the computer. It stays marked. */
  openMatch: ({ id, key }: Seat) => ask<SparseView>(`${match(id)}/open`, { method: "POST", key }),
  /** Agree that a match continues without the clicks that the rules cannot replay. */
  resume: ({ id, key }: Seat) => ask<SparseView>(`${match(id)}/resume`, { method: "POST", key }),

  lobby: ({ id, key }: Seat) => ask<Lobby>(`${match(id)}/lobby`, { key }),
  /** Exchange a one-time token, or the key of the match before a rematch, for a key. */
  takeSeat: ({ id, key }: Seat, body: SeatRequest) => ask<SeatGranted>(`${match(id)}/seats`, { method: "POST", key, body }),
  contribute: ({ id, key }: Seat, body: { commitment: string } | { value: string }) => ask<Lobby>(`${match(id)}/contribution`, { method: "POST", key, body }),
  invite: ({ id, key }: Seat, side: string) => ask<{ token: string }>(`${match(id)}/invitations`, { method: "POST", key, body: { side } }),
  newDevice: ({ id, key }: Seat) => ask<{ token: string; seconds: number }>(`${match(id)}/devices`, { method: "POST", key }),
  devices: ({ id, key }: Seat) => ask<{ devices: Device[] }>(`${match(id)}/devices`, { key }),
  signOutOthers: ({ id, key }: Seat) => ask<unknown>(`${match(id)}/devices`, { method: "DELETE", key }),
  newRecovery: ({ id, key }: Seat) => ask<{ token: string }>(`${match(id)}/recovery`, { method: "POST", key }),

  chat: ({ id, key }: Seat) => ask<Chat>(`${match(id)}/chat`, { key }),
  say: ({ id, key }: Seat, text: string) => ask<Said>(`${match(id)}/chat`, { method: "POST", key, body: { text } }),

  lab: () => ask<LabInfo>("/api/lab"),
  figures: (game: string) => ask<Figures>(`/api/lab/figures/${part(game)}`),
  beginStudy: (body: NewStudy) => ask<StudyInfo>("/api/lab/studies", { method: "POST", body }),
  /** The study with these contents; null if the server does not know it. */
  findStudy: (body: NewStudy) => ask<StudyInfo | null>("/api/lab/studies/find", { method: "POST", body }),
  /** A study, as soon as more games of it are finished than are known. */
  study: (id: string, known: number, signal: AbortSignal) => ask<StudyInfo>(`/api/lab/studies/${part(id)}`, { query: { known }, signal }),
  stopStudy: (id: string, key: string) => ask<unknown>(`/api/lab/studies/${part(id)}/stop`, { method: "POST", key }),
  labReport: (id: string, signal: AbortSignal) => ask<LabReport>(`/api/lab/studies/${part(id)}/report`, { signal }),

  signUp: (body: Credentials) => ask<Account>("/api/accounts", { method: "POST", body }),
  signIn: (body: Credentials) => ask<Account>("/api/session", { method: "POST", body }),
  signOut: () => ask<unknown>("/api/session", { method: "DELETE" }),
  me: () => ask<Account>("/api/me"),
  changePassword: (password: string, fresh: string) => ask<Account>("/api/me/password", { method: "PUT", body: { password, new: fresh } }),
  closeAccount: (password: string) => ask<Account>("/api/me", { method: "DELETE", body: { password } }),
  notices: (body: Notices) => ask<Account>("/api/me/notices", { method: "PUT", body }),
  resendConfirmation: () => ask<unknown>("/api/me/confirmation", { method: "POST" }),
  confirmAddress: (token: string) => ask<unknown>("/api/confirm", { method: "POST", body: { token } }),
  forgotPassword: (name: string) => ask<unknown>("/api/reset", { method: "POST", body: { name } }),
  resetPassword: (token: string, password: string) => ask<unknown>("/api/reset", { method: "PUT", body: { token, password } }),
  push: (body: PushSubscriptionInfo) => ask<unknown>("/api/me/push", { method: "POST", body }),
  claim: (id: string, key: string) => ask<unknown>("/api/me/seats", { method: "POST", body: { id, key } }),
  /** A key for a seat that the account holds. */
  seatKey: (id: string) => ask<SeatGranted>(`/api/me/seats/${part(id)}/key`, { method: "POST" }),
  myGames: () => ask<MyGames>("/api/me/games"),
};
