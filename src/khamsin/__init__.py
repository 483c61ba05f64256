"""Khamsin: five board wargames of the North African campaign on one table."""

__version__ = "0.1.0"
