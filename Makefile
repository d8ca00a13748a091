# Two commands do everything: `make demo` and `make test`. Both install what is missing first.

# Where rustup puts cargo, for shells that have not read its environment yet.
export PATH := $(or $(CARGO_HOME),$(HOME)/.cargo)/bin:$(PATH)

.PHONY: demo test setup build deb bench table

# The demonstration finds differences: labrys exits with 1.
demo: build
	target/release/labrys diff examples/turbine1.c || test $$? -eq 1

# The whole workspace, as in `test`: with fewer packages cargo would choose other features and compile dependencies twice.
build: setup
	cargo build --release --workspace

setup:
	@scripts/setup.sh

# What it does, part by part, with the time of each at its end: scripts/test.sh.
test:
	@scripts/setup.sh tests
	@scripts/test.sh

deb: setup
	@scripts/package/build.sh

bench: setup
	cargo bench --workspace

table: build
	cargo xtask table diff
