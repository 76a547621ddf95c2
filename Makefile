# paymatch: `make` lists what there is. Needs Python 3.11 or newer, make and pip; everything else is set up in .venv.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
ARGS ?=

.PHONY: help demo run test check lint audit sbom wheel release docs lock site format measure soak mutants ha faults citus long pages pictures clean

help: ## Show the targets
	@echo 'usage: make TARGET [ARGS="..."]'
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  \1\t\2/' | expand -t 12

demo: $(READY) ## Run a filled demo shop (ARGS="--once --port 8411")
	@$(BIN)/paymatch demo $(ARGS)

run: $(READY) ## Start the service (ARGS="--port 8000")
	@$(BIN)/paymatch serve $(ARGS)

test: $(READY) ## Run the tests (ARGS="-k refund")
	@$(BIN)/pytest -n auto --dist worksteal $(ARGS)

long: $(READY) ## Run all tests at full length: every boundary, seed, page, look and token (ARGS="-k lives")
	@HYPOTHESIS_PROFILE=long PAGES_IN_EVERY_LOOK=1 $(BIN)/pytest -n auto --dist worksteal $(ARGS)

check: lint sbom audit test ## Check everything: style, types, rooms, security, documents, tests

lint: $(READY) ## Check everything but the tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	PYTHONPATH=src $(BIN)/lint-imports --no-logo
	$(BIN)/bandit -q -c pyproject.toml -r src client/src -ll
	$(BIN)/vulture
	$(BIN)/python -m tools.lint_rules
	$(BIN)/python -m tools.wording
	$(BIN)/python -m tools.generate_docs --check
	$(BIN)/python -m tools.translations --check
	@$(BIN)/python -m tools.dated_rules

audit: $(READY) ## Check licences of what a production install brings, and ask for its known vulnerabilities
	@$(BIN)/python -m tools.licences
	@$(BIN)/python -m tools.advisories

sbom: $(READY) ## Write build/sbom.cdx.json, the CycloneDX list of what a production install brings
	@$(BIN)/python -m tools.sbom

wheel: $(READY) ## Build the wheel into dist/, install it by pip and by uv, play its demo (needs a package index)
	@tools/try_wheel.sh $(VENV)

release: $(READY) ## Build a release into dist/: wheels, sources, SBOM, chart, image, checksums; install what can be installed
	@PYTHONPATH=src:client/src:. $(BIN)/python -m tools.release
	@RELEASE_FOLDER=dist $(BIN)/pytest -q tests/deploy/test_release.py

docs: $(READY) ## Write the documents that are generated from the code
	@$(BIN)/python -m tools.generate_docs

site: $(READY) ## Build the documentation as a site into build/site, each page as Markdown, too
	@$(BIN)/zensical build --strict
	@cd docs && find . -name '*.md' -exec cp --parents -t ../build/site {} +

format: $(READY) ## Format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

lock: $(READY) ## Write the lock files anew (ARGS="--upgrade" takes newer versions)
	@$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header \
	  --group dev pyproject.toml -o requirements.lock $(ARGS)
	@$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header \
	  --constraints requirements.lock pyproject.toml -o requirements-runtime.lock

measure: $(READY) ## Run a measurement of lab/ (ARGS="api --only cpu"; lab/README.md lists them)
	@PYTHONPATH=src:. $(BIN)/python -m lab.$(ARGS)

soak: $(READY) ## Live 5,000 lives of shops, replace servers under load, send 100,000 hostile requests, run the property tests at length
	@$(BIN)/python -m lab.soak --lives 5000
	@$(BIN)/python -m lab.rolling --rounds 20
	@REQUESTS=100000 HYPOTHESIS_PROFILE=soak $(BIN)/pytest -n auto --dist worksteal -m 'not browser' $(ARGS)

mutants: $(READY) ## Change the pure core at random, and print what no test notices (ARGS="--room books --count 50")
	@nice -n 19 $(BIN)/python -m lab.mutants $(ARGS)

ha: $(READY) ## Kill nodes of a real PostgreSQL cluster under load (ARGS="--rounds 100"; docs/high-availability.md)
	@$(BIN)/python -m lab.failover $(ARGS)

faults: $(READY) ## Put an installation through kill -9, full disks, clock jumps and more (ARGS="--only disk-full"; docs/reliability.md)
	@PYTHONPATH=src:. $(BIN)/python -m lab.faults $(ARGS)

citus: $(READY) ## Run tests on a Citus cluster of three nodes (ARGS="--pg-config /path/to/pg_config")
	@PYTHONPATH=src:. $(BIN)/python -m lab.citus $(ARGS)

pages: $(READY) ## Look at every page of the merchant area in both themes, languages and widths (Chromium)
	@PAGES_IN_EVERY_LOOK=1 $(BIN)/pytest tests/area/test_axe_browser.py $(ARGS)

pictures: $(READY) ## Take the pictures of docs/pictures anew (Chromium)
	@PYTHONPATH=src:. $(BIN)/python -m lab.pictures $(ARGS)

clean: ## Remove .venv and all caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): requirements.lock pyproject.toml tools/set_up.sh
	@tools/set_up.sh $(VENV)
	@$(BIN)/python -m tools.catalogues
	@touch $(READY)
