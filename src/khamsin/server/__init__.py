"""The table in a browser: a small web server and the page it serves."""

from khamsin.server.app import PortTaken, create_app, serve

__all__ = ["PortTaken", "create_app", "serve"]
