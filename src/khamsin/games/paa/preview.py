"""A combat before it is fought: its odds (12.4.2-5), and why a click of the combat phase is not open (12)."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from khamsin.games.paa import differential
from khamsin.games.paa.combat import adjacent, forced, held, losers_without, ready, supply_of, weigh
from khamsin.games.paa.ground import ATTACK_SUPPLY as ATTACK_RANGE
from khamsin.games.paa.losses import worth
from khamsin.games.paa.reliability import SURRENDER, wavering
from khamsin.games.paa.supply import attack_supply, lines
from khamsin.games.paa.units import (
    BOARD,
    DEPOT,
    DEPOTS,
    DISMOUNTED,
    MOVED,
    OOC,
    OOS,
    REGULAR,
    SACRIFICED,
    SIDE,
    G,
    name,
    on_map,
)  # fmt: skip
from khamsin.games.paa.zones import FORTS
from khamsin.kernel.rules import Decision, Odds, Refusal, Term


def why_not(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a click is not open in the combat phase, from what is asked and what has been declared (12)."""
    place = None if g.is_unit(click) or click >= g.rules.first_button else g.location(click)
    if decision.rule == "12.2":
        return _why_not_attacker(g, decision, click) if g.is_unit(click) else _why_not_target(g, decision, place)
    if decision.rule == "12.3" and g.is_unit(click):
        return _why_not_given_up(g, decision.side, click)
    if decision.rule == "12.4":
        if g.is_unit(click):
            return Refusal("click a hex whose combat is to be fought", "12.4", name(click))
        return _why_not_fought(g, decision.side, place)
    if not g.is_unit(click):
        return None
    reasons = {
        "12.4.5": "its loss would not come as near as possible to the required CF",
        "12.4.7": "it did not fight here, or there is no room, or a unit would be left out of supply",
        "15.1": "it is too far, in an enemy zone, out of supply or command, attacked itself or has tried",
        "15.3": "it has fought, or is not adjacent to every attacked hex",
    }
    reason = reasons.get(decision.rule)
    return Refusal(reason, decision.rule, name(click)) if reason else None


def _why_not_attacker(g: G, decision: Decision, unit: int) -> Refusal:
    state = g.state
    if SIDE[unit] != decision.side:
        return Refusal("that unit is not yours; click its hex to attack it", "12.2", name(unit))
    if not REGULAR[unit]:
        return Refusal("lorries and installations do not attack", "12", name(unit))
    if not on_map(g, unit):
        return Refusal("it is not on the map", "12.2", name(unit))
    for flag, reason, rule in (
        (DISMOUNTED, "it is dismounted", "13.6"),
        (OOS, "it is out of supply", "12"),
        (OOC, "it is out of command", "10.3"),
    ):
        if state.flags[unit] & flag:
            return Refusal(reason, rule, name(unit))
    if state.battle[unit]:
        if forced(g, decision.side, state.battle[unit]):
            return Refusal("it must attack the fort in whose zone it is", "12.1.1", name(unit))
        return Refusal("it attacks in another combat", "12.2", name(unit))
    if unit in decision.about:
        return Refusal("it is in this combat already", "12.2", name(unit))
    if unit not in ready(g, decision.side):
        return Refusal("it attacks only in attack supply or beside a supporting unit", "15.2", name(unit))
    if decision.top:
        return Refusal("choose the hex to attack first, then the units", "12.2", name(unit))
    return Refusal("it is not adjacent to every attacked hex across an open hexside", "12.2", name(unit))


def _why_not_target(g: G, decision: Decision, hex: int | None) -> Refusal | None:
    if hex is None or not BOARD.is_hex(hex):
        return None
    label = BOARD.name(hex)
    if hex not in held(g, decision.side):
        if any(g.state.where[u] == hex for u in DEPOTS[1 - decision.side]):
            return Refusal("a lone installation is taken by entering its hex", "11.1.6", label)
        return Refusal("no enemy unit or lorry stands there", "12", label)
    if label in g.state.targets:
        return Refusal("it is attacked already", "12.2", label)
    if decision.top:
        return Refusal("no unit that may attack and is in no combat yet is adjacent to it", "12.2", label)
    return Refusal("not every attacker is adjacent to it across an open hexside", "12.2", label)


