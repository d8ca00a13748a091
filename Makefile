# Two commands do everything: `make demo` and `make test`. Both install what is missing first.

# Where rustup puts cargo, for shells that have not read its environment yet.
export PATH := $(or $(CARGO_HOME),$(HOME)/.cargo)/bin:$(PATH)

.PHONY: demo test setup build bench table

# The demonstration finds differences: labrys exits with 1.
demo: build
	target/release/labrys diff examples/turbine1.c || test $$? -eq 1

# The whole workspace, as in `test`: with fewer packages cargo would choose other features and compile dependencies twice.
build: setup
	cargo build --release --workspace

setup:
	@scripts/setup.sh

# Everything is in the release profile, so that heavy dependencies compile once.
test: setup
	cargo fmt --all --check
	cargo clippy --release --workspace --all-targets -- -D warnings
	cargo clippy --release --package labrys-native --all-targets --features portable -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps
	cargo test --release --workspace --no-fail-fast
	scripts/test-python.sh

bench: setup
	cargo bench --workspace

table: build
	cargo xtask table diff
