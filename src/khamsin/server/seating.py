"""Setting matches up and joining them: seats, invitations, devices, contributions to the dice, rematches."""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa
from fastapi import APIRouter
from fastapi.responses import Response

from khamsin import players
from khamsin.kernel import orders
from khamsin.kernel.dice import KeyedDice, commitment
from khamsin.kernel.rules import Rules
from khamsin.server import click_checks, limits, reasons, seats, store, wire
from khamsin.server.accounts import Token
from khamsin.server.click_checks import Refused
from khamsin.server.database import Job, now
from khamsin.server.history import CLAIM, RESIGN, MatchHistory
from khamsin.server.live_match import LiveMatch, holds, scenario_title
from khamsin.server.orders import add as store_order
from khamsin.server.parameters import Key, Match, may_answer
from khamsin.server.registry import MatchRegistry
from khamsin.server.seats import DEVICE, INVITATION, OPEN, PERSON, RECOVERY, Device, Seat, digest, new_secret
from khamsin.server.store import Contribution, Entry, Head, MatchStatus

ID_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


class Party(NamedTuple):
    """Who takes part in a match: the seats, the sides of its creator and those of friends."""

    seats: list[Seat]
    mine: list[int]
    friends: list[int]

    @classmethod
    def of(cls, rules: Rules[Any], chosen: Mapping[str, str]) -> Party:
        """Read the holder of each side: "me", "friend" or a computer player."""
        named = {click_checks.side_number(rules, side): who for side, who in chosen.items()}
        if len(named) != len(chosen) or len(named) != len(rules.sides):
            raise Refused("invalid", f"Expected a player for each side: {', '.join(rules.sides)}")
        party = cls([], [], [])
        for side, who in sorted(named.items()):
            if who == "me":
                party.seats.append(Seat(side, PERSON, now()))
                party.mine.append(side)
            elif who == "friend":
                party.seats.append(Seat(side, OPEN))
                party.friends.append(side)
            else:
                party.seats.append(Seat(side, known_player(rules, who)))
        return party

    def contributions(self, committed: str) -> tuple[Contribution, ...]:
        """Return the contributions to the dice: none if one person holds all human seats."""
        if not self.friends:
            return ()
        if self.mine and not committed:
            raise Refused("invalid", "contribution: expected the SHA-256 of 32 random bytes, since a friend takes part")
        own = [Contribution(self.mine[0], committed)] if self.mine else []
        return tuple(sorted([*own, *(Contribution(side) for side in self.friends)]))


class Terms(NamedTuple):
    """The terms of a match between two people, and the creator's commitment."""

    claim_days: int | None
    contribution: str
    open_reasons: bool = False
    rematch_of: str = ""


