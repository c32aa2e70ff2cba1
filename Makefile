# Fieldlift. "make" lists what can be made.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

export CGO_ENABLED := 0
# Without this tag the HEIC decoder links against the system's C library, to use its libheif if there is one.
export GOFLAGS += -tags=nodynamic

GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.14.0
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
FUZZTIME := 20s
BENCHTIME := 3s

.PHONY: help run test race lint vuln fuzz bench screenshots eval build docker setup-run setup-test clean

help: ## List what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | expand -t 13

run: setup-run build ## Start the service on its embedded default and print how to use it
	./bin/fieldlift serve

test: setup-test ## Run all tests; sets up PostgreSQL and Chromium first
	go vet ./...
	go test -timeout 15m ./...

race: setup-test ## Run all tests under the race detector
	CGO_ENABLED=1 go test -race -timeout 30m ./...

lint: ## Check style and common mistakes
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt would change: $$unformatted"; exit 1; fi
	go run $(GOLANGCI_LINT) run --build-tags nodynamic ./...

vuln: ## Look for known vulnerabilities in what we build on
	go run $(GOVULNCHECK) ./...

fuzz: ## Run each fuzz target for FUZZTIME (20s)
	@for package in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
			echo "== $$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x $$package; \
		done; \
	done

bench: setup-test ## Measure, side by side with a reference
	go test -run '^$$' -bench . -benchtime $(BENCHTIME) ./...

screenshots: setup-test ## Draw the pictures of the documentation
	mkdir -p docs/images
	go test ./internal/dashboard -count 1 -run TestScreenshots -screenshots $(CURDIR)/docs/images \
		-shown document-light-1280,extractions-light-1280,usage-dark-1280

eval: setup-run build ## Measure the recognition of text beside plain tesseract
	./bin/fieldlift eval --ocr

build: ## Build bin/fieldlift
	go build -trimpath -ldflags '-s -w' -o bin/fieldlift ./cmd/fieldlift

docker: ## Build the container image fieldlift
	docker build -t fieldlift .

setup-run:
	@tools/setup tesseract
	@tools/models || echo "Going on without a second look at scans; tools/models can be tried again."

setup-test:
	@tools/setup tesseract postgres chromium
	@tools/models || echo "The tests of the second look at scans will be skipped."

clean: ## Remove what was built (not the data)
	rm -rf bin
