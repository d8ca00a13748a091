# Two commands do everything: `make demo` and `make test`. Both install what is missing first.

CARGO := $(shell command -v cargo 2>/dev/null || echo $$HOME/.cargo/bin/cargo)
export PATH := $(HOME)/.cargo/bin:$(PATH)

.PHONY: demo test setup build check bench table

demo: build
	@echo
	target/release/labrys diff examples/turbine1.c || test $$? -eq 1

build: setup
	$(CARGO) build --release --workspace

setup:
	@scripts/setup.sh

# Tests share the release profile with `build`: heavy dependencies compile once.
test: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --workspace --no-deps --document-private-items
	$(CARGO) test --release --workspace

bench: setup
	$(CARGO) bench --workspace

table: build
	$(CARGO) xtask table diff
