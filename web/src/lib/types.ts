/** Types of the wire by short names. They are generated from the server's description by `npm run types`. */

import type { components } from "./schema";

type Schemas = components["schemas"];

export type Shelf = Schemas["GameList"];
export type GameInfo = Schemas["GameInfo"];
export type ScenarioInfo = Schemas["ScenarioInfo"];
export type PlayerInfo = Schemas["PlayerInfo"];
export type BoxContents = Schemas["GameData"];
export type CounterInfo = Schemas["CounterInfo"];
/** A term of a game: what it means, its rule, and its other forms in texts. */
export type GlossaryTerm = Schemas["TermInfo"];
export type TableInfo = Schemas["TableInfo"];
export type LayerInfo = Schemas["LayerInfo"];
export type PhaseInfo = Schemas["PhaseInfo"];
export type Rulebook = Schemas["Rulebook"];
export type Section = Schemas["Section"];
/** A request without the fields that the server fills in. */
type Sparse<Body, Filled extends keyof Body> = Omit<Body, Filled> & Partial<Pick<Body, Filled>>;
export type NewMatch = Sparse<Schemas["NewMatch"], "open_reasons" | keyof Terms>;
/** When an absent player's match can be claimed, and the hash of the player's number for the dice. */
export type Terms = Partial<Pick<Schemas["NewMatch"], "claim_days" | "contribution">>;
export type CreatedMatch = Schemas["CreatedMatch"];
export type SeatInfo = Schemas["SeatInfo"];
export type MatchInfo = Schemas["MatchInfo"];
export type Lobby = Schemas["Lobby"];
export type LobbyContribution = Schemas["ContributionInfo"];
export type SeatGranted = Schemas["SeatGranted"];
export type SeatRequest = Sparse<Schemas["TakeSeat"], "contribution" | "rematch_of">;
export type Device = Schemas["DeviceInfo"];
export type Result = Schemas["Result"];
export type Badge = Schemas["Badge"];
export type UnitView = Schemas["UnitView"];
export type ReachColumns = Schemas["ReachView"];
/** A step of a path preview: cost and points left at a location, and the location before it. `path` is the whole path before it, where it is not that of `before`. */
export interface ReachStep {
  cost: number;
  left: number;
  before: string;
  how: string;
  path?: string[];
}
export type Undoable = Schemas["Undoable"];
export type OddsView = Schemas["OddsView"];
/** A decision as it comes over the wire: empty fields are left out. */
export type SparseQuestion = Schemas["DecisionView"];
/** A decision with all fields. */
export type Question = Required<Omit<SparseQuestion, "reach">> & { reach: Record<string, ReachStep> };
export type Button = Schemas["Button"];
export type MarkView = Schemas["MarkView"];
export type TrackView = Schemas["TrackView"];
export type ObjectiveView = Schemas["ObjectiveView"];
export type ArrivalView = Schemas["ArrivalView"];
export type LogLine = Schemas["LogLine"];
export type SummaryLine = Schemas["SummaryLine"];
export type TurnSummary = Schemas["TurnSummary"];
export type View = Omit<SparseView, "question"> & { question: Question | null };
export type Why = Schemas["Why"];
export type LayerView = Schemas["LayerView"];
export type Rolls = Schemas["Rolls"];
export type Timeline = Schemas["Timeline"];
export type Moment = Schemas["Moment"];
export type StandingOrders = Schemas["StandingOrders"];
export type NewOrder = Omit<Schemas["NewOrder"], "side">;
export type Said = Schemas["ChatMessage"];
export type Chat = Schemas["Chat"];
export type Account = Schemas["Account"];
export type Credentials = Schemas["Credentials"];
export type Notices = Schemas["Notices"];
export type MyGames = Schemas["MyGames"];
export type Refusal = Schemas["Refusal"];
export type Reason = Schemas["Reason"];
export type Reasons = Schemas["Reasons"];
export type Branch = Sparse<Schemas["Branch"], keyof Terms>;
export type Import = Sparse<Schemas["Import"], keyof Terms>;
export type PushSubscriptionInfo = Schemas["PushSubscription"];
/** A view as it comes over the wire. */
export type SparseView = Schemas["View"];
export type LiveView = Schemas["LiveView"];
export type LiveUpdate = Schemas["LiveUpdate"];
export type LiveAnswer = Schemas["LiveAnswer"];
export type LiveSeats = Schemas["LiveSeats"];
export type LiveSaid = Schemas["LiveSaid"];
export type LiveRefusal = Schemas["LiveRefusal"];
export type BoardData = Schemas["BoardData"];
export type Boards = Schemas["Boards"];
export type HexOnBoard = Schemas["HexOnBoard"];
export type BoxOnBoard = Schemas["BoxOnBoard"];
export type AreaOnBoard = Schemas["AreaOnBoard"];
export type SideOnBoard = Schemas["SideOnBoard"];
export type SideKind = Schemas["HexsideKind"];
export type TerrainKind = Schemas["TerrainKind"];

export type LabInfo = Schemas["LabInfo"];
export type Figure = Schemas["Parameter"];
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

/** Frames that the server sends on the live connection. */
export type LiveFrame = LiveView | LiveUpdate | LiveAnswer | LiveSeats | LiveSaid | LiveRefusal;
/** The tones of the interface; each has one meaning. */
export type Tone = Badge["tone"];
