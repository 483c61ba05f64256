"""Property tests draw the same examples every time, but for `make soak`, and none of them is timed."""

from hypothesis import settings

from tests import SOAK

settings.register_profile("khamsin", derandomize=not SOAK, deadline=None, database=None, max_examples=60)
settings.load_profile("khamsin")
