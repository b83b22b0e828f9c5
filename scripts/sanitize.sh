#!/usr/bin/env bash
# Runs the Node-API suites on a build with AddressSanitizer and Rust's debug assertions: no process may have a memory error, and
# none that ends by itself may leave anything of this module behind that it can free (tests/sanitize/report.mjs names the rest).
#   sanitize.sh               all suites, some minutes
#   sanitize.sh --short       those with the most ends of calls and of Workers: what test.sh runs
#   sanitize.sh SUITE...      these: sanitize.sh tests/node/breaker.test.mjs
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
usage_if_asked "$@"
suites=("$@")
case ${1:-} in
  '') [[ $# = 0 ]] || die "usage: sanitize.sh [--short | SUITE...]" ;;
  --short)
    [[ $# = 1 ]] || die "usage: sanitize.sh [--short | SUITE...]"
    suites=("$root"/tests/node/{agent_places,article_004,bulkhead,cache,call,cancel,client,create_breaker,named,stream,thrown,user_functions}.test.mjs)
    suites+=("$root/tests/node/node-only/workers.test.mjs") ;;
  *) for suite; do [[ -f $suite ]] || die "usage: sanitize.sh [--short | SUITE...]; there is no suite $suite"; done ;;
esac
ensure_rust
ensure_node

out=$target/asan
reports=$out/reports
library=$(setting package.file)
mkdir -p "$out" # its name may not be libasan.so: AddressSanitizer takes that for a second one
# Rust brings the runtime as an archive for programs of its own. Node is none: it gets it as a library, loaded first.
archive=$(echo "$(rustc --print target-libdir)"/librustc-*_rt.asan.a)
[[ -e $archive ]] || skip "this Rust has no AddressSanitizer" "rustup toolchain install stable, on x86_64 or arm64 Linux with glibc"
if [[ ! $out/runtime.so -nt $archive ]]; then
  cp "$archive" "$out/archive.$$"
  ar d "$out/archive.$$" asan_preinit.cpp.o # of programs only
  gcc -shared -o "$out/runtime.$$" -Wl,--whole-archive "$out/archive.$$" -Wl,--no-whole-archive -lpthread -ldl -lm -lrt
  rm "$out/archive.$$"
  mv "$out/runtime.$$" "$out/runtime.so"
fi

# Only Node gets the runtime, and what it starts. Errors end the process; leaks are looked at afterwards.
cat >"$out/node" <<EOF
#!/usr/bin/env bash
export LD_PRELOAD='$out/runtime.so' RESILIENCE_REPORTS='$reports'
export ASAN_OPTIONS='log_path="$reports/report":symbolize=0:exitcode=0:abort_on_error=1:detect_stack_use_after_return=1:strict_init_order=1:check_initialization_order=1:quarantine_size_mb=64'
exec node --require '$root/tests/sanitize/end.cjs' "\$@"
EOF
chmod +x "$out/node"
rm -rf "$reports"
mkdir "$reports"
# Proof that leaks are looked for here: some containers forbid it, which ends the process.
if ! "$out/node" -e 0; then
  ! grep -qs "LeakSanitizer has encountered a fatal error" "$reports"/* || skip "leaks can't be looked for: ptrace is forbidden" "a container with --cap-add SYS_PTRACE"
  die "Node does not run with AddressSanitizer's runtime"
fi
rm -f "$reports"/*

if [[ -n ${RESILIENCE_SANITIZED:-} ]]; then # another library, for the test of this script
  cp "$RESILIENCE_SANITIZED" "$out/$library"
else
  # What is stable of rustc has no -Zsanitizer. The same code otherwise, but for what finds more or is only faster.
  host=$(rust_host)
  cdylib_package "$out/package"
  RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address -Cforce-frame-pointers=yes" CARGO_TARGET_DIR=$out/build \
    CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=line-tables-only \
    cargo build --lib --features napi --target "$host" --manifest-path "$out/package/Cargo.toml"
  cp "$out/build/$host/debug/$library" "$out/$library"
fi
"$root/scripts/build-host.sh" # its loader

code=0
"$root/scripts/node-suite.sh" ASAN ${suites[@]+"${suites[@]}"} || code=$?
node "$root/tests/sanitize/report.mjs" "$reports" "$out/$library" || code=1
exit $code
