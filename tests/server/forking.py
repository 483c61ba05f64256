"""A server that can be killed and started again many times in a test: everything is imported once, then forked.

Reads one line for each server to start, answers with its process number, and waits until it has been killed.
"""

from __future__ import annotations

import os
import socket
import sys

import uvicorn

from khamsin import games
from khamsin.server.app import create_app
from khamsin.server.connections import server_config
from khamsin.server.database import Database
from khamsin.server.settings import Settings
from tests.toy import skirmish

SETTINGS = Settings(rate_scale=1e6)


def main() -> None:
    assert games.load("skirmish") is skirmish.RULES
    url, handle = sys.argv[1], int(sys.argv[2])
    listening = socket.socket(fileno=handle)
    # Nothing is open yet: neither the database nor a thread begins before the server runs.
    app = create_app(database=Database(url), settings=SETTINGS, draw_ahead=False)
    app.openapi()
    games.freeze_gc()
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            uvicorn.Server(server_config(app, SETTINGS, "error")).run(sockets=[listening])
            os._exit(0)
        print(child, flush=True)
        os.waitpid(child, 0)
        print("ended", flush=True)


if __name__ == "__main__":
    main()
