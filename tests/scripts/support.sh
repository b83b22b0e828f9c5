# Shared by the tests of the scripts (source it): lib.sh, a folder `work` for the test's files, and a count of what passed.
# shellcheck shell=bash
# shellcheck source=../../scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

report() { # RESULT NAME OUTPUT: the output is shown when the result is not 0
  if [[ $1 = 0 ]]; then passed=$((passed + 1)); echo "ok      $2"
  else failed=$((failed + 1)); echo "not ok  $2"; sed 's/^/    /' <<<"$3"
  fi
}

# expect NAME CODE TEXT COMMAND...: the command ends with this code, and the text is in its output
expect() {
  local name=$1 code=$2 text=$3 output result=0; shift 3
  output=$("$@" 2>&1) || result=$?
  [[ $result = "$code" && $output = *"$text"* ]] && result=0 || result=1
  report "$result" "$name" "$output"
}

# copy_of_repo FOLDER: what the scripts need to find themselves at home there
copy_of_repo() { mkdir -p "$1"; cp -r "$root/scripts" "$root/ohrs.toml" "$root/Cargo.toml" "$1/"; }

finish() {
  echo "$passed passed, $failed failed"
  [[ $failed = 0 ]]
}
