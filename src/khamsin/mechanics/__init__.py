"""Procedures that several games share, each with the game's own numbers. Add one only when a second game needs it."""
