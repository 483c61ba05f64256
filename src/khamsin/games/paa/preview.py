"""The odds of an attack before it is resolved (12.4.2-5)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from khamsin.games.paa import differential
from khamsin.games.paa.combat_supply import fix_supply, sacrifices, supply_of
from khamsin.games.paa.declaration import DECLARATION
from khamsin.games.paa.losses import worth
from khamsin.games.paa.reliability import SURRENDER, wavering
from khamsin.games.paa.supply import attack_supply, lines
from khamsin.games.paa.units import BOARD, REGULAR, SACRIFICED, SIDE, G, name
from khamsin.games.paa.zones import FORTS
from khamsin.kernel.display import SheetOption
from khamsin.kernel.rules import Odds, Refusal, Term
from khamsin.mechanics import combats
from khamsin.mechanics.combats import Combat, why_not_attack
from khamsin.mechanics.odds import mix, refused, subsets


def odds(g: G, viewer: int, attackers: list[int], targets: list[int]) -> Odds:
    """Return the odds of an attack now, the same for every viewer, since nothing is hidden: each attacker with the
    supply it has or has been given, and the exact chance of all losses of both sides, with surrender and counter-attack
    but without reaction (12.4.2-5, 15.3)."""
    side = SIDE[attackers[0]]
    refusal = why_not_attack(g, DECLARATION, side, attackers, targets)
    if refusal is not None:
        return refused(refusal)
    distance = attack_supply(g, side)
    now = lines(g, 1 - side)

    def supply(unit: int) -> int:
        return g.state.supply[unit] or supply_of(g, unit, distance)

    strength = differential.attack(g, attackers, targets, supply, now)
    units = [share.unit for share in strength.defence]
    terms = list(strength.terms)
    if not strength.permitted:
        at_fort = any(fort in targets and REGULAR[u] for fort in FORTS for u in units if g.state.where[u] == fort)
        if not at_fort:
            label = BOARD.name(targets[0])
            return refused(Refusal(f"{label} cannot be attacked: differential below 0", "12.4.2", label), terms)
        terms.append(Term("without effect: only the fort counter-attacks", "", "12.1.1"))
        outcomes = differential.chances(g, attackers, units, strength)
        return Odds(tuple(terms), "without effect", _in_words(outcomes), _average(outcomes))
    shaky = [u for u in wavering(g, targets) if u in units]

    def after(gone: tuple[int, ...]) -> dict[tuple[int, int], Fraction]:
        """Return the losses if these units have surrendered (15.3)."""
        left, lost = [u for u in units if u not in gone], sum(worth(g, u) for u in gone)
        if not left:
            return {(lost, 0): Fraction(1)}
        then = differential.attack(g, attackers, targets, supply, now, gone)
        return {
            (theirs + lost, ours): p for (theirs, ours), p in differential.chances(g, attackers, left, then).items()
        }

    outcomes = mix((likely, after(gone)) for likely, gone in subsets(shaky, Fraction(SURRENDER, 6)))
    if shaky:
        terms.append(Term(f"{len(shaky)} may surrender first", f"{SURRENDER} in 6 each", "15.3"))
    back = differential.counter(g, units, attackers).differential
    terms.append(Term("counter-attack, if no unit is lost", str(back), "12.4.4"))
    crt = g.table("crt")
    return Odds(tuple(terms), crt.head(crt.column(strength.differential)), _in_words(outcomes), _average(outcomes))


def _in_words(outcomes: dict[tuple[int, int], Fraction]) -> dict[str, Fraction]:
    return {
        f"defender loses {theirs}, attacker loses {ours}": chance
        for (theirs, ours), chance in sorted(outcomes.items(), reverse=True)
    }


def _average(outcomes: dict[tuple[int, int], Fraction]) -> str:
    theirs, ours = (sum(float(lost[side] * chance) for lost, chance in outcomes.items()) for side in (0, 1))
    return f"defender loses {theirs:.1f} CF, attacker loses {ours:.1f} CF"


def options(g: G, viewer: int, combat: Combat) -> Iterator[SheetOption]:
    """Yield the effect of each installation that the attacker can still give up on a combat, declared or not (12.3)."""
    if viewer != combat.side:
        return
    then = g.with_state(g.state.copy())
    then.state.draft = None
    number = combats.enter(then, combat).number
    for depot in sacrifices(then, combat.side):
        supplied = then.with_state(then.state.copy())
        supplied.state.flags[depot] |= SACRIFICED
        fix_supply(supplied, combat.side)
        _, _, units, hexes = combats.declared(supplied, combat.side, number)
        if units:
            label = BOARD.name(g.state.where[depot])
            yield SheetOption(
                f"Give up {name(depot)} in {label}", "12.3", odds(supplied, viewer, list(units), list(hexes))
            )
