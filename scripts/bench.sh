#!/usr/bin/env bash
# Measures speed, allocations, memory and size beside the peers and prints the table.
#   bench.sh            the full run, 20 minutes, for an idle machine; kept in benches/results, its figures written into the READMEs
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
[[ -n $quick ]] || scripts/build-ohos.sh --dist # for its size
cargo bench --no-run --bench core --bench allocations
# npm itself writes the file into node_modules
if [[ ! benches/node/node_modules/.package-lock.json -nt benches/node/package-lock.json ]]; then
  say "Installing the npm peers"
  npm ci --prefix benches/node --loglevel=error --ignore-scripts >&2
  touch benches/node/node_modules/.package-lock.json
fi

out=$target/bench
raw=$out/raw
rm -rf "$out"; mkdir -p "$raw"
export CRITERION_HOME=$out/criterion
library=$(setting package.file)

cpu=$(lscpu | sed -n 's/^Model name: *//p' | head -n 1)
system=$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)
{
  echo "* Machine: ${cpu:-unknown processor}, $(nproc) cores, $(uname -m), $system"
  echo "* $(rustc --version), Node $(node --version)"
  echo "* Load average as it began: $(cut -d' ' -f1 /proc/loadavg)"
} >"$raw/machine.txt"

say "Allocations"
cargo bench --quiet --bench allocations | tee "$out/allocations.tsv" >&2
say "Core"
cargo bench --quiet --bench core -- --noplot "${criterion[@]}" >&2
node benches/core.mjs "$out" >"$raw/core.json"
say "Node-API"
node benches/node/bench.mjs $quick >"$raw/node.json"
say "Article 004's run"
node benches/node/layers.mjs $quick >"$raw/layers.json"
for abi in $(setting build.abis) host; do
  case $abi in host) file=$RESILIENCE_LIB name="host, $(uname -m) glibc" ;; *) file=$(setting build.dist)/$abi/$library name=$abi ;; esac
  [[ ! -e $file ]] || printf '"%s": %s\n' "$name" "$(stat -c %s "$file")"
done | paste -sd, | sed 's/.*/{&}/' >"$raw/files.json"

node benches/report.mjs "$raw" >"$out/latest.md"
if [[ -z $quick ]]; then
  results=benches/results
  rm -rf $results; mkdir -p $results
  cp -r "$out/latest.md" "$raw" $results/
  node benches/readme.mjs $results/raw README.md README.zh-CN.md
fi
cat "$out/latest.md"
