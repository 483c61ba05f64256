"""Standing orders of seats: how they are stored, and the part of the API that sets, lists and cancels them.

Orders are sent only to the holders of their seat. `automatic` applies them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import sqlalchemy as sa
from fastapi import APIRouter, Path

from khamsin.kernel import orders as standing
from khamsin.kernel.orders import Order, Policy
from khamsin.kernel.rules import Rules
from khamsin.server import click_checks, limits, wire
from khamsin.server.click_checks import Refused
from khamsin.server.database import METADATA, now
from khamsin.server.parameters import Key, Match, Side, may_answer

if TYPE_CHECKING:
    from khamsin.server.live_match import LiveMatch
    from khamsin.server.registry import MatchRegistry

ORDERS = sa.Table(
    "standing_orders",
    METADATA,
    sa.Column("match", sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("side", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False, comment="Orders apply in this order"),
    sa.Column("kind", sa.String(80), nullable=False, comment="The kind of decision"),
    sa.Column("policy", sa.String(80), nullable=False),
    sa.Column("given", sa.Text, nullable=False, comment="The values of its parameters"),
    sa.Column("text", sa.Text, nullable=False, comment="The order in words, as it was when it was set"),
    sa.Column("made", sa.String(40), nullable=False),
)


def load(connection: sa.Connection, match: str) -> list[Order]:
    """Return the standing orders of all seats of a match."""
    query = sa.select(ORDERS).where(ORDERS.c.match == match).order_by(ORDERS.c.side, ORDERS.c.number)
    return [
        Order(row.number, row.side, row.kind, row.policy, orjson.loads(row.given), row.text)
        for row in connection.execute(query)
    ]


def add(match: str, order: Order) -> Callable[[sa.Connection], None]:
    """Return the job that stores an order after the others of its seat; its own number does not count."""
    row = order._asdict() | {"match": match, "given": orjson.dumps(order.given).decode(), "made": now()}

    def job(connection: sa.Connection) -> None:
        mine = sa.and_(ORDERS.c.match == match, ORDERS.c.side == order.side)
        count, last = connection.execute(sa.select(sa.func.count(), sa.func.max(ORDERS.c.number)).where(mine)).one()
        if count >= limits.ORDERS:
            raise Refused("limit", f"This seat has {count} standing orders, the maximum; cancel one first")
        connection.execute(sa.insert(ORDERS).values(**row | {"number": (last or 0) + 1}))

    return job


def drop(match: str, side: int, number: int) -> Callable[[sa.Connection], None]:
    """Return the job that removes an order."""
    mine = sa.and_(ORDERS.c.match == match, ORDERS.c.side == side, ORDERS.c.number == number)

    def job(connection: sa.Connection) -> None:
        if not connection.execute(sa.delete(ORDERS).where(mine)).rowcount:
            raise Refused("unknown", "There is no such standing order")

    return job


def wanted(table: LiveMatch, side: int, asked: wire.NewOrder) -> Order:
    """Return the order that a player wants to set, checked. A policy that the game does not declare must be one that
    the present decision of the side offers."""
    rules, match = table.rules, table.history.match
    own = standing.declared(rules, asked.kind)
    policies = list(own.policies) if own else []
    if match.decision is not None and (match.decision.side, match.decision.kind) == (side, asked.kind):
        policies += standing.offers(match, match.game.seen_by(side))
    policy = next((one for one in policies if one.id == asked.policy), None)
    if policy is None:
        raise Refused("invalid", f"{asked.kind!r}: this decision accepts no standing order {asked.policy!r} now")
    try:
        given = standing.check(rules, policy, asked.given)
    except ValueError as error:
        raise Refused("invalid", str(error)) from None
    return Order(0, side, asked.kind, policy.id, given, standing.describe(policy, given))


def told(rules: Rules[Any], side: int, orders: Sequence[Order]) -> wire.StandingOrders:
    """Return the standing orders of a seat, and those it can set."""
    titles = {one.kind: one.title for one in rules.orders}
    return {
        "side": rules.sides[side],
        "orders": [
            {
                "number": one.number,
                "kind": one.kind,
                "title": titles.get(one.kind) or title_of(one.kind),
                "text": one.text,
            }
            for one in orders
            if one.side == side
        ],
        "kinds": [
            {"kind": one.kind, "title": one.title, "policies": [_policy(policy) for policy in one.policies]}
            for one in rules.orders
        ],
    }


def title_of(kind: str) -> str:
    """Return the title of a kind of decision for which the game declares none.

    >>> title_of("combat.counter")
    'Combat: counter'
    """
    return kind.replace(".", ": ").capitalize()


def _policy(policy: Policy) -> wire.OrderPolicy:
    return {
        "policy": policy.id,
        "text": policy.text.format_map(defaultdict(lambda: "…")),
        "parameters": [
            {
                "name": one.name, "caption": one.caption, "type": one.type, "choices": list(one.choices),
                "default": one.default, "required": one.required,
            }
            for one in policy.parameters
        ],
    }  # fmt: skip


def orders_router(registry: MatchRegistry) -> APIRouter:
    """Everything under /api/matches/{match}/orders. A request needs the key of the seat."""
    router = APIRouter(prefix="/api/matches/{match}/orders", tags=["games"])

    async def seat_of(match: str, key: str, side: str | None) -> tuple[LiveMatch, int]:
        table = await registry.table(match)
        holds = table.holds(key)
        decision = table.history.match.decision
        return table, click_checks.seat_of(table.rules, holds, side, decision.side if decision else -1)

    @router.get(
        "", summary="The standing orders of a seat", response_model=wire.StandingOrders,
        responses=may_answer(403, 404, 409),
    )  # fmt: skip
    async def orders(match: Match, key: Key = "", side: Side = None) -> wire.StandingOrders:
        table, seat = await seat_of(match, key, side)
        return told(table.rules, seat, table.orders)

    @router.post(
        "", summary="Set a standing order; it applies to the present decision too", response_model=wire.StandingOrders,
        responses=may_answer(403, 404, 409),
    )  # fmt: skip
    async def set_order(match: Match, asked: wire.NewOrder, key: Key = "") -> wire.StandingOrders:
        table, seat = await seat_of(match, key, asked.side)
        await registry.set_order(table, seat, asked)
        return told(table.rules, seat, table.orders)

    @router.delete(
        "/{number}", summary="Cancel a standing order", response_model=wire.StandingOrders,
        responses=may_answer(403, 404, 409),
    )  # fmt: skip
    async def cancel_order(
        match: Match, number: Annotated[int, Path(ge=0, lt=1 << 31)], key: Key = "", side: Side = None
    ) -> wire.StandingOrders:
        table, seat = await seat_of(match, key, side)
        await registry.cancel_order(table, seat, number)
        return told(table.rules, seat, table.orders)

    return router
