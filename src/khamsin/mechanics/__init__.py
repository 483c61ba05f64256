"""Procedures that several games share, each taking the game's own numbers. Something moves here when a second game needs
it, not before."""
