# Makes the index.d.ts of ohrs 1.5.0 the same for the same source: it writes classes in a random order (a hash map's), so
# they are sorted by name here, after everything else. The stars of its doc comments are moved under each other.

# A constant enum has no object of its own and can't be used file by file (isolatedModules); ours has one.
{ sub(/^export declare const enum /, "export declare enum ") }

# The doc comments of an enum that a macro_rules! made come as raw string literals.
{ sub(/\/\*\* r" /, "/** ") }

/^ +\*/ && match($0, /\*/) % 2 == 1 { sub(/^ /, "") } # "/**" stands at an even column, its stars belong one further

# a declaration: its doc comment, its line with `export`, its body up to a "}" that stands first
/^(\/\*\*|export )/ && !open { open = 1; block = ""; class = "" }
!open { print; next }
{ block = block $0 "\n" }
/^export declare class / { class = $4 }
/^export / { body = /{$/ }
/^export / && !body || /^}/ { body = 0 }
/^$/ && !body && block ~ /(^|\n)export / { close_block() }
END {
  if (open) close_block()
  for (i = 2; i <= classes; i++) # insertion sort
    for (j = i; j > 1 && name[j - 1] > name[j]; j--) swap(j - 1, j)
  sub(/\n\n$/, "\n", text[classes])
  for (i = 1; i <= classes; i++) printf "%s", text[i]
}

function close_block() {
  sub(/\n*$/, "\n\n", block)
  # without one, `new` would be allowed
  if (class != "" && block !~ /constructor\(/) sub(/\nexport declare class [A-Za-z]+ {\n/, "&  private constructor()\n", block)
  if (class == "") printf "%s", block
  else { name[++classes] = class; text[classes] = block }
  open = 0
}
function swap(a, b,  t) {
  t = name[a]; name[a] = name[b]; name[b] = t
  t = text[a]; text[a] = text[b]; text[b] = t
}
