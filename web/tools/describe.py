"""Print the server's OpenAPI description, from which the client's types are made."""

import json

from khamsin.server.app import create_app

print(json.dumps(create_app().openapi()))
