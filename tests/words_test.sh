#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The test of words.py: it is silent on this tree, finds what is planted in files, and nothing where none is.
set -u
words=$(cd "$(dirname "$0")" && pwd)/words.py
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
failed=0

"$words" || failed=1

# What a newcomer reads stays short.
while read -r most file; do
  count=$(wc -w <"${words%/*}/../$file")
  [ "$count" -le "$most" ] || { echo "$file has $count words: at most $most"; failed=1; }
done <<'END'
1500 README.md
1800 lib/README.md
END

# plant TEXT FOUND: a file with this text, in which this is found, or nothing.
plant() {
  printf '%b\n' "$1" >"$copy/planted.c"
  said=$("$words" "$copy/planted.c")
  case $said in
  *"${2:-}"*) [ -n "${2:-}" ] || [ -z "$said" ] || { echo "found in what is right: $said"; failed=1; } ;;
  *) echo "expected '$2' to be found in: $1, got: $said"; failed=1 ;;
  esac
}

plant '/* Whether P is no power of two. */' "'is no power'"
plant '/* These are no\n * nodes. */' "'are no * nodes.'"
plant '/* Refuse. */\nrefuse("8 nodes are no "\n       "square");' "'are no \" \"square"
plant '/* The same of one node. */' "'/* The same'"
plant '/* At first.\n\n The data is made up, one a core, and no end in sight. */' "'no end in sight'"
plant '/* Into a pipe of Peal'\''s. */' "'a pipe of Peal's'"
plant 'int x;' 'no head'
plant '/* SPDX-License-Identifier: MIT */\nint x;' 'no head'
plant '/* One,\n * two,\n * three,\n * four,\n * five,\n * six. */' 'the head has 6 lines'
plant '/* One,\n * two,\n * three,\n * four,\n * five. */'
plant '/* There is no room; P is no longer 3, and the rounds are no more than 2; not made, up to 3. */'
plant '/* A head. The same word is sent twice; a node of Peal'\''s machine. */'
exit $failed
