#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# kinds_kept.sh KINDS: kinds.py --update keeps what it has where a Peal finds nothing, says so, and refuses a build that lacks parts.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/kinds" "$folder/tools"
cp "$1"/leak* "$folder/kinds"
ln -s "$(type -P true)" "$folder/tools/peal"

# Update, and print the exit code, and what is said of the words or the build.
update() {
  local status=0
  python3 "$here/kinds.py" "$folder/tools/peal" "$folder/kinds" --update >"$folder/said" 2>&1 || status=$?
  echo "$status $(sed -n 's/^.*\(are kept: expected leak\|is not built whole\).*/\1/p' "$folder/said" | paste -sd ,)"
}

came=$(update)
printf 'rule make\n  command = touch $out\nbuild command: make\n' >"$folder/build.ninja"
came+=$'\n'$(update)
diff <(printf '%s\n' '1 are kept: expected leak,are kept: expected leak' '2 is not built whole') <(echo "$came")
for file in "$folder"/kinds/*; do cmp "$file" "$1/${file##*/}"; done
