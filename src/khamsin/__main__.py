"""`python -m khamsin` is the command line."""

from khamsin.cli import main

main()
