/** The types of what goes over the wire, by their short names. They are made from the server's description: `npm run types`. */

import type { components } from "./schema";

type Schemas = components["schemas"];

export type Shelf = Schemas["Shelf"];
export type GameInfo = Schemas["GameInfo"];
export type ScenarioInfo = Schemas["ScenarioInfo"];
export type PlayerInfo = Schemas["PlayerInfo"];
export type BoxContents = Schemas["BoxContents"];
export type CounterInfo = Schemas["CounterInfo"];
export type TableInfo = Schemas["TableInfo"];
export type LayerInfo = Schemas["LayerInfo"];
export type PhaseInfo = Schemas["PhaseInfo"];
export type Rulebook = Schemas["Rulebook"];
export type Section = Schemas["Section"];
/** What the server fills in where it is left out may be left out. */
export type NewMatch = Omit<Schemas["NewMatch"], "open_reasons"> & { open_reasons?: boolean } & Terms;
/** A match that was just made: the keys of one's own seats, and one-time tokens for links. */
export interface CreatedMatch { id: string; keys: Record<string, string>; invitations: Record<string, string>; recovery: string; begun: boolean }
export type SeatInfo = Schemas["SeatInfo"] & { seen?: string | null; claim_from?: string | null };
export type MatchInfo = Omit<Schemas["MatchInfo"], "keys" | "seats"> & { seats: SeatInfo[]; begun: boolean };
/** What is agreed when a friend is seated: when an absent player's match can be claimed, and the hash of one's number for the dice. */
export interface Terms { claim_days?: number | null; contribution?: string }
/** One player's share in the dice before the match begins. */
export interface LobbyContribution { side: string; commitment: string | null; revealed: boolean }
/** A match that may not have begun yet. */
export interface Lobby {
  id: string; game: string; title: string; scenario: string; scenario_title: string; options: Record<string, string>; begun: boolean; claim_days: number | null;
  seats: SeatInfo[]; mine: string[]; commitment: string; contributions: LobbyContribution[]; awaited: { side: string; to: "join" | "commit" | "reveal" }[];
}
/** Seats that a token opened. */
export interface SeatGranted { sides: string[]; key: string; recovery: string }
export interface SeatRequest { token: string; contribution?: string; rematch_of?: string }
export interface Device { made: string; seen: string; how: string; this: boolean }
/** The promise of the dice: the hash of the server's key, then, when the match is over, the key, and each player's number. */
export interface DiceView {
  commitment: string; key: string | null; chosen: boolean; contributions: { side: string; commitment: string; value: string | null }[];
}
/** A match that the installed rules cannot replay. `lost`: clicks dropped by going on, null where it cannot go on. */
export interface Frozen { text: string; lost: number | null; asked: string[]; agreed: string[] }
export type Result = Schemas["Result"];
export type Badge = Schemas["Badge"];
export type UnitView = Schemas["UnitView"];
export type Reach = Schemas["Reach"];
export type Undoable = Schemas["Undoable"];
export type OddsView = Schemas["OddsView"];
/** A question with everything in it: what the server leaves out because it is empty is filled in on arrival. */
export type Question = Required<Schemas["Question"]>;
export type Button = Schemas["Button"];
export type MarkView = Schemas["MarkView"];
export type TrackView = Schemas["TrackView"];
export type ObjectiveView = Schemas["ObjectiveView"];
export type ArrivalView = Schemas["ArrivalView"];
export type LogLine = Schemas["LogLine"];
export type View = Omit<SparseView, "question"> & { question: Question | null };
export type Why = Schemas["Why"];
export type LayerView = Schemas["LayerView"];
export interface Rolls { rolls: (Schemas["RollView"] & { number: number })[] }
export type Timeline = Schemas["Timeline"];
export type Moment = Schemas["Moment"];
export type Said = Schemas["Said"];
export type Chat = Schemas["Chat"];
export type Account = Schemas["Account"];
export type Credentials = Schemas["Credentials"];
export type Notices = Schemas["Notices"];
export interface MyGames { games: MatchInfo[] }
export type Refusal = Omit<Schemas["Refusal"], "reason" | "view"> & { reason: Schemas["Refusal"]["reason"] | "waiting" | "used" | "early"; view?: SparseView | null };
export type Reason = Schemas["Reason"];
export type Reasons = Schemas["Reasons"];
export type Branch = Schemas["Branch"] & Terms;
export type Import = Schemas["Import"] & Terms;
export type PushSubscriptionInfo = Schemas["PushSubscription"];
/** A view as it comes over the wire. */
export type SparseView = Omit<Schemas["View"], "commitment" | "key"> & { dice: DiceView; opened: boolean; frozen: Frozen | null };
export type LiveView = Omit<Schemas["LiveView"], "view" | "seats"> & { view: SparseView; seats: SeatInfo[]; rematch: string | null };
export type LiveUpdate = Schemas["LiveUpdate"];
export type LiveAnswer = Omit<Schemas["LiveAnswer"], "refusal"> & { refusal: Refusal | null };
export type LiveSeats = Omit<Schemas["LiveSeats"], "seats"> & { seats: SeatInfo[]; rematch: string | null };
export type LiveSaid = Schemas["LiveSaid"];
export type LiveRefusal = Omit<Schemas["LiveRefusal"], "refusal"> & { refusal: Refusal };
export type BoardData = Schemas["BoardData"];
export type Boards = Schemas["Boards"];
export type HexOnBoard = Schemas["HexOnBoard"];
export type BoxOnBoard = Schemas["BoxOnBoard"];
export type AreaOnBoard = Schemas["AreaOnBoard"];
export type SideOnBoard = Schemas["SideOnBoard"];
export type SideKind = Schemas["SideKind"];
export type TerrainKind = Schemas["TerrainKind"];

export type LabInfo = Schemas["LabInfo"];
export type Figure = Schemas["Figure"];
export type Figures = Schemas["Figures"];
export type Changed = Schemas["Changed"];
/** A study with everything in it. */
export type NewStudy = Required<Schemas["NewStudy"]>;
export type StudyInfo = Schemas["StudyInfo"];
export type LabReport = Schemas["LabReport"];
export type LabArm = Schemas["LabArm"];
export type LabShare = Schemas["LabShare"];
export type LabSpread = Schemas["LabSpread"];
export type LabPoint = Schemas["LabPoint"];
export type LabChange = Schemas["LabChange"];

/** What the server may send on the live line. */
export type LiveFrame = LiveView | LiveUpdate | LiveAnswer | LiveSeats | LiveSaid | LiveRefusal;
/** The few colours of the table, each of one meaning. */
export type Tone = Badge["tone"];
