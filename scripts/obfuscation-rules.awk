# Makes of index.d.ts the rules that keep the names of the module whole: native code looks for a property by its name, and
# an app whose obfuscation renames it gets undefined.
# Also takes Rust files: what stands there as c"name" are properties of the app's own objects, its errors first of all.

FILENAME ~ /\.rs$/ {
  while (match($0, /c"[A-Za-z_]+"/)) {
    property[substr($0, RSTART + 2, RLENGTH - 3)]
    $0 = substr($0, RSTART + RLENGTH)
  }
  next
}
/^export / && match($0, /(class|function|enum|const) [A-Za-z0-9_]+/) { split(substr($0, RSTART, RLENGTH), word, " "); global[word[2]] }
/^  [A-Za-z]/ {
  sub(/^  ((private|static|readonly|get) )*/, "")
  match($0, /^[A-Za-z0-9_]+/)
  name = substr($0, 1, RLENGTH)
  if (name != "constructor") property[name]
}
END {
  print "# Names that cross the border to the native module; scripts/build-ohos.sh writes this file."
  print "-keep-global-name"
  fflush()
  for (name in global) print name | "sort"
  close("sort")
  print "-keep-property-name"
  fflush()
  for (name in property) print name | "sort"
}
