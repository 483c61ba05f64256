"""Standing orders of a seat."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints
from typing_extensions import TypedDict

from khamsin.server import limits
from khamsin.server.wire.common import STORABLE, Name, Strict


class OrderParameter(TypedDict):
    """A value that the player chooses for a policy. A place may be left out unless it is required; of choices, `default` is
    the index."""

    name: str
    caption: str
    type: Literal["number", "place", "choice"]
    choices: list[str]
    default: int
    required: bool


class OrderPolicy(TypedDict):
    """What an order can do."""

    policy: str
    text: str
    parameters: list[OrderParameter]


class OrderKindView(TypedDict):
    """A kind of decision for which orders can be set at any time."""

    kind: str
    title: str
    policies: list[OrderPolicy]


class StandingOrder(TypedDict):
    """A standing order. Of several for one kind of decision, the first that applies is used."""

    number: int
    kind: str
    title: str
    text: str


class StandingOrders(TypedDict):
    """The standing orders of a seat, and those it can set. Only its holder gets them."""

    side: str
    orders: list[StandingOrder]
    kinds: list[OrderKindView]


class NewOrder(Strict):
    """A standing order to be set: a policy that the game offers for a kind, or one that the present decision offers."""

    kind: Name
    policy: Name
    given: dict[Name, int | Annotated[str, StringConstraints(max_length=limits.NAME, pattern=STORABLE)]] = Field(
        default_factory=dict, max_length=limits.ORDER_PARAMETERS, description="Values of the parameters by name"
    )
    side: Name | None = Field(default=None, description="As which side, if a key opens several seats")
