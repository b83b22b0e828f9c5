#!/usr/bin/env bash
# Ctrl-C and its like end test.sh and node-suite.sh at once, with all that they have started, and do not spoil the next run.
# shellcheck source=support.sh
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
repo=$work/repo
copy_of_repo "$repo"

# In place of the two builds, one of which test.sh runs beside other steps. `timeout` leaves the process group.
slow='sleep 600 & echo $! >>"$PIDS"; timeout 600 sleep 600 & echo $! >>"$PIDS"; echo $$ >>"$PIDS"; wait'
plant() { # COMMANDS
  for script in build-ohos build-host; do printf '#!/usr/bin/env bash\n%s\n' "$1" >"$repo/scripts/$script.sh"; done
  printf '#!/usr/bin/env bash\n' >"$repo/scripts/musl-node.sh"
}
gone() { # PID...
  local pid
  for pid; do [[ ! -e /proc/$pid || $(cut -d' ' -f3 "/proc/$pid/stat" 2>/dev/null) = Z ]] || return 1; done
}
within() { # SECONDS COMMAND...
  local end=$((SECONDS + $1)); shift
  until "$@"; do [[ $SECONDS -lt $end ]] || return 1; sleep 0.1; done
}
started() { [[ $(wc -l <"$PIDS") -ge $1 ]]; } # how many processes have told their number

# stop NAME PROCESSES SIGNAL CODE WHOM COMMAND...: starts the command, waits until so many of its processes run, sends the
# signal to the command alone or, as a terminal does, to its group
stop() {
  local name=$1 processes=$2 signal=$3 wanted=$4 whom=$5 result=0 code=0 pid; shift 5
  export PIDS=$work/pids; : >"$PIDS"
  set -m # a process group of its own
  env --default-signal=INT,TERM,HUP "$@" >"$work/output" 2>&1 &
  pid=$!
  set +m
  within 60 started "$processes" || result=1
  [[ $whom = group ]] && kill "-$signal" -- "-$pid" || kill "-$signal" "$pid"
  within 20 gone "$pid" || { result=1; kill -KILL -- "-$pid"; }
  wait "$pid" 2>/dev/null || code=$?
  [[ $code = "$wanted" ]] || result=1
  mapfile -t pids <"$PIDS"
  within 5 gone "${pids[@]}" || { result=1; kill -KILL "${pids[@]}" 2>/dev/null || true; }
  report "$result" "$name" "code $code; $(ps -o pid,args "${pids[@]}" 2>&1; cat "$work/output")"
}

both() { stop "$1" 6 "${@:2}" env -u CARGO_TARGET_DIR "$repo/scripts/test.sh" build-ohos build-host; }
plant "$slow"
both "Ctrl-C ends test.sh and what it runs" INT 130 group
both "so does an interrupt for itself alone" INT 130 process
both "so does TERM" TERM 143 process
both "so does a terminal that is closed" HUP 143 group
plant 'exit 0'
printf '#!/usr/bin/env bash\nuntil [[ -s target/test-logs/build-ohos.result ]]; do sleep 0.1; done\nscripts/test.sh lockfile >"$PIDS.second" 2>&1\n%s\n' "$slow" >"$repo/scripts/build-host.sh"
stop "a stopped run ends while one of its steps runs" 3 INT 130 group env -u CARGO_TARGET_DIR "$repo/scripts/test.sh" build-ohos build-host
expect "it has told of the step that had passed" 0 "ok       build-ohos " cat "$work/output"
expect "a second run beside it says so and ends" 0 "error: another test.sh runs in " cat "$PIDS.second"
expect "and counts it" 0 "until then 1 passed, 0 failed, 0 skipped" cat "$work/output"
plant 'mkdir -p dist; touch dist/index.d.ts'
expect "the next run works" 0 "2 passed, 0 failed, 0 skipped" env -u CARGO_TARGET_DIR "$repo/scripts/test.sh" build-ohos build-host
plant 'kill -KILL $PPID'
expect "a step that is killed has failed" 1 "0 passed, 2 failed, 0 skipped" env -u CARGO_TARGET_DIR "$repo/scripts/test.sh" build-ohos build-host

cat >"$work/suite.test.mjs" <<'END'
import { appendFileSync } from 'node:fs'
appendFileSync(process.env.PIDS, `${process.pid}\n`)
setTimeout(() => {}, 600_000)
END
ensure_host_build >&2 # cold it takes minutes
stop "Ctrl-C ends node-suite.sh and its suite" 1 INT 130 group "$root/scripts/node-suite.sh" HOST "$work/suite.test.mjs"

finish
