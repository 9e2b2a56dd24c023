#!/usr/bin/env bash
# Runs all checks of the Rust client, like CI. `./check.sh compile` does what needs no test run, so that a later check finds
# it done. `./check.sh msrv` compiles the client with the oldest supported Rust instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

if ! command -v cargo >/dev/null; then
  echo 'SKIPPED: the checks of the Rust client need cargo, from https://rustup.rs' >&2
  case "${CI:-}" in '' | 0 | false) exit 0 ;; *) exit 1 ;; esac
fi

if [ "${1:-}" = msrv ]; then
  version=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
  CARGO_TARGET_DIR=target/msrv exec cargo "+$version.0" check --locked --all-targets --all-features
fi

cargo fmt --check
cargo clippy --locked --all-targets --all-features -- -D warnings
cargo clippy --locked --all-targets -- -D warnings
cargo test --locked --all-features --no-run
RUSTDOCFLAGS='-D warnings' cargo doc --locked --no-deps --all-features
[ "${1:-}" != compile ] || exit 0

cargo test --locked --all-features
# The same tests with the hosted service.
WES_LIVE_HOME=hosted cargo test --locked --all-features --test live