class Seating:
    """Sets matches up and lets people join them."""

    def __init__(self, registry: MatchRegistry) -> None:
        self.registry = registry
        self.store = registry.store

    async def set_up(self, new: wire.NewMatch, rematch_of: str = "") -> wire.CreatedMatch:
        """Set up a match."""
        rules = await asyncio.to_thread(self.registry.rules, new.game)  # the first match of a game loads it
        try:
            options = rules.scenario(new.scenario).choose(new.options)
        except ValueError as error:
            raise Refused("invalid", str(error)) from None
        party = Party.of(rules, new.seats)
        if new.seed is not None and party.friends:
            raise Refused("invalid", "seed: dice can be chosen only if one person holds all human seats")
        dice = KeyedDice() if new.seed is None else KeyedDice.seeded(new.seed)
        head = Head(new_id(), rules.id, new.scenario, options, None, dice.key, 0, now(), new.seed)
        terms = Terms(new.claim_days, new.contribution, new.open_reasons, rematch_of)
        return await self.create(rules, head, party, terms)

    async def create(
        self,
        rules: Rules[Any],
        head: Head,
        party: Party,
        terms: Terms,
        played: tuple[MatchHistory, list[Entry]] | None = None,
    ) -> wire.CreatedMatch:
        """Store a match; `played` is what an imported or branched one begins with. It waits for friends to join."""
        over = played is not None and played[0].match.over
        contributions = head.contributions if over else party.contributions(terms.contribution)
        head = head._replace(claim_days=terms.claim_days, contributions=contributions)
        if played is None and not head.waiting:
            history = await self.registry.lanes.clicks.run(MatchHistory.begun, head, rules, self.registry.find)
            played = history, [history.start_entry()]
        standing = (
            await self.registry.lanes.clicks.run(played[0].status) if played else MatchStatus(0, "", "", None, None)
        )
        jobs: list[Job] = [self.store.create(head, party.seats, standing)]
        if played is not None:
            history = played[0]
            point = history.phase_began if history.match.restart_point() is None else None
            snapshot = await self.registry.lanes.clicks.run(history.snapshot, point)
            jobs.append(self.store.begin(head.id, played[1], standing, snapshot))
        key, recovery, devices = new_secret(), "", {}
        if party.mine:
            jobs.append(seats.grant(head.id, key, party.mine, "set-up"))
            devices[digest(key)] = Device(tuple(party.mine), "set-up", now(), now())
            if party.friends:
                recovery = new_secret()
                jobs.append(seats.link(head.id, recovery, party.mine, RECOVERY))
        invitations = {}
        if terms.rematch_of and party.friends:
            jobs.append(_offer_rematch(terms.rematch_of, head.id))
        else:
            invitations = {side: new_secret() for side in party.friends}
            jobs += [seats.link(head.id, token, [side], INVITATION) for side, token in invitations.items()]
        preset = [order for side in (*party.mine, *party.friends) for order in orders.presets(rules, side)]
        jobs += [store_order(head.id, order) for order in preset]
        if terms.open_reasons:
            jobs.append(reasons.tell_at_once(head.id))
        await self._write(*jobs)
        if played is not None and not head.waiting:
            table = LiveMatch(played[0], party.seats, devices, [])
            table.orders = preset
            self.registry.computers.wake(self.registry.put(table))
        return wire.CreatedMatch(
            id=head.id, keys={rules.sides[side]: key for side in party.mine}, recovery=recovery, begun=not head.waiting,
            invitations={rules.sides[side]: token for side, token in invitations.items()},
        )  # fmt: skip

    async def _write(self, *jobs: Job) -> Any:
        """Run jobs in one transaction, all or none; return the result of the last."""

        def together(connection: sa.Connection) -> Any:
            with connection.begin_nested():
                return [job(connection) for job in jobs][-1]

        return await self.registry.done(self.store.write(together))

    # Joining

    async def lobby(self, match: str, key: str) -> wire.Lobby:
        """Return a match as everyone may see it before it begins."""
        head, held, devices = await self._read(match)
        rules = self.registry.rules(head.game)
        names = (await self.registry.names(match)) if held else {}
        awaited = []
        for one in head.contributions:
            joined = held[one.side].who == PERSON
            if one.value is None:
                to = "join" if not joined else "commit" if one.commitment is None else "reveal"
                awaited.append(wire.Awaited(side=rules.sides[one.side], to=to))  # type: ignore[arg-type]
        return wire.Lobby(
            id=head.id, game=head.game, title=rules.title, scenario=head.scenario,
            scenario_title=scenario_title(rules, head.scenario), options=head.options, begun=not head.waiting,
            claim_days=head.claim_days, mine=[rules.sides[side] for side in holds(devices, key)],
            seats=[
                wire.SeatInfo(
                    side=rules.sides[seat.side], who=seat.who, here=False, seen=seat.seen,
                    thinking=False, part=None, claim_from=None,
                    name=names.get(rules.sides[seat.side], "") if seat.human else seat.who,
                )
                for seat in held
            ],
            commitment=commitment(head.dice),
            contributions=[
                wire.ContributionInfo(
                    side=rules.sides[one.side], commitment=one.commitment, revealed=one.value is not None
                )
                for one in head.contributions
            ],
            awaited=awaited,
        )  # fmt: skip

    async def _read(self, match: str) -> tuple[Head, list[Seat], dict[str, Device]]:
        if "\0" in match:
            raise Refused("unknown", "There is no such match")

        def job(connection: sa.Connection) -> tuple[Head, list[Seat], dict[str, Device]]:
            head = store.load_head(connection, match)
            return head, seats.load(connection, match), seats.load_devices(connection, match)

        try:
            return await self.store.read(job)
        except store.Unknown:
            raise Refused("unknown", "There is no such match") from None

    async def devices(self, match: str) -> dict[str, Device]:
        """Return the devices of a match by the digest of their key."""
        return (await self._read(match))[2]

    async def holder(self, match: str, key: str) -> tuple[Head, list[int]]:
        """Return a match and the sides that a key opens; refused without one."""
        head, _, devices = await self._read(match)
        mine = holds(devices, key)
        if not mine:
            raise Refused("seat", "This needs the key of a seat")
        return head, mine

    async def take(self, match: str, asked: wire.TakeSeat, old_key: str) -> wire.SeatGranted:
        """Exchange a one-time link, or the seat of the match before, for a key."""
        head, _, _ = await self._read(match)
        key, fresh = new_secret(), new_secret()
        before = await self._seats_before(match, asked.rematch_of, old_key) if asked.rematch_of else []

        def job(connection: sa.Connection) -> tuple[list[int], str]:
            if asked.rematch_of:
                sides, kind = seats.accept(connection, match, before, key, "rematch"), INVITATION
            else:
                sides, kind = seats.exchange(connection, match, asked.token, key)
            if kind == INVITATION and head.waiting:
                if not asked.contribution:
                    raise Refused("invalid", "contribution: expected the SHA-256 of 32 random bytes")
                _commit(connection, match, sides, asked.contribution)
            if kind == DEVICE:  # the first device keeps its recovery link
                return sides, ""
            seats.link(match, fresh, sides, RECOVERY)(connection)
            return sides, fresh

        sides, recovery = await self._write(job)
        await self.registry.seats_changed(match)
        names = self.registry.rules(head.game).sides
        return wire.SeatGranted(sides=[names[side] for side in sides], key=key, recovery=recovery)

    async def _seats_before(self, match: str, before: str, key: str) -> list[int]:
        if await self.registry.rematch_of(before) != match:
            raise Refused("seat", "This match is not the rematch of that one")
        return (await self.holder(before, key))[1]

    async def contribute(self, match: str, key: str, asked: wire.Contribute) -> None:
        """Commit to a number for the dice, or reveal it. The match begins when all numbers are revealed."""
        head, mine = await self.holder(match, key)
        side = next((one.side for one in head.contributions if one.side in mine), None)
        if side is None:
            raise Refused("invalid", "The dice of this match need nothing from this seat")
        if bool(asked.commitment) == bool(asked.value):
            raise Refused("invalid", "Expected a commitment or a value")

        def job(connection: sa.Connection) -> bool:
            if asked.value:
                _reveal(connection, match, side, asked.value)
            else:
                _commit(connection, match, [side], asked.commitment)
            return not store.load_head(connection, match).waiting

        if await self._write(job):
            await self.registry.table(match)
        await self.registry.seats_changed(match)

    # Links and devices

    async def new_link(self, match: str, key: str, kind: str, seconds: int | None = None) -> str:
        """Return a one-time link to the caller's own seats."""
        _, mine = await self.holder(match, key)
        token = new_secret()
        await self._write(seats.link(match, token, mine, kind, seconds))
        return token

    async def new_invitation(self, match: str, key: str, side: str | None) -> str:
        """Return a new invitation in place of an unused one."""
        head, _ = await self.holder(match, key)
        held = (await self._read(match))[1]
        vacant = [seat.side for seat in held if seat.who == OPEN]
        chosen = vacant if side is None else [click_checks.side_number(self.registry.rules(head.game), side)]
        if not chosen or chosen[0] not in vacant:
            raise Refused("used", "The invitation was accepted; the seat has a holder")
        token = new_secret()
        await self._write(seats.link(match, token, chosen[:1], INVITATION))
        return token

    async def sign_out_others(self, match: str, key: str, account: int | None) -> None:
        """Sign every other device, and every other account, out of the caller's seats."""
        head, mine = await self.holder(match, key)
        names = [self.registry.rules(head.game).sides[side] for side in mine]

        def job(connection: sa.Connection) -> None:
            seats.sign_out_others(connection, match, key, mine)
            self.registry.release(connection, match, names, account)

        await self._write(job)
        await self.registry.seats_changed(match)

    # Rematches

    async def rematch(self, match: str, key: str, asked: wire.Rematch) -> wire.CreatedMatch:
        """Set up the same match again. The opponent joins with the key of the old one."""
        table = await self.registry.table(match)
        mine, head, names = table.holds(key), table.history.head, table.rules.sides
        if not mine:
            raise Refused("seat", "Only players of this match can offer a rematch")
        if not table.history.match.over:
            raise Refused("invalid", "A rematch can be offered when the match is over")
        chosen = {
            names[seat.side]: "me" if seat.side in mine else "friend" if seat.human else seat.who
            for seat in table.seats
        }
        new = wire.NewMatch(
            game=head.game, scenario=head.scenario, options=head.options, seats=chosen, claim_days=head.claim_days,
            contribution=asked.contribution, open_reasons=await self.registry.tells_reasons(table),
        )  # fmt: skip
        made = await self.set_up(new, rematch_of=match)
        await self.registry.seats_changed(match)
        return made


