"""Tests. `make soak` sets KHAMSIN_SOAK and runs the long variants."""

import os

SOAK = bool(os.environ.get("KHAMSIN_SOAK"))
"""Whether to play, try and repeat as much as `make soak` does."""
