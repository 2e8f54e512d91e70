# Vendemmia: everything a newcomer or CI runs. `make help` lists it.

GO      ?= go
BIN     := bin
SOURCES := $(shell find . -name '*.go' -not -path './tools/*' -not -path './deployments/*') go.mod go.sum
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X github.com/vendemmia/vendemmia/internal/process.version=$(VERSION)

.DEFAULT_GOAL := help
.PHONY: help demo build temporal temporal-server production e2e-production test check fmt bench soak fuzz race histories packages release monitoring image compose manifests clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## everything at once on this machine, a killed worker included; ARGS=--once ends by itself
	@GO="$(GO)" scripts/demo $(ARGS)

build: $(BIN)/starter $(BIN)/worker $(BIN)/vendemmia ## build bin/starter and bin/worker, and bin/vendemmia with both

$(BIN)/starter $(BIN)/worker $(BIN)/vendemmia: $(SOURCES)
	@mkdir -p $(BIN)
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/$(@F) ./cmd/$(@F)

temporal: ## have a Temporal CLI: the one on PATH, else built once (about 3 minutes)
	@GO="$(GO)" scripts/temporal

temporal-server: ## have Temporal's production server, its SQL tool and its Web UI in bin/: built once, several minutes
	@GO="$(GO)" scripts/temporal-server

production: ## the demo and the kill tests on PostgreSQL and Temporal's production server; ARGS=--once ends by itself
	@GO="$(GO)" scripts/production $(ARGS)

e2e-production: ## the end-to-end tests on PostgreSQL and Temporal's production server
	@GO="$(GO)" scripts/e2e-production

test: temporal ## unit, workflow, replay, store and end-to-end tests (under ten minutes)
	CGO_ENABLED=0 $(GO) test -timeout 10m ./...

check: $(BIN)/gofumpt $(BIN)/staticcheck $(BIN)/workflowcheck ## format, vet, staticcheck, workflowcheck, tidy
	@out=$$($(BIN)/gofumpt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not gofumpt-formatted (make fmt):"; echo "$$out"; exit 1; fi
	$(GO) vet ./...
	$(BIN)/staticcheck ./...
	$(BIN)/workflowcheck -config workflowcheck.yaml ./workflows/...
	$(GO) mod tidy -diff
	$(GO) -C tools mod tidy -diff
	$(GO) -C deployments/packages mod tidy -diff
	$(GO) -C internal/testkit/bench/peers mod tidy -diff
	@echo check: clean

fmt: $(BIN)/gofumpt ## format the code
	$(BIN)/gofumpt -w $$(git ls-files '*.go')

$(BIN)/gofumpt $(BIN)/staticcheck $(BIN)/workflowcheck: tools/go.mod
	@mkdir -p $(BIN)
	$(GO) build -C tools -o ../$(BIN)/gofumpt mvdan.cc/gofumpt
	$(GO) build -C tools -o ../$(BIN)/staticcheck honnef.co/go/tools/cmd/staticcheck
	$(GO) build -C tools -o ../$(BIN)/workflowcheck go.temporal.io/sdk/contrib/tools/workflowcheck

bench: build temporal ## the benchmarks of docs/benchmarks.md, as one table
	@GO="$(GO)" scripts/bench

soak: build temporal ## the long tests: kills, attacks, flipped bits, a full disk, retention, hostile feeds (about two hours)
	VENDEMMIA_SOAK=1 $(GO) test -count=1 -p 1 -timeout 150m -v -run 'TestSoak' ./internal/testkit/e2e/... ./fetchers/... ./store
	@GO="$(GO)" scripts/e2e-production

RACED := ./internal/polite ./activities ./store ./app ./internal/worker ./workflows
race: temporal ## the packages that share memory, under the race detector (needs gcc)
	CGO_ENABLED=1 $(GO) test -race -timeout 30m $(RACED)

FUZZTIME ?= 20s
fuzz: ## run every fuzz target for FUZZTIME
	@for p in $$($(GO) list ./...); do for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
		echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$p || exit 1; done; done

histories: ## record the histories of a release for the replay tests: VERSION=0.1.0, COMMIT=v0.1.0 (else HEAD)
	@GO="$(GO)" scripts/histories "$(VERSION)" $(COMMIT)

packages: build $(BIN)/nfpm ## packages for Debian and Red Hat in dist/, installed and removed once for trial
	deployments/packages/build deb
	deployments/packages/build rpm
	deployments/packages/try

release: $(BIN)/nfpm $(BIN)/cyclonedx-gomod ## all files of a release in dist/release; VERSION=0.1.0, PLATFORMS="linux/amd64 …", AGAIN=1 builds twice
	@GO="$(GO)" scripts/release

$(BIN)/nfpm: deployments/packages/go.mod
	$(GO) build -C deployments/packages -o ../../$(BIN)/nfpm github.com/goreleaser/nfpm/v2/cmd/nfpm

$(BIN)/cyclonedx-gomod: deployments/packages/go.mod
	$(GO) build -C deployments/packages -o ../../$(BIN)/cyclonedx-gomod github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod

PROMTOOL ?= promtool
monitoring: ## check alert rules and when they fire with promtool (Debian: package prometheus)
	cd deployments/monitoring && $(PROMTOOL) check rules alerts.yaml
	cd deployments/monitoring && $(PROMTOOL) test rules alerts_test.yaml
	cd deployments/monitoring && $(PROMTOOL) check config prometheus.yaml

image: temporal ## a container image in dist/, without Docker: built twice, unpacked and run for trial; ARCH="amd64 arm64"
	@GO="$(GO)" deployments/image/build $(ARCH)
	@deployments/image/try dist/vendemmia-image-$$($(GO) env GOARCH).tar

compose: ## check the Compose file with Compose's own library, without Docker
	@GO="$(GO)" deployments/compose/check

manifests: ## render and validate the files for Kubernetes, without a cluster
	@GO="$(GO)" deployments/kubernetes/check

clean: ## remove what was built; the data in .vendemmia stays
	rm -rf $(BIN) dist