def _commit(connection: sa.Connection, match: str, sides: list[int], committed: str) -> None:
    """Store a commitment, as long as no number was revealed."""
    table = store.CONTRIBUTIONS
    if connection.execute(sa.select(table.c.side).where(table.c.match == match, table.c.value.is_not(None))).first():
        raise Refused("used", "A number was already revealed; commitments cannot change any more")
    own = sa.and_(table.c.match == match, table.c.side.in_(sides))
    connection.execute(sa.update(table).where(own).values(commitment=committed))


def _reveal(connection: sa.Connection, match: str, side: int, value: str) -> None:
    """Store a number that fits its commitment, once everyone has committed."""
    table = store.CONTRIBUTIONS
    rows = {row.side: row for row in connection.execute(sa.select(table).where(table.c.match == match))}
    if any(row.commitment is None for row in rows.values()):
        raise Refused("early", "Not everyone has committed to a number yet")
    if hashlib.sha256(bytes.fromhex(value)).hexdigest() != rows[side].commitment:
        raise Refused("invalid", "value: expected the number that was committed to")
    connection.execute(sa.update(table).where(table.c.match == match, table.c.side == side).values(value=value))


def _offer_rematch(before: str, match: str) -> Job:
    def job(connection: sa.Connection) -> None:
        query = sa.select(store.REMATCHES.c.next).where(store.REMATCHES.c.match == before)
        if connection.execute(query).first() is not None:
            raise Refused("changed", "A rematch is already offered")
        connection.execute(sa.insert(store.REMATCHES), {"match": before, "next": match})

    return job


