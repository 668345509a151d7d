# Runs every command of the project. `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

WAREHOUSE ?= data/warehouse
DATA ?= data
HOST ?= 127.0.0.1
PORT ?= 8080
export WAREHOUSE DATA HOST PORT # make passes on all other settings by itself

# npm installs the Node.js that runs everything into tools/node (one package per platform), and it goes first on PATH. It is
# installed before anything else: an older npm warns about packages that need a newer Node.js, and silently omits optional ones.
export PATH := $(CURDIR)/tools/node/node_modules/.bin:$(PATH)
# Each start would remove the types of all modules again, and compile them, for a second.
export NODE_COMPILE_CACHE ?= $(CURDIR)/node_modules/.cache/node
RUN = node --disable-warning=ExperimentalWarning
NODE_PACKAGE := tools/node/node_modules/.package-lock.json
INSTALLED := node_modules/.package-lock.json
SITE_PACKAGES := site/node_modules/.package-lock.json
SITE := site/dist/index.html
# Folders count too: a file was removed from them.
SITE_SOURCES := $(shell find site api-static/contract api-static/openapi -mindepth 1 \( -name node_modules -o -name 'dist*' \) -prune -o -print)
VITE = $(RUN) node_modules/vite/bin/vite.js

.PHONY: help install site dev start warehouse organizations sync publish pull load follow serve preview edge sbom screenshots sample report releases matches verify rollback test proofs mutants simulate bench check format

##@ Start

help: ## list all commands
	@awk -F ':.*## ' '/^##@ / { print "\n" substr($$0, 5) } /^[a-z-]+:.*## / { printf "  %-15s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@printf '\nThe parentheses show settings and their defaults; docs/settings.md explains them.\n'

install: $(INSTALLED) $(SITE) ## install Node.js and the pinned packages, and build the site
$(NODE_PACKAGE): tools/node/package.json tools/node/package-lock.json
	@npm ci --prefix tools/node
	@tools/node/node_modules/.bin/node -v >/dev/null 2>&1 || rm -f tools/node/node_modules/.bin/node
	@node tools/node/check.cjs
	@mkdir -p $(@D) && touch $@
$(INSTALLED): package.json package-lock.json $(NODE_PACKAGE)
	@npm ci
	@! test -e tools/node/node_modules/.bin/node || ln -sf ../../tools/node/node_modules/.bin/node node_modules/.bin/node
	@touch $@

# The packages that build the site.
$(SITE_PACKAGES): site/package.json site/package-lock.json $(NODE_PACKAGE)
	@npm ci --prefix site
	@touch $@

