"""The odds of an attack as its player can know them: the sheet, the column, and the exact chances through the combat table,
the Determined Defense, the retreat and the advance (8.3, 10.1, 11, 12.2.1, 14.2)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from khamsin.games.na41 import defence, resolution, retreat, sheet, support
from khamsin.games.na41.results import OUTCOMES, SHATTERED, Outcome
from khamsin.games.na41.retreat import Flight
from khamsin.games.na41.sheet import Attack
from khamsin.games.na41.units import G, combat_units, hex_of, name
from khamsin.kernel.display import Sheet, SheetOption
from khamsin.kernel.rules import Decision, Odds, Term
from khamsin.mechanics.combats import Combat
from khamsin.mechanics.showing import Texts

Chances = dict[str, Fraction]


def preview(g: G, battle: Attack) -> Odds:
    """The sheet of an attack with the chances of what follows, if the defender makes the best Determined Defense it can
    without DD Support; what it decides is unknown."""
    found = sheet.sheet(g, battle)
    table = g.table("combat")
    if found.overwhelming:
        cells: dict[Outcome, Fraction] = {SHATTERED: Fraction(1)}
        head = f"{sheet.OVERWHELMING}-1"
    else:
        at = sheet.column(g, found)
        head = table.head(at)
        cells = {OUTCOMES[str(cell)]: chance for cell, chance in table.chances(at).items()}
    terms = [*found.terms, Term("column", head, "8.8.4" if found.level != found.odds else "8.3")]
    chances: Chances = {}
    for outcome, chance in cells.items():
        for text, share in follow(g, battle, outcome).items():
            chances[text] = chances.get(text, Fraction(0)) + chance * share
    terms += [Term(text, value, rule) for text, value, rule in notes(g, battle, cells)]
    return Odds(tuple(terms), head, chances)


def flight_of(battle: Attack, outcome: Outcome) -> Flight:
    """The retreat that a result demands."""
    least, most = outcome.retreat
    return Flight(1 - battle.side, battle.hex, least, most, outcome.disorder, breakthrough=battle.breakthrough)


def follow(g: G, battle: Attack, outcome: Outcome) -> Chances:
    """What a result leads to, each with its chance: losses, a Determined Defense, retreat or elimination, and the advance."""
    units = combat_units(g, 1 - battle.side, battle.hex)
    lost = int(bool(outcome.defender) and not resolution.ignores_loss(g, battle, outcome))
    left = sum([g.state.steps[unit] for unit in units]) - lost
    head = f"{outcome.code}"
    if left <= 0:
        hexes = outcome.advance or 1
        return {f"{head}: defender eliminated, advance {hexes}": Fraction(1)}
    if not outcome.retreat[1]:
        loser = "each side" if lost else "attacker"
        return {f"{head}: {loser} loses a step, no retreat": Fraction(1)}
    flight = flight_of(battle, outcome)
    beaten = retreats(outcome) if retreat.has_path(g, flight, units) else "defender eliminated or surrenders"
    failed = f"{head}: {beaten}, advance {outcome.advance}"
    lead = defence.best_lead(g, flight, outcome, units) if outcome.defence_allowed else None
    if lead is None:
        return {failed: Fraction(1)}
    if defence.is_desperate(g, flight):
        return desperate(g, flight, outcome, lead, left, head, failed)
    held = defence.hold_chance(g, flight, outcome, lead, supported=False)
    return {f"{head}: defender holds": held, failed: 1 - held}


def retreats(outcome: Outcome) -> str:
    """A retreat in words."""
    least, most = outcome.retreat
    hexes = f"{least}" if least == most else f"{least} to {most}"
    return f"defender retreats {hexes}, {'in Full Retreat' if outcome.disorder > 1 else 'Disrupted'}"


def desperate(g: G, flight: Flight, outcome: Outcome, lead: int, left: int, head: str, failed: str) -> Chances:
    """The chances of a Desperate Defense that goes on to the last step, led as well as at first (11.5.3)."""
    held, going = Fraction(0), {left: Fraction(1)}
    rolls = defence.stands(g, flight, outcome, lead)
    emptied = Fraction(0)
    while going:
        steps = max(going)
        chance = going.pop(steps)
        for stand, share in rolls.items():
            if not stand.holds:
                if steps > 1:
                    going[steps - 1] = going.get(steps - 1, Fraction(0)) + chance * share
                else:
                    emptied += chance * share
            elif steps > stand.lead:
                held += chance * share
            else:
                emptied += chance * share
    del failed
    found = {f"{head}: defender holds": held, f"{head}: defender eliminated": emptied}
    return {text: chance for text, chance in found.items() if chance}


def notes(g: G, battle: Attack, cells: dict[Outcome, Fraction]) -> list[tuple[str, str, str]]:
    """What the chances assume of the defender: its Lead Unit, and whether it has a retreat path (11.2.3, 12.2.1)."""
    units = combat_units(g, 1 - battle.side, battle.hex)
    found = []
    outcome = next((o for o in cells if o.retreat[1] and o.defence_allowed), None)
    if outcome is not None:
        flight = flight_of(battle, outcome)
        lead = defence.best_lead(g, flight, outcome, units)
        if lead is None:
            found.append(("no Determined Defense", "", "11.2.3"))
        else:
            rule = "11.5.2" if defence.is_desperate(g, flight) else "11.2.3"
            kind = "Desperate" if rule == "11.5.2" else "Determined"
            found.append((f"{kind} Defense led by {name(lead)}, without support", "", rule))
    retreating = next((o for o in cells if o.retreat[1]), None)
    if retreating is not None and not retreat.has_path(g, flight_of(battle, retreating), units):
        found.append(("the defender has no retreat path", "", "12.2.1"))
    return found


# What players see


def options(g: G, viewer: int, combat: Combat, button: str) -> Iterator[SheetOption]:
    """What the open choices of both sides would change in an attack: Attack Supply, artillery and air (8.3)."""
    side, units, hex = combat.side, combat.units, combat.hexes[0]
    battle = Attack(side, units, hex, supplied=support.can_be_supplied(g, side, units))
    enemies = combat_units(g, 1 - side, hex)
    if battle.supplied and support.wants_supply(g, battle):
        yield SheetOption("without Attack Supply", "8.5.1", preview(g, battle._replace(supplied=False)))
    choices = (
        ("with artillery", "9.4.1", support.artillery_sources(g, side, units), battle._replace(artillery=True)),
        ("with air support", "18.7.4", support.air_markers(g, side, units, hex, False), battle._replace(air=True)),
        ("if the defender uses artillery", "9.4.1", support.artillery_sources(g, 1 - side, enemies),
         battle._replace(enemy_artillery=True)),
        ("if the defender uses air support", "18.7.4", support.air_markers(g, 1 - side, enemies, hex, True),
         battle._replace(enemy_air=True)),
    )  # fmt: skip
    for text, rule, sources, changed in choices:
        if sources:
            yield SheetOption(text, rule, preview(g, changed))


def support_sheet(texts: Texts, g: G, decision: Decision, click: int) -> Iterator[Sheet]:
    """The sheet of the combat for which a side chooses Attack Supply, artillery or air, as a click would change it, with what
    the choices would change. Without a click Attack Supply is taken (8.3, 8.5.1, 9.4.1, 18.7.4)."""
    battle, none = decision.combat, g.rules.button("none")
    if decision.kind == "combat.supply":
        now = battle._replace(supplied=click != none)
        other = now._replace(supplied=not now.supplied)
        text = "without Attack Supply" if now.supplied else "with Attack Supply"
        options = [SheetOption(text, "8.5.1", preview(g, other))]
    else:
        now, options = supported(g, decision, click)
    title = "Breakthrough Combat" if battle.breakthrough else "This combat"
    yield texts.sheet(title, battle.units, [battle.hex], preview(g, now), options)


def supported(g: G, decision: Decision, click: int) -> tuple[Attack, list[SheetOption]]:
    """The attack of a decision on support with what a click adds, and what else could be added (9.4.1, 18.7.4)."""
    battle, first = decision.combat, g.rules.first_button
    defending = decision.side != battle.side
    given = support.Given(battle.artillery, battle.air)
    if defending:
        given = support.Given(battle.enemy_artillery, battle.enemy_air)
    planes = [one for one in decision.legal if g.rules.names[one] in support.AIR_MARKERS]
    guns = [one for one in decision.legal if one < first]
    given = given._replace(artillery=given.artillery or click in guns, air=given.air or click in planes)
    now, options = support.supported(battle, given, defending), []
    if guns and not given.artillery:
        more = support.supported(battle, given._replace(artillery=True), defending)
        options.append(SheetOption("with artillery", "9.4.1", preview(g, more)))
    if planes and not given.air:
        more = support.supported(battle, given._replace(air=True), defending)
        options.append(SheetOption("with air support", "18.7.4", preview(g, more)))
    return now, options


def sheets(texts: Texts, g: G, decision: Decision, click: int) -> Iterator[Sheet]:
    """The sheet of the combat that a side supports; or of the Breakthrough Combat that a click would begin, with the Attack
    Supply it has: the odds beside the hex tell (15.2.8)."""
    if decision.kind in ("combat.supply", "combat.support") and decision.combat is not None:
        yield from support_sheet(texts, g, decision, click)
        return
    hex = hex_of(g, click)
    if decision.kind == "combat.breakthrough.to" and hex is not None and combat_units(g, 1 - decision.side, hex):
        battle = Attack(decision.side, decision.about, hex, breakthrough=True)
        rich = battle._replace(supplied=True)
        if sheet.head(sheet.sheet(g, rich).level) == decision.legal.get(click):
            battle = rich
        yield texts.sheet("Breakthrough Combat", battle.units, [hex], preview(g, battle))
