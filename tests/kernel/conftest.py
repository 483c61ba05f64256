"""Property tests draw the same examples every time, and none of them is timed."""

from hypothesis import settings

settings.register_profile("khamsin", derandomize=True, deadline=None, database=None, max_examples=60)
settings.load_profile("khamsin")
