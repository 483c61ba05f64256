"""Standing orders: a side's policies for kinds of decisions, mostly those it has to take in the enemy's turn.

A game declares in `Rules.orders` which kinds accept orders, and with what policies. Any other decision in the enemy's
turn accepts the order to press one of its buttons always. An order decides from the view of its side alone. It returns
an ordinary click, or None to leave the decision to the player.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from khamsin.kernel.match import Match
    from khamsin.kernel.rules import Decision, Game, Rules

log = logging.getLogger(__name__)

Given = Mapping[str, "int | str"]
"""The values of an order's parameters by name."""
Answer = Callable[["Game[Any]", "Decision", Given], "int | None"]
"""Return a click for a decision, or None to leave it to the player. It gets the game and the decision as the side may
know them."""

ALWAYS = "always "
"""How the id of a policy begins that presses a button at decisions for which the game declares nothing."""
CANCEL = "cancel"
"""The button that drops a selection. No order presses it."""
MAX_NUMBER = 99


class Parameter(NamedTuple):
    """A value that the player chooses for a policy: a number, the name of a place or hex, or one of some choices.

    `phrase` is appended to the text of the order, its gap filled, if the value is given. A place may be left out where
    it is not required. The default of choices is an index.
    """

    name: str
    caption: str
    type: Literal["number", "place", "choice"]
    phrase: str = ""
    choices: tuple[str, ...] = ()
    default: int = 0
    required: bool = False


class Policy(NamedTuple):
    """What an order does: its text, with gaps for parameters, and the function that chooses the click."""

    id: str
    text: str
    answer: Answer
    parameters: tuple[Parameter, ...] = ()


class OrderKind(NamedTuple):
    """A kind of decision that accepts standing orders. With `own_phases` they also apply in phases of the side itself,
    as where the reaction to the enemy's movement is a separate phase. `preset` is the policy that a seat has when its
    match begins, for decisions that rarely matter; its player may cancel it."""

    kind: str
    title: str
    policies: tuple[Policy, ...]
    own_phases: bool = False
    preset: str = ""


class Order(NamedTuple):
    """A standing order of a side. If several apply, the one with the lowest number is used."""

    number: int
    side: int
    kind: str
    policy: str
    given: Given
    text: str


ONLY = Parameter("only", "Only at", "place", ", only at {}")
EXCEPT = Parameter("except", "Except at", "place", ", except at {}")
PLACES = (ONLY, EXCEPT)
"""For decisions that say which locations they are about (`Decision.at`)."""


def at_place(view: Game[Any], decision: Decision, given: Given) -> bool:
    """Whether the parameters ONLY and EXCEPT let an order apply here. If the location is not known, the player decides."""
    for name, wanted in ((ONLY.name, True), (EXCEPT.name, False)):
        place = given.get(name)
        if place and (not decision.at or (location(view.rules, str(place)) in decision.at) != wanted):
            return False
    return True


def location(rules: Rules[Any], name: str) -> int:
    """Return the location of a named place, hex or box. Raise ValueError for another name."""
    board = rules.board
    return board.place[name].hex if name in board.place else board[name]


def always(button: str, text: str, parameters: tuple[Parameter, ...] = (), policy: str = "") -> Policy:
    """Return the policy that always presses a button; with the parameters PLACES, everywhere or at a place."""

    def answer(view: Game[Any], decision: Decision, given: Given) -> int | None:
        return view.rules.button(button) if at_place(view, decision, given) else None

    return Policy(policy or button, text, answer, parameters)


def keep(amount: Callable[[Game[Any], int], int], button: str, text: str, caption: str) -> Policy:
    """Return the policy that presses a button, which commits nothing, if no more than a reserve is left. `amount` is what a
    side has left."""

    def answer(view: Game[Any], decision: Decision, given: Given) -> int | None:
        if not at_place(view, decision, given) or amount(view, decision.side) > int(given["reserve"]):
            return None
        return view.rules.button(button)

    return Policy("keep", text, answer, (Parameter("reserve", caption, "number", default=1), EXCEPT))


def least(value: Callable[[Game[Any], int], float], text: str, policy: str = "least") -> Policy:
    """Return the policy that chooses the legal unit with the least value, of equal ones the first."""

    def answer(view: Game[Any], decision: Decision, given: Given) -> int | None:
        units = [click for click in decision.legal if view.is_unit(click)]
        return min(units, key=lambda unit: (value(view, unit), unit), default=None)

    return Policy(policy, text, answer)


def towards(text: str) -> Policy:
    """Return the policy that chooses the legal hex nearest to a place, of equal ones the first."""

    def answer(view: Game[Any], decision: Decision, given: Given) -> int | None:
        board, goal = view.board, location(view.rules, str(given["place"]))
        hexes = [view.location(c) for c in decision.legal if view.rules.class_of(c) == "hex"]
        nearest = min(hexes, key=lambda hex: (board.distance(hex, goal), hex), default=None)
        return None if nearest is None else view.rules.location_clicks[nearest]

    return Policy("towards", text, answer, (Parameter("place", "Place", "place", required=True),))


def declared(rules: Rules[Any], kind: str) -> OrderKind | None:
    """Return what a game declares for a kind of decision."""
    return next((one for one in rules.orders if one.kind == kind), None)


