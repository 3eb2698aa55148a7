# Needs Python 3.11 or newer, cargo and a C linker. All else is installed into .venv, pinned by hash.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --quiet
CARGO := cd engine && cargo

DEMO := $(VENV)/bin/iosonde run demo --quick --out demo/run
BENCH := $(PY) -m bench
# An installation compiles what it installs; a checkout is only compiled as it is used, and where PYTHONDONTWRITEBYTECODE
# is set for users of the command not even then: every start would pay for it.
COMPILE := $(PY) -m compileall -q src lab tests/stories

PACKAGES := $(VENV)/.stamp-packages
RELEASE := engine/target/.stamp-release
INSTALLED := $(VENV)/.stamp-installed

# Folders are listed as well: one is newer after a file was taken out of it.
ENGINE := engine/Cargo.toml engine/Cargo.lock $(wildcard engine/build.rs engine/.cargo/config.toml) \
          $(shell find engine/src -name '*.rs' -o -type d)

# Fuzzing, on the stable compiler: libFuzzer's counters are a pass of LLVM. The engine's own build is not touched.
SECONDS ?= 60
FUZZ_FLAGS := -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
              -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
              -Cllvm-args=-sanitizer-coverage-trace-compares
FUZZ_TARGET := $(shell rustc -vV 2>/dev/null | sed -n 's/^host: //p')
FUZZER := fuzz/target/$(FUZZ_TARGET)/release/session
# An input has so long, and the process so much memory, before it is a finding.
FUZZ_BOUNDS := -timeout=25 -rss_limit_mb=1536 -max_len=16384

# What is set for another environment or another build must not reach this one.
unexport PYTHONPATH PYTHONHOME PYTHONSAFEPATH VIRTUAL_ENV PIP_TARGET PIP_PREFIX PIP_USER PIP_REQUIRE_VIRTUALENV
unexport SETUPTOOLS_RUST_CARGO_PROFILE CARGO_BUILD_TARGET
# pytest keeps test files with rewritten assertions; rewriting them all takes each worker a quarter of a minute.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo test enginetests faultfs lint format wheel bench lab hangs verify memcheck same-reports fuzz schema docs lock clean
.DELETE_ON_ERROR:

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(PACKAGES): requirements/dev.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@

# The installation of the package reuses this build.
$(RELEASE): $(ENGINE)
	@command -v cargo >/dev/null || { echo "cargo is needed: https://rustup.rs" >&2; exit 1; }
	$(CARGO) build --release --locked --quiet
	@mkdir -p $(dir $@) && touch $@

# The engine is always the release build, in .venv/bin beside the command.
$(INSTALLED): $(PACKAGES) $(RELEASE) pyproject.toml src/iosonde/__init__.py
	$(PIP) install --no-build-isolation --no-deps --editable .
	@$(COMPILE)
	@touch $@

# pip uses one CPU for a minute, and the optimised build of the engine another.
setup: ## make .venv, with the iosonde command and a release engine in it
	@$(MAKE) --no-print-directory -q $(INSTALLED) || $(MAKE) --no-print-directory -j2 $(INSTALLED)

demo: setup ## measure a file in demo/ and write a report
	rm -rf demo/run
	mkdir -p demo
	$(DEMO)

faultfs: ## build the file system that goes wrong, for tests of root
	cd tests/faultfs && cargo build --locked

enginetests: ## run the tests of the engine
	$(CARGO) test --locked

# The engine tests are compiled and run during the installation. Only root can mount the file system of faultfs.
test: ## run the tests of engine and front (LONG=1: also those that take long)
	@$(MAKE) --no-print-directory -j3 $(INSTALLED) enginetests $(if $(filter 0,$(shell id -u)),faultfs)
	$(PY) -m pytest -ra -n 3 --dist loadfile --no-loadscope-reorder $(if $(LONG),--long)

lint: setup ## check format, style, types and layers
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-logo --no-cache
	$(CARGO) fmt --check
	$(CARGO) clippy --all-targets --locked -- -D warnings
	cd fuzz && cargo fmt --check
	cd fuzz && cargo clippy --release --locked -- -D warnings
	cd tests/faultfs && cargo fmt --check
	cd tests/faultfs && cargo clippy --locked -- -D warnings

format: setup ## put all code into its format
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix-only .
	$(CARGO) fmt
	cd fuzz && cargo fmt
	cd tests/faultfs && cargo fmt

wheel: setup ## build sdist, and the wheel from it, and try that in an empty environment
	rm -rf dist
	$(PY) -m build --no-isolation
	$(PY) -m tools.check_wheel

bench: setup ## compare with other tools
	@$(COMPILE)
	$(BENCH)

lab: setup ## check what needs NUMA nodes, NVMe drives or a known latency, on emulated machines (CHECKS=numa for one)
	@$(COMPILE)
	@# The tests of the engine that a guest runs, built while no guest is there to wait for them.
	$(CARGO) test --locked --no-run --test passthrough
	$(PY) -m lab $(CHECKS)

hangs: setup faultfs ## play targets that stop answering, as root: a table of where, when and how each ends
	$(PY) -m lab.hangs

verify: setup ## compare with what is known: models and their sources, queues and closed forms (LONG=--long for an hour)
	$(PY) -m verify $(LONG)

memcheck: setup ## run the engine's tests under Valgrind's memcheck (needs valgrind)
	$(PY) -m tools.memcheck

same-reports: setup ## compare reports of kept runs with those of an older commit (BEFORE=COMMIT)
	$(PY) -m tools.same_reports $(BEFORE)

fuzz: ## throw bytes at the engine's protocol for a while (SECONDS=60; needs a C++ compiler); findings land in fuzz/findings/
	cd fuzz && RUSTFLAGS="$(FUZZ_FLAGS)" cargo build --release --locked --features linked --target $(FUZZ_TARGET)
	mkdir -p fuzz/grown fuzz/findings
	$(FUZZER) $(FUZZ_BOUNDS) -max_total_time=$(SECONDS) -artifact_prefix=fuzz/findings/ -print_final_stats=1 \
		fuzz/grown fuzz/corpus

schema: setup ## write docs/*.schema.json from the code
	$(PY) -m tools.write_schema

docs: schema ## write docs/reference/, docs/man/, docs/models/, docs/glossary.md and the schemas
	$(PY) -m tools.write_reference

lock: $(PACKAGES) ## make requirements/ anew from pyproject.toml (UPGRADE=--upgrade for newer versions)
	$(PY) -m tools.lock $(UPGRADE)

clean: ## remove all that make made
	rm -rf $(VENV) build dist demo engine/target fuzz/target fuzz/grown tests/faultfs/target src/*.egg-info .*_cache .hypothesis