def known_player(rules: Rules[Any], who: str) -> str:
    """Return the name of a computer player that knows the game."""
    try:
        if len(who) > 40:
            raise ValueError(f"{who[:40]!r}: too long for the name of a player")
        players.player(who)
    except ValueError as error:
        raise Refused("invalid", f'Expected "me", "friend" or a computer player: {error}') from None
    if not players.knows(who, rules.id):
        raise Refused("invalid", f"The player {who} does not know {rules.title}")
    return who


def recorded_seats(rules: Rules[Any], text: str) -> dict[str, str]:
    """Return the player of each side by the header of a record: its computer players, and the caller for everyone else."""
    players_of = json.loads(text.lstrip().split("\n", 1)[0]).get("players")
    named = players_of if isinstance(players_of, dict) else {}
    return {side: _recorded_seat(rules, named.get(side)) for side in rules.sides}


def _recorded_seat(rules: Rules[Any], who: object) -> str:
    try:
        return known_player(rules, who) if isinstance(who, str) and who else "me"
    except Refused:
        return "me"


def new_id() -> str:
    """Return the id of a match: short enough for a link, and random."""
    return "".join(secrets.choice(ID_LETTERS) for _ in range(12))


def new_head() -> Head:
    """Return a match of which only its id and its dice are known."""
    return Head(new_id(), "", "", {}, None, KeyedDice().key, 0, now())


