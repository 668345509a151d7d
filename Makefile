# Every command of the project. `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

WAREHOUSE ?= data/warehouse
DATA ?= data
HOST ?= 127.0.0.1
PORT ?= 8080
export WAREHOUSE DATA HOST PORT # make passes every other setting on by itself

# `tools/node` installs the Node.js that runs everything: one npm package per platform, first on PATH from then on. It comes first
# because npm warns about packages that need a newer Node.js than the machine's, and omits optional ones without a word.
export PATH := $(CURDIR)/tools/node/node_modules/.bin:$(PATH)
RUN = node --disable-warning=ExperimentalWarning
NODE_PACKAGE := tools/node/node_modules/.package-lock.json
INSTALLED := node_modules/.package-lock.json

.PHONY: help install start sync serve sample report releases verify rollback test proofs bench check format

help: ## list every target
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 14

install: $(INSTALLED) ## install what the lock files pin, Node.js first
$(NODE_PACKAGE): tools/node/package.json tools/node/package-lock.json
	@npm ci --prefix tools/node
	@tools/node/node_modules/.bin/node -v >/dev/null 2>&1 || rm -f tools/node/node_modules/.bin/node
	@node -e 'process.exit(parseInt(process.versions.node) < 24 ? 1 : 0)' || \
	  { echo "npm has no Node.js package for this platform. Install Node.js 24 or later and run make again."; exit 2; }
	@mkdir -p $(@D) && touch $@
$(INSTALLED): package.json package-lock.json $(NODE_PACKAGE)
	@npm ci
	@! test -e tools/node/node_modules/.bin/node || ln -sf ../../tools/node/node_modules/.bin/node node_modules/.bin/node
	@touch $@

start: $(INSTALLED) ## install, make a sample warehouse where there is none, sync and serve
	@case "$(WAREHOUSE)" in ""|*[*?[]*) ;; *) test -e "$(WAREHOUSE)" || OUT="$(WAREHOUSE)" $(RUN) pipeline/main.ts sample ;; esac
	@$(RUN) pipeline/main.ts sync
	@exec $(RUN) api-static/server/main.ts

sample: $(INSTALLED) ## write a synthetic warehouse (ROWS=200000 OUT=data/warehouse SEED=1)
	@$(RUN) pipeline/main.ts sample

sync: $(INSTALLED) ## one nightly run (WAREHOUSE=data/warehouse DATA=data FORCE=1 MEMORY=4GB THREADS=2 KEEP=3)
	@$(RUN) pipeline/main.ts sync

serve: $(INSTALLED) ## serve the current release (DATA=data HOST=127.0.0.1 PORT=8080 WORKERS=1)
	@exec $(RUN) api-static/server/main.ts

# Tools that check the OpenAPI document from outside: only tests need them, and one of them another TypeScript than ours.
CONTRACT_TOOLS := test/openapi/node_modules/.package-lock.json
$(CONTRACT_TOOLS): test/openapi/package.json test/openapi/package-lock.json $(NODE_PACKAGE)
	@npm ci --prefix test/openapi
	@touch $@

test: $(INSTALLED) $(CONTRACT_TOOLS) ## install and run every test, long proofs in a short form
	@$(RUN) node_modules/vitest/vitest.mjs run

proofs: ## as test, every proof whole
	@PROOFS=whole $(MAKE) --no-print-directory test

report: $(INSTALLED) ## what a sync read, rejected, made and changed (RELEASE=current, an id or refused; DATA=data)
	@$(RUN) pipeline/main.ts report

releases: $(INSTALLED) ## list the releases (DATA=data)
	@$(RUN) pipeline/main.ts releases

verify: $(INSTALLED) ## read a whole release again and compare (RELEASE=current DATA=data)
	@$(RUN) pipeline/main.ts verify

rollback: $(INSTALLED) ## make an earlier release current (TO=… DATA=data)
	@$(RUN) pipeline/main.ts rollback

bench: $(INSTALLED) ## benchmarks, written to docs/benchmarks.md (ROWS=1000000 RUNS=3 ONLY=sync,search PEERS=duckdb,…)
	@$(RUN) test/bench/main.ts

check: $(INSTALLED) ## lint, format and types
	@node_modules/.bin/biome check .
	@$(RUN) node_modules/typescript/bin/tsc --noEmit

format: $(INSTALLED) ## format and apply safe lint fixes
	@node_modules/.bin/biome check --write .
