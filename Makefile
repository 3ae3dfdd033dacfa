# make play    sets up what a game needs and starts one
# make test    sets up what the checks need and runs them all
# make docs    writes the generated pages of docs/ anew
# make screenshots  takes the pictures of docs/images anew
# make bench   measures, and writes the tables of docs/performance.md anew
# make soak    kills servers and databases hundreds of times while clients play, and counts what is lost

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: play test browser docs screenshots bench soak clean

play: $(VENV)/ready-to-play
	@$(BIN)/duels

test: $(VENV)/ready-to-test browser
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest --numprocesses auto --dist loadfile

# The page is tested in Chromium, its types by a program that runs on Node.js, the server behind nginx. Without them those
# tests say so.
browser:
	@if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	  command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || packages=chromium; \
	  command -v npx >/dev/null || packages="$$packages nodejs npm"; \
	  command -v nginx >/dev/null || packages="$$packages nginx"; \
	  test -z "$$packages" || { apt-get update -qq && apt-get install -qq --no-install-recommends $$packages; }; \
	fi

docs: $(VENV)/ready-to-test
	$(BIN)/python docs/generate.py

screenshots: $(VENV)/ready-to-test
	$(BIN)/python docs/screenshots.py

bench: $(VENV)/ready-to-test
	$(BIN)/python -m benchmarks

soak: $(VENV)/ready-to-test
	$(BIN)/python tests/crash.py --kills 200
	$(BIN)/python tests/crash.py --kills 400 --postgresql

clean:
	rm -rf $(VENV) build dist

$(VENV)/ready-to-play: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/ready-to-test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/ready-to-play

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Digit Duels needs Python 3.11 or newer; name it with: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); echo "This Python cannot make virtual environments; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
