"""The web server: API, live connections and the browser client."""

from khamsin.server.app import PortTaken, create_app, serve

__all__ = ["PortTaken", "create_app", "serve"]
