#!/usr/bin/env bash
# Measures speed, allocations, memory and size beside the peers, prints the table and keeps it in benches/results.
#   bench.sh            the full run, some ten minutes: for an idle machine
#   bench.sh --quick    about a minute once built, to see that all of it runs; kept in target/bench only
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
usage_if_asked "$@"
cd "$root"
quick=
case ${1:-} in
  "") criterion=(--sample-size 100 --warm-up-time 1 --measurement-time 3) ;;
  --quick) quick=--quick criterion=(--sample-size 10 --warm-up-time 0.1 --measurement-time 0.2) ;;
  *) die "usage: bench.sh [--quick]" ;;
esac

ensure_rust
ensure_node
command -v npm >/dev/null || die "npm is missing (https://nodejs.org)"
ensure_host_build
cargo bench --no-run --bench core --bench allocations
# npm itself writes the file into node_modules
if [[ ! benches/node/node_modules/.package-lock.json -nt benches/node/package-lock.json ]]; then
  say "Installing the npm peers"
  npm ci --prefix benches/node --loglevel=error --ignore-scripts >&2
  touch benches/node/node_modules/.package-lock.json
fi

out=$target/bench
rm -rf "$out"; mkdir -p "$out"
export CRITERION_HOME=$out/criterion
library=$(setting package.file)

cpu=$(lscpu | sed -n 's/^Model name: *//p' | head -n 1)
system=$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)
{
  echo "* Machine: ${cpu:-unknown processor}, $(nproc) cores, $(uname -m), $system"
  echo "* $(rustc --version), Node $(node --version)"
  echo "* Load average as it began: $(cut -d' ' -f1 /proc/loadavg)"
} >"$out/machine.txt"

say "Allocations"
cargo bench --quiet --bench allocations | tee "$out/allocations.tsv" >&2
say "Core"
cargo bench --quiet --bench core -- --noplot "${criterion[@]}" | tee "$out/core.txt" >&2
say "Node-API"
node benches/node/bench.mjs $quick >"$out/node.json"
say "Article 004's run"
node benches/node/layers.mjs $quick >"$out/layers.json"
for abi in $(setting build.abis) host; do
  case $abi in host) file=$RESILIENCE_LIB name="host, $(uname -m) glibc" ;; *) file=$(setting build.dist)/$abi/$library name=$abi ;; esac
  [[ ! -e $file ]] || printf '%s\t%s\n' "$name" "$(stat -c %s "$file")"
done >"$out/sizes.tsv"

node benches/report.mjs "$out" >"$out/latest.md"
if [[ -z $quick ]]; then
  results=benches/results
  rm -rf $results; mkdir -p $results/raw
  cp "$out/latest.md" $results/
  cp "$out"/{allocations.tsv,core.txt,node.json,layers.json} $results/raw/
fi
cat "$out/latest.md"