def seating_router(seating: Seating, account_of: Callable[[str | None], int | None]) -> APIRouter:
    """Everything under /api/matches that is about seats. `account_of` finds the account of a session."""
    registry = seating.registry
    router = APIRouter(prefix="/api/matches", tags=["seats"])

    @router.post("", status_code=201, summary="Set up a match", responses=may_answer(404))
    async def set_up(new: wire.NewMatch) -> wire.CreatedMatch:
        return await seating.set_up(new)

    @router.get("/{match}/lobby", summary="A match before it begins", responses=may_answer(403, 404))
    async def lobby(match: Match, key: Key = "") -> wire.Lobby:
        return await seating.lobby(match, key)

    @router.post("/{match}/seats", summary="Exchange a one-time link for a key", responses=may_answer(403, 404, 409))
    async def take_seat(match: Match, asked: wire.TakeSeat, key: Key = "") -> wire.SeatGranted:
        return await seating.take(match, asked, key)

    @router.post("/{match}/contribution", summary="Contribute to the dice", responses=may_answer(403, 404, 409))
    async def contribute(match: Match, asked: wire.Contribute, key: Key = "") -> wire.Lobby:
        await seating.contribute(match, key, asked)
        return await seating.lobby(match, key)

    @router.post("/{match}/invitations", summary="Replace an unused invitation", responses=may_answer(403, 404, 409))
    async def invite(match: Match, asked: wire.OfSide, key: Key = "") -> wire.OneLink:
        return wire.OneLink(token=await seating.new_invitation(match, key, asked.side))

    @router.post("/{match}/devices", summary="A link that adds a device", responses=may_answer(403, 404))
    async def add_device(match: Match, key: Key = "") -> wire.OneLink:
        seconds = limits.DEVICE_LINK_SECONDS
        return wire.OneLink(token=await seating.new_link(match, key, DEVICE, seconds), seconds=seconds)

    @router.get("/{match}/devices", summary="The devices of my seats", responses=may_answer(403, 404))
    async def devices(match: Match, key: Key = "") -> wire.Devices:
        _, mine = await seating.holder(match, key)
        found = await seating.devices(match)
        return wire.Devices(
            devices=[
                wire.DeviceInfo(made=device.made, seen=device.seen, how=device.how, this=one == digest(key))
                for one, device in found.items()
                if set(device.sides) & set(mine)
            ]
        )

    @router.delete(
        "/{match}/devices", status_code=204, summary="Sign out my other devices", responses=may_answer(403, 404)
    )
    async def sign_out_others(match: Match, key: Key = "", khamsin_session: Token = None) -> None:
        await seating.sign_out_others(match, key, await asyncio.to_thread(account_of, khamsin_session))

    @router.post("/{match}/recovery", summary="A new recovery link", responses=may_answer(403, 404))
    async def recovery(match: Match, key: Key = "") -> wire.OneLink:
        return wire.OneLink(token=await seating.new_link(match, key, RECOVERY))

    @router.post("/{match}/rematch", status_code=201, summary="Play it again", responses=may_answer(403, 404, 409))
    async def rematch(match: Match, asked: wire.Rematch, key: Key = "") -> wire.CreatedMatch:
        return await seating.rematch(match, key, asked)

    @router.post("/{match}/resign", summary="Resign", response_model=wire.View, responses=may_answer(403, 404, 409))
    async def resign(match: Match, asked: wire.OfSide, key: Key = "") -> Response:
        table = await registry.table(match)
        mine = table.holds(key)
        decision = table.history.match.decision
        side = click_checks.seat_of(table.rules, mine, asked.side, decision.side if decision else -1)
        await registry.concede(table, RESIGN, side)
        return (await registry.view_now(table, side)).response("")

    @router.post(
        "/{match}/claim", summary="Claim a match that the opponent left", response_model=wire.View,
        responses=may_answer(403, 404, 409),
    )  # fmt: skip
    async def claim(match: Match, asked: wire.OfSide, key: Key = "") -> Response:
        table = await registry.table(match)
        side = click_checks.seat_of(table.rules, table.holds(key), asked.side, -1)
        absent = next(seat.side for seat in table.seats if seat.side != side)
        await registry.concede(table, CLAIM, absent)
        return (await registry.view_now(table, side)).response("")

    @router.post(
        "/{match}/open", summary="See everything", response_model=wire.View, responses=may_answer(403, 404, 409)
    )
    async def open_match(match: Match, key: Key = "") -> Response:
        table = await registry.table(match)
        mine = table.holds(key)
        if not table.holds_all(mine):
            raise Refused("seat", "A match can be opened only by the person who holds all its human seats")
        await registry.open_match(table)
        return (await registry.view_now(table, mine[0])).response("")

    return router
