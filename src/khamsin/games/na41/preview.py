"""The odds of an attack as its player may know them: the sheet, the column, and the exact chances through the combat
table, the Determined Defense, the retreat and the advance (8.3, 10.1, 11, 12.2.1, 14.2)."""

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
    """Return the sheet of an attack with the chances of its outcomes, if the defender makes the best Determined Defense
    it can without DD Support; its decisions are unknown."""
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
    """Return the retreat that a result demands."""
    least, most = outcome.retreat
    return Flight(1 - battle.side, battle.hex, least, most, outcome.disorder, breakthrough=battle.breakthrough)


def follow(g: G, battle: Attack, outcome: Outcome) -> Chances:
    """Return the outcomes of a result, each with its chance: losses, a Determined Defense, retreat or elimination, and
    the advance."""
    left, head = survivors(g, battle, outcome), outcome.code
    if not left:
        return {f"{head}: defender eliminated, advance {outcome.advance or 1}": Fraction(1)}
    if not outcome.retreat[1]:
        loser = "each side" if outcome.defender else "attacker"
        return {f"{head}: {loser} loses a step, no retreat": Fraction(1)}
    flight = flight_of(battle, outcome)
    beaten = retreats(outcome) if retreat.has_path(g, flight, [*left]) else "defender eliminated or surrenders"
    failed = f"{head}: {beaten}, advance {outcome.advance}"
    lead = defence.best_lead(g, flight, outcome, [*left]) if outcome.defence_allowed else None
    if lead is None:
        return {failed: Fraction(1)}
    if defence.is_desperate(g, flight):
        return stand(g, flight, outcome, left, failed)
    return stand(g, flight, outcome, left, failed, lead)


def survivors(g: G, battle: Attack, outcome: Outcome) -> dict[int, int]:
    """Return the steps of the defenders after the loss of a result: a side that picks its own loss spares the best Lead
    Unit, one that picks for the enemy takes it (10.2.1, 10.2.2)."""
    steps = {unit: g.state.steps[unit] for unit in combat_units(g, 1 - battle.side, battle.hex)}
    if not outcome.defender or resolution.ignores_loss(g, battle, outcome):
        return steps
    present, flight = resolution.attacked(g, battle), flight_of(battle, outcome)
    strong = sheet.contributors(sheet.defence_shares(g, battle))
    choices = [
        {unit: number - (unit == lost) for unit, number in steps.items() if number > (unit == lost)}
        for lost in [unit for unit in present if unit in strong] or present
    ]

    def holding(left: dict[int, int]) -> Fraction:
        lead = defence.best_lead(g, flight, outcome, [*left])
        return Fraction(-1) if lead is None else defence.hold_chance(g, flight, outcome, lead, False)

    return (min if outcome.opponent else max)(choices, key=holding)


def retreats(outcome: Outcome) -> str:
    """Return a retreat in words."""
    least, most = outcome.retreat
    hexes = f"{least}" if least == most else f"{least} to {most}"
    return f"defender retreats {hexes}, {'in Full Retreat' if outcome.disorder > 1 else 'Disrupted'}"


def stand(
    g: G, flight: Flight, outcome: Outcome, left: dict[int, int], failed: str, only: int | None = None
) -> Chances:
    """Return the chances of a Determined Defense of one roll by a unit, or of a Desperate Defense that continues to the
    last step of the last unit that can lead, the best first. A unit that holds with its last step leaves a limited
    advance (11.4.2, 11.5.3)."""
    able = [unit for unit in left if defence.why_not_lead(g, flight, unit) is None]
    able.sort(key=lambda unit: -defence.hold_chance(g, flight, outcome, unit, False))
    rolls = [only] if only is not None else [unit for unit in able for _ in range(left[unit])]
    steps, going, found = sum(left.values()), Fraction(1), Chances()

    def add(text: str, chance: Fraction) -> None:
        found[text] = found.get(text, Fraction(0)) + chance

    head, lost = outcome.code, f"{outcome.code}: defender eliminated, advance"
    for lead in rolls:
        fails = Fraction(0)
        for result, chance in defence.stands(g, flight, outcome, lead).items():
            if result.holds:
                add(f"{lost} 1" if result.lead >= steps else f"{head}: defender holds", going * chance)
            elif only is not None and result.lead >= steps:
                add(f"{lost} {outcome.advance}", going * chance)
            else:
                fails += chance
        going, steps = going * fails, steps - 1
    if going:
        add(failed if only is not None or steps else f"{lost} {outcome.advance}", going)
    return found


def notes(g: G, battle: Attack, cells: dict[Outcome, Fraction]) -> list[tuple[str, str, str]]:
    """Yield the assumptions about the defender: its Lead Unit, and whether it has a retreat path (11.2.3, 12.2.1)."""
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


# For the display


def options(g: G, viewer: int, combat: Combat, button: str) -> Iterator[SheetOption]:
    """Yield the effect of the choices still to be made by both sides in an attack: Attack Supply, artillery and air
    (8.3)."""
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
    """Return the sheet of the combat for which a side chooses Attack Supply, artillery or air, as a click would change
    it, with the effect of the choices. Without a click Attack Supply is used (8.3, 8.5.1, 9.4.1, 18.7.4)."""
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
    """Return the attack of a decision on support with what a click adds, and what else could be added (9.4.1, 18.7.4)."""
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
    """Yield the sheet of the combat that a side supports; or of the Breakthrough Combat that a click would begin, with
    its Attack Supply: the hint of the hex shows the odds (15.2.8)."""
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