def _why_not_given_up(g: G, side: int, depot: int) -> Refusal:
    state = g.state
    if not DEPOT[depot] or SIDE[depot] != side or not on_map(g, depot):
        return Refusal("only an installation of yours on the map can be given up", "12.3", name(depot))
    for flag, reason, rule in (
        (SACRIFICED, "it is given up already", "12.3"),
        (OOC, "it is out of command", "12.3.1"),
        (MOVED, "it has been moved this turn", "12.3"),
    ):
        if state.flags[depot] & flag:
            return Refusal(reason, rule, name(depot))
    now = lines(g, side)
    if state.where[depot] not in now.depots:
        return Refusal("it has no supply line to a terminal", "8.5", name(depot))
    losers = losers_without(g, side, depot)
    if losers:
        return Refusal("a unit would lose supply", "12.3.1", ", ".join(name(u) for u in losers[:3]))
    return Refusal(f"no attacker is within {ATTACK_RANGE} MF of it", "12.3", name(depot))


def _why_not_fought(g: G, side: int, hex: int | None) -> Refusal:
    if hex is None:
        return Refusal("a fort in whose zone units stand must still be attacked", "12.1.1")
    number = g.state.targets.get(BOARD.name(hex), 0)
    if not number:
        return Refusal("no combat is declared against it, or it has been fought", "12.2", BOARD.name(hex))
    sheet = weigh(g, side, number)
    short = Fraction(sheet.af - sheet.df, 4)
    return Refusal(f"the differential is {short}, and must be 0 or more", "12.4.2", BOARD.name(hex))


def odds(g: G, viewer: int, attackers: list[int], targets: list[int]) -> Odds:
    """An attack as it would go now, the same to every viewer, as nothing is hidden: each attacker with the supply it has now or
    has been given, and the exact chance of all losses of both sides, surrender and counter-attack included, reaction left out
    (12.4.2-5, 15.3)."""
    side = SIDE[attackers[0]]
    distance = attack_supply(g, side)
    now = lines(g, 1 - side)

    def supply(unit: int) -> int:
        return g.state.supply[unit] or supply_of(g, unit, distance)

    strength = differential.attack(g, attackers, targets, supply, now)
    units = [share.unit for share in strength.defence]
    terms = list(strength.terms)
    if not units or not all(REGULAR[u] for u in attackers) or not adjacent(g, attackers, targets):
        terms.append(Term("not permitted: every attacker must be adjacent to every defender", "", "12.2"))
        return Odds(tuple(terms), "not permitted", {})
    if not strength.permitted:
        at_fort = any(fort in targets and REGULAR[u] for fort in FORTS for u in units if g.state.where[u] == fort)
        if not at_fort:
            terms.append(Term("not permitted: the differential is below 0", "", "12.4.2"))
            return Odds(tuple(terms), "not permitted", {})
        terms.append(Term("without effect: only the fort strikes back", "", "12.1.1"))
        outcomes = differential.chances(g, attackers, units, strength)
        return Odds(tuple(terms), "without effect", _in_words(outcomes))
    outcomes = {}
    shaky = [u for u in wavering(g, targets) if u in units]
    for number in range(len(shaky) + 1):
        for gone in combinations(shaky, number):
            likely = Fraction(SURRENDER, 6) ** number * Fraction(6 - SURRENDER, 6) ** (len(shaky) - number)
            left = [u for u in units if u not in gone]
            lost = sum(worth(g, u) for u in gone)
            after = differential.attack(g, attackers, targets, supply, now, gone)
            parts = differential.chances(g, attackers, left, after) if left else {(0, 0): Fraction(1)}
            for (theirs, ours), chance in parts.items():
                key = (theirs + lost, ours)
                outcomes[key] = outcomes.get(key, Fraction(0)) + chance * likely
    if shaky:
        terms.append(Term(f"{len(shaky)} may surrender first", f"{SURRENDER} in 6 each", "15.3"))
    back = differential.counter(g, units, attackers).differential
    terms.append(Term("counter-attack, if nobody is lost", str(back), "12.4.4"))
    crt = g.table("crt")
    return Odds(tuple(terms), crt.head(crt.column(strength.differential)), _in_words(outcomes))


def _in_words(outcomes: dict[tuple[int, int], Fraction]) -> dict[str, Fraction]:
    return {
        f"defender loses {theirs}, attacker loses {ours}": chance
        for (theirs, ours), chance in sorted(outcomes.items(), reverse=True)
    }
