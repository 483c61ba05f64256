#!/bin/sh
# Write the client's types from the server's own description of what it says (OpenAPI); with --check, only compare.
set -e
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-../.venv/bin/python}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$PYTHON" tools/describe.py > "$folder/openapi.json"
npx openapi-typescript "$folder/openapi.json" --output "$folder/schema.d.ts" >/dev/null 2>&1
if [ "$1" = --check ]; then
  cmp -s "$folder/schema.d.ts" src/lib/schema.d.ts || { echo "The server's types have changed: run make types" >&2; exit 1; }
else
  cp "$folder/schema.d.ts" src/lib/schema.d.ts
fi