start: $(INSTALLED) $(SITE) ## install, sync a sample or the IRS's zips, and serve at 127.0.0.1:8080 (FROM=<zips>)
	@test -z "$(FROM)" || OUT="$(WAREHOUSE)" $(RUN) pipeline/main.ts warehouse
	@case "$(WAREHOUSE)" in ""|*[*?[]*|s3://*) ;; *) test -e "$(WAREHOUSE)" || OUT="$(WAREHOUSE)" $(RUN) tools/sample/main.ts ;; esac
	@$(RUN) pipeline/main.ts sync
	@exec $(RUN) api-static/server/main.ts

sample: $(INSTALLED) ## write a synthetic warehouse (ROWS=200000 OUT=data/warehouse SEED=1)
	@$(RUN) tools/sample/main.ts

serve: $(INSTALLED) ## serve the current release (DATA=data HOST=127.0.0.1 PORT=8080 WORKERS=1)
	@exec $(RUN) api-static/server/main.ts

##@ Night

warehouse: $(INSTALLED) ## make a warehouse from the IRS's zips (FROM=<zips> OUT=data/warehouse REPORT=0)
	@$(RUN) pipeline/main.ts warehouse

organizations: $(INSTALLED) ## add names from the IRS's master file (FROM=<eo*.csv> OUT=data/warehouse)
	@$(RUN) pipeline/main.ts organizations

sync: $(INSTALLED) $(SITE) ## run one nightly sync (WAREHOUSE=data/warehouse DATA=data MEMORY=3GB KEEP=3 FORCE=0)
	@$(RUN) pipeline/main.ts sync

##@ Deliver

publish: $(INSTALLED) ## publish the current release to a bucket (TO=<s3://bucket/prefix> DRY_RUN=0 FORCE=0)
	@$(RUN) pipeline/main.ts publish

pull: $(INSTALLED) ## bring the release in a bucket to this machine (FROM=<s3://bucket/prefix> FORCE=0)
	@$(RUN) pipeline/main.ts pull

load: $(INSTALLED) ## load a release into ClickHouse (TO=<clickhouse> CLICKHOUSE_URL=<URLs>)
	@$(RUN) pipeline/main.ts load

follow: $(INSTALLED) ## keep a copy of all grants in step with a host (FROM=<URL> INTO=grants.duckdb)
	@$(RUN) tools/follow/main.ts

preview: $(INSTALLED) ## serve only the files of the current release (DATA=data HOST=127.0.0.1 PORT=8080)
	@test -d "$(DATA)/current/public" || { echo "DATA \"$(DATA)\" holds no release. Run \`make sync\` first."; exit 2; }
	@NO_UPDATE_CHECK=1 exec $(RUN) node_modules/serve/build/main.js --no-clipboard --no-port-switching \
	  --listen "tcp://$(HOST):$(PORT)" "$(DATA)/current/public"

edge: $(INSTALLED) ## build the Cloudflare Worker and the CloudFront distribution
	@$(RUN) api-static/edge/build.ts

##@ Inspect

report: $(INSTALLED) ## show what a sync read, rejected, built and changed (RELEASE=current DATA=data)
	@$(RUN) pipeline/main.ts report

matches: $(INSTALLED) ## draw likely recipients to read by hand (SAMPLE=300 RELEASE=current DATA=data)
	@$(RUN) pipeline/main.ts matches

releases: $(INSTALLED) ## list the releases (DATA=data)
	@$(RUN) pipeline/main.ts releases

verify: $(INSTALLED) ## compare a release with its manifest and records (RELEASE=current DATA=data)
	@$(RUN) pipeline/main.ts verify

rollback: $(INSTALLED) ## make an earlier release current again (TO=<release id> DATA=data)
	@$(RUN) pipeline/main.ts rollback

##@ Develop

site: $(SITE) ## build the site that every release holds
# A sync copies this folder, so a build that is still running, or was stopped, must not be seen in it.
$(SITE): $(SITE_SOURCES) $(SITE_PACKAGES)
	@cd site && rm -rf dist.next && $(VITE) build --logLevel warn --outDir dist.next
	@rm -rf site/dist && mv site/dist.next site/dist && touch $@

dev: $(SITE_PACKAGES) ## serve the site at http://127.0.0.1:5173, reload on every change (HOST PORT)
	@cd site && exec $(VITE)

screenshots: $(INSTALLED) $(SITE) ## write pictures of every page and state into screenshots/; needs Chromium
	@$(RUN) node_modules/vitest/vitest.mjs run --config test/site/screenshots.config.ts

# Third-party tools that check the OpenAPI document. Only tests need them, and one needs another version of TypeScript.
CONTRACT_TOOLS := test/openapi/node_modules/.package-lock.json
$(CONTRACT_TOOLS): test/openapi/package.json test/openapi/package-lock.json $(NODE_PACKAGE)
	@npm ci --prefix test/openapi
	@touch $@

test: $(INSTALLED) $(SITE) $(if $(PROOFS),$(CONTRACT_TOOLS)) ## run all tests, with long proofs shortened (FILES=<all>)
	@$(RUN) node_modules/vitest/vitest.mjs run $(FILES)

proofs: ## run all tests, with every proof in full
	@PROOFS=whole $(MAKE) --no-print-directory test

# The mutation tester. Only this target needs it.
MUTANT_TOOLS := tools/mutants/node_modules/.package-lock.json
$(MUTANT_TOOLS): tools/mutants/package.json tools/mutants/package-lock.json $(NODE_PACKAGE)
	@npm ci --prefix tools/mutants
	@touch $@

mutants: $(INSTALLED) $(MUTANT_TOOLS) ## change the pure modules, list changes that no test notices (FILES=<all>)
	@$(RUN) tools/mutants/node_modules/@stryker-mutator/core/bin/stryker.js run tools/mutants/stryker.config.mjs $(if $(FILES),--mutate "$(FILES)")

simulate: $(INSTALLED) ## simulate nights in which something fails (NIGHTS=<60> SEED=<any> FAULTS=<1>)
	@$(RUN) test/simulate/main.ts

bench: $(INSTALLED) $(SITE) ## run the benchmarks, write docs/benchmarks.md (ROWS=1000000 ONLY=<all> PEERS=<all>)
	@$(RUN) tools/bench/main.ts

check: $(INSTALLED) $(SITE_PACKAGES) ## check lint rules, format and types
	@node_modules/.bin/biome check --error-on-warnings .
	@$(RUN) node_modules/typescript/bin/tsc --noEmit
	@$(RUN) node_modules/typescript/bin/tsc --noEmit -p site

format: $(INSTALLED) ## format the code and apply safe lint fixes
	@node_modules/.bin/biome check --write .

sbom: ## list the packages of the service, as CycloneDX, into sbom.cdx.json
	@npm sbom --package-lock-only --omit=dev --sbom-format=cyclonedx > sbom.cdx.json.next && mv sbom.cdx.json.next sbom.cdx.json