def find_policy(rules: Rules[Any], kind: str, policy: str) -> Policy | None:
    """Return a policy by its id: one that the game declares for the kind, else one that always presses a button."""
    own, button = declared(rules, kind), policy.removeprefix(ALWAYS)
    if own is not None:
        return next((one for one in own.policies if one.id == policy), None)
    if button in (policy, CANCEL) or button not in rules.buttons:
        return None
    return always(button, button.capitalize(), policy=policy)


def presets(rules: Rules[Any], side: int) -> list[Order]:
    """Return the orders that a seat has when its match begins. Raise ValueError if a preset is not a policy of its
    kind."""
    found: list[Order] = []
    for own in rules.orders:
        if not own.preset:
            continue
        policy = find_policy(rules, own.kind, own.preset)
        if policy is None:
            ids = ", ".join([one.id for one in own.policies])
            raise ValueError(f"{rules.id}, {own.kind}: preset {own.preset!r} is not one of its policies ({ids})")
        given = check(rules, policy, {})
        found.append(Order(len(found) + 1, side, own.kind, policy.id, given, describe(policy, given)))
    return found


def accepts(match: Match[Any]) -> bool:
    """Whether the present decision accepts standing orders: it is taken in the enemy's turn, or its kind is declared so."""
    decision = match.decision
    if decision is None:
        return False
    own = declared(match.rules, decision.kind)
    return match.phase.side == 1 - decision.side or (own is not None and own.own_phases)


def offers(match: Match[Any], view: Game[Any]) -> list[Policy]:
    """Return the policies that would decide now with their default values: those that the game declares for the kind of
    decision, else one for each button. `view` is the game as the side that decides may know it."""
    decision, rules = match.decision, match.rules
    if decision is None or not accepts(match):
        return []
    own = declared(rules, decision.kind)
    if own is not None:
        fit = [one for one in own.policies if not any(parameter.required for parameter in one.parameters)]
        asked = known(decision) if fit else decision
        return [one for one in fit if legal_click(one, view, asked, check(rules, one, {})) is not None]
    shut = rules.display.warnings(view, decision)
    buttons = [rules.names[c] for c in decision.listed() if c >= rules.first_button and c not in shut]
    return [
        always(name, rules.display.caption(view, decision, name), policy=ALWAYS + name)
        for name in buttons
        if name != CANCEL
    ]


def known(decision: Decision) -> Decision:
    """Return a decision as plain data: without the functions of the rules, which know more than the side."""
    copy = decision.copy()
    copy.why_not = copy.can_act = copy.reach = None
    return copy


def answer(match: Match[Any], orders: Iterable[Order]) -> tuple[Order, int] | None:
    """Return the first order that applies to the present decision, and its click; None to leave it to the player."""
    decision = match.decision
    mine = [one for one in orders if decision and (one.side, one.kind) == (decision.side, decision.kind)]
    if decision is None or not mine or not accepts(match):
        return None
    view, asked = match.game.seen_by(decision.side), known(decision)
    for order in sorted(mine, key=lambda one: one.number):
        policy = find_policy(match.rules, order.kind, order.policy)
        click = legal_click(policy, view, asked, order.given) if policy else None
        if click is not None:
            return order, click
    return None


def legal_click(policy: Policy, view: Game[Any], asked: Decision, given: Given) -> int | None:
    """Return the click of a policy; None if it gives none, gives an illegal one, or fails: then the player decides."""
    try:
        click = policy.answer(view, asked, given)
    except Exception:
        log.exception("%s: the policy %r failed at %s", view.rules.id, policy.id, asked.kind)
        return None
    return click if click in asked.legal else None


def check(rules: Rules[Any], policy: Policy, given: Given) -> dict[str, int | str]:
    """Return the values of a policy's parameters, complete and as they are stored. Raise ValueError for what does not fit."""
    unknown = given.keys() - {one.name for one in policy.parameters}
    if unknown:
        raise ValueError(f"{', '.join(sorted(unknown))}: {policy.id} has no such parameter")
    return {
        one.name: value
        for one in policy.parameters
        if (value := _value(rules, one, given.get(one.name))) is not None and value != ""
    }


def _value(rules: Rules[Any], parameter: Parameter, value: object) -> int | str | None:
    """Return a value, the default if there is none."""
    if parameter.type == "number":
        value = parameter.default if value is None else value
        if type(value) is not int or not 0 <= value <= MAX_NUMBER:
            raise ValueError(f"{parameter.caption}: expected a number from 0 to {MAX_NUMBER}, not {value!r}")
        return value
    if parameter.type == "choice":
        value = parameter.choices[parameter.default] if value is None else value
        if value not in parameter.choices:
            raise ValueError(f"{parameter.caption}: expected one of {', '.join(parameter.choices)}, not {value!r}")
        return str(value)
    if value is None or value == "":
        if parameter.required:
            raise ValueError(f"{parameter.caption}: choose a place or hex")
        return None
    board = rules.board
    folded = {name.lower(): name for name in (*board.names[: board.size], *board.place)}
    if str(value).lower() not in folded:
        raise ValueError(f"{parameter.caption}: {value!r} is not a place or hex of {rules.title}")
    return folded[str(value).lower()]


def describe(policy: Policy, given: Given) -> str:
    """Return the text of an order."""
    phrases = [one.phrase.format(given[one.name]) for one in policy.parameters if one.phrase and one.name in given]
    return policy.text.format(**given) + "".join(phrases)
