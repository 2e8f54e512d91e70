# Vendemmia: everything a newcomer or CI runs. `make help` lists it.

GO      ?= go
BIN     := bin
SOURCES := $(shell find . -name '*.go' -not -path './tools/*' -not -path './deployments/*') go.mod go.sum
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -X github.com/vendemmia/vendemmia/app.version=$(VERSION)

.DEFAULT_GOAL := help
.PHONY: help demo build temporal test check fmt bench soak fuzz race clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## everything at once on this machine, a killed worker included; ARGS=--once ends by itself
	@GO="$(GO)" scripts/demo $(ARGS)

build: $(BIN)/starter $(BIN)/worker ## build bin/starter and bin/worker

$(BIN)/starter $(BIN)/worker: $(SOURCES)
	@mkdir -p $(BIN)
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/$(@F) ./cmd/$(@F)

temporal: ## have a Temporal CLI: the one on PATH, else built once (about 3 minutes)
	@GO="$(GO)" scripts/temporal

test: temporal ## unit, workflow, replay, store and end-to-end tests (under ten minutes)
	CGO_ENABLED=0 $(GO) test -timeout 10m ./...

check: $(BIN)/gofumpt $(BIN)/staticcheck $(BIN)/workflowcheck ## format, vet, staticcheck, workflowcheck, tidy
	@out=$$($(BIN)/gofumpt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not gofumpt-formatted (make fmt):"; echo "$$out"; exit 1; fi
	$(GO) vet ./...
	$(BIN)/staticcheck ./...
	$(BIN)/workflowcheck -config workflowcheck.yaml ./workflows/...
	$(GO) mod tidy -diff
	$(GO) -C tools mod tidy -diff
	$(GO) -C internal/bench/peers mod tidy -diff
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

soak: build temporal ## the long tests: twenty kills of a worker, of the server, of PostgreSQL; memory under hostile feeds
	VENDEMMIA_SOAK=1 $(GO) test -count=1 -timeout 60m -v -run 'TestSoak' ./internal/e2e/... ./fetchers/...

RACED := ./internal/polite ./activities ./store ./app ./workflows
race: temporal ## the packages that share memory, under the race detector (needs gcc)
	CGO_ENABLED=1 $(GO) test -race -timeout 30m $(RACED)

FUZZTIME ?= 20s
fuzz: ## run every fuzz target for FUZZTIME
	@for p in $$($(GO) list ./...); do for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
		echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$p || exit 1; done; done

clean: ## remove what was built; the data in .vendemmia stays
	rm -rf $(BIN)
