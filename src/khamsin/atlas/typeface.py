"""The map's type: its fonts, the widths of their letters, and their files for a browser or the rasteriser.

`python -m khamsin.atlas.typeface FOLDER` makes the fonts from a folder of WOFF2 files (those of the packages
`@fontsource/source-serif-4` and `@fontsource/source-sans-3`); it needs fontTools and brotli, drawing does not. As cut
versions they carry names of their own: the licence reserves the name "Source" for the originals.
"""

from __future__ import annotations

import base64
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

FONTS = Path(__file__).parent / "fonts"
SERIF = "'Khamsin Serif', 'Source Serif 4', Georgia, serif"
SANS = "'Khamsin Sans', 'Source Sans 3', 'Segoe UI', Arial, sans-serif"

CUTS = {
    "serif": ("Khamsin Serif", "source-serif-4-latin-400-normal", 400, "normal"),
    "serif-italic": ("Khamsin Serif", "source-serif-4-latin-400-italic", 400, "italic"),
    "serif-bold": ("Khamsin Serif", "source-serif-4-latin-700-normal", 700, "normal"),
    "serif-bold-italic": ("Khamsin Serif", "source-serif-4-latin-600-italic", 700, "italic"),
    "sans": ("Khamsin Sans", "source-sans-3-latin-400-normal", 400, "normal"),
    "sans-bold": ("Khamsin Sans", "source-sans-3-latin-600-normal", 600, "normal"),
}
"""Cut name to family, source file, weight and style."""

LETTERS = [*range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x2010, 0x2027), 0x2030, 0x2032, 0x2033, 0x2192, 0x2212]


@cache
def _metrics() -> dict[str, dict[str, int]]:
    return dict(json.loads((FONTS / "metrics.json").read_text(encoding="utf-8")))


def width(text: str, cut: str, size: float, spacing: float = 0.0) -> float:
    """Return the width of a text.

    >>> round(width("Tobruk", "serif", 10)), width("", "sans", 10)
    (35, 0.0)
    """
    advances = _metrics()[cut]
    return sum(advances.get(letter, 550) for letter in text) * size / 1000 + spacing * len(text)


def files() -> list[str]:
    """Return the font files for the rasteriser."""
    return [str(FONTS / f"{cut}.ttf") for cut in CUTS]


@cache
def css() -> str:
    """Return `@font-face` rules that contain the fonts, for a drawing by itself."""
    rules = []
    for cut, (family, _, weight, style) in CUTS.items():
        data = base64.b64encode((FONTS / f"{cut}.woff2").read_bytes()).decode()
        rules.append(
            f"@font-face{{font-family:'{family}';font-weight:{weight};font-style:{style};"
            f"src:url(data:font/woff2;base64,{data})}}"
        )
    return "".join(rules)


def main(folder: Path) -> None:
    """Cut every font to the letters the maps need, and store their widths."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    metrics: dict[str, dict[str, int]] = {}
    for cut, (family, file, weight, style) in CUTS.items():
        font: Any = TTFont(folder / f"{file}.woff2")
        options = Options()
        options.layout_features = ["kern", "liga", "lnum", "mark"]
        options.hinting = False
        options.name_IDs = ["*"]
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=LETTERS)
        subsetter.subset(font)
        _rename(font, family, weight, style)
        scale = 1000 / font["head"].unitsPerEm
        metrics[cut] = {
            chr(code): round(font["hmtx"][glyph][0] * scale) for code, glyph in sorted(font.getBestCmap().items())
        }
        for flavor, suffix in (("woff2", "woff2"), (None, "ttf")):
            font.flavor = flavor
            font.save(FONTS / f"{cut}.{suffix}")
    (FONTS / "metrics.json").write_text(json.dumps(metrics, ensure_ascii=False) + "\n", encoding="utf-8")


def _rename(font: Any, family: str, weight: int, style: str) -> None:
    face = (
        " ".join(w for w in ("Bold" if weight > 500 else "", "Italic" if style == "italic" else "") if w) or "Regular"
    )
    font["OS/2"].usWeightClass = weight
    table = font["name"]
    for record in list(table.names):
        if record.nameID not in (0, 13, 14):
            table.removeNames(nameID=record.nameID)
    postscript = f"{family} {face}".replace(" ", "")
    for number, text in ((1, family), (2, face), (3, postscript), (4, f"{family} {face}"), (6, postscript)):
        table.setName(text, number, 3, 1, 0x409)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
