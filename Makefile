# make play         set up what a game needs and start one
# make serve        set up the same and start the server on this machine, to play in a browser
# make class        set up the same and start the server for a class in the local network
# make site         write a static folder, public/, that any web space can host
# make check        format, lint, types and the fast tests: about a minute
# make test         what `make check` does, and the slow tests: browser, servers, databases, frameworks
# make long         the longest tests, which `make test` leaves out: huge games, every position, servers that restart in turn
# make system       install the system packages that some tests need
# make wasm         build the kernels that solve games in a browser, from src/digitduels/solver/kernel.c
# make lock         update requirements/, which every set-up installs from, to the newest releases
# make docs         write the generated pages of docs/ and the types of the page
# make screenshots  take the pictures of docs/images
# make bench        measure, and write the tables of docs/performance.md
# make clients      let learners of other projects use the research interfaces, and write docs/frameworks/clients.md
# make soak         kill and pause servers and databases hundreds of times while clients play, and count what is lost;
#                   attack servers, and measure how long others wait; open 2,000 live feeds with moves and 10,000 idle
#                   ones; teach a class of 40 while servers are killed
# make dist         build the wheel and the source archive of a release into dist/
# make clean        remove the virtual environment and build results
#
# HYPOTHESIS_PROFILE=random make test    tries other random examples each time

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Every package has one version and its hashes in requirements/, so that a checkout installs the same today and later.
INSTALL := $(PIP) --no-deps --require-hashes
EDITABLE := $(PIP) --no-deps --no-build-isolation --editable .
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate
LOCKED := pyproject.toml requirements/build.in
PYTEST := $(BIN)/pytest --numprocesses auto --dist worksteal --durations 25 --durations-min 1

.PHONY: play serve class site check static test suite long system wasm lock docs screenshots bench clients soak dist clean

play: $(VENV)/ready-to-play
	@$(BIN)/duels || test $$? -eq 130  # Ctrl-C is a way to leave

serve: $(VENV)/ready-to-play
	@$(BIN)/duels serve || test $$? -eq 130

class: $(VENV)/ready-to-play
	@$(BIN)/duels class || test $$? -eq 130

site: $(VENV)/ready-to-play
	@npm ci --silent --no-audit --no-fund
	@$(BIN)/duels site public

check: static
	$(PYTEST) -m "not slow and not long"

# Types take a minute of one processor, beside which the tests can start.
test: system $(VENV)/ready-to-test
	@$(MAKE) --no-print-directory --jobs 2 static suite

suite: $(VENV)/ready-to-test
	$(PYTEST) -m "not long"

long: system $(VENV)/ready-to-test
	$(PYTEST) -m long

static: $(VENV)/ready-to-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# The page is tested in Chromium, its modules with Node.js, the server behind nginx, and kernels for browsers are built
# again with clang. Tests whose program is missing are skipped, and say so.
system:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
	  || missing="chromium"; \
	command -v npx >/dev/null || missing="$$missing nodejs npm"; \
	PATH="$$PATH:/usr/sbin:/usr/local/sbin" command -v nginx >/dev/null || missing="$$missing nginx"; \
	command -v clang >/dev/null && command -v wasm-ld >/dev/null || missing="$$missing clang lld"; \
	if test -z "$$missing"; then exit 0; fi; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	  echo "Installing system packages for the tests of the page and of the proxy:" $$missing; \
	  apt-get update -qq && apt-get install -qq --no-install-recommends $$missing; \
	else \
	  echo "Some tests will be skipped. As root, install these for them: apt-get install" $$missing; \
	fi

WASM ?= src/digitduels/solver
wasm:
	@for bits in 8 16; do \
	  clang --target=wasm32 -Os -msimd128 -ffreestanding -fno-builtin -nostdlib -Wall -Wextra -Werror \
	    -Wl,--no-entry,--import-memory,--export=__heap_base,--strip-all \
	    -DCODE=uint$${bits}_t -o $(WASM)/kernel$$bits.wasm src/digitduels/solver/kernel.c || exit 1; \
	done; chmod 644 $(WASM)/kernel*.wasm

# In one step, uv would choose the releases that Macs with an Intel processor have for all systems.
lock: | $(BIN)/python
	@$(PIP) uv
	$(COMPILE) --upgrade --overrides requirements/newest.in --extra dev --output-file requirements/test.txt $(LOCKED)
	$(COMPILE) --extra dev --output-file requirements/test.txt $(LOCKED)
	$(COMPILE) --constraints requirements/test.txt --output-file requirements/play.txt $(LOCKED)

docs: $(VENV)/ready-to-test
	$(BIN)/python docs/generate.py

screenshots: $(VENV)/ready-to-test
	$(BIN)/python docs/screenshots.py

bench: $(VENV)/ready-to-test
	$(BIN)/python -m benchmarks

clients: $(VENV)-clients/ready-to-learn
	$(VENV)-clients/bin/python examples/clients

soak: $(VENV)/ready-to-test
	$(BIN)/python tests/crash.py --kills 200
	$(BIN)/python tests/crash.py --kills 400 --postgresql
	$(BIN)/python tests/attacks.py
	$(BIN)/python -m benchmarks streams
	$(BIN)/python tests/test_page_class.py

dist: $(VENV)/ready-to-test
	$(BIN)/python -m build --no-isolation

clean:
	rm -rf $(VENV) $(VENV)-clients build dist

$(VENV)/ready-to-play: pyproject.toml requirements/play.txt | $(BIN)/python
	@echo "Setting up, once: this takes about a minute."
	@$(INSTALL) -r requirements/play.txt
	@$(EDITABLE)
	@touch $@

$(VENV)/ready-to-test: pyproject.toml requirements/test.txt | $(BIN)/python
	@echo "Setting up for the tests, once: this takes about two minutes."
	@$(INSTALL) -r requirements/test.txt
	@$(EDITABLE)
	@touch $@ $(VENV)/ready-to-play

# PyTorch and JAX are large, and only the clients need them.
$(VENV)-clients/ready-to-learn: pyproject.toml examples/clients/requirements.txt
	@$(PYTHON) -m venv $(VENV)-clients
	@$(VENV)-clients/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[gymnasium,openspiel]' \
	  -r examples/clients/requirements.txt
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Digit Duels requires Python 3.11 or newer. If you have one under another name: make PYTHON=python3.12 play"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); echo "This Python can't create virtual environments. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
