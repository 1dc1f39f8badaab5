#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Make a tree as tools/quickstart makes it: with the files of BUILD that the target `command` consists of or is made of, those
# that meson's set-up writes, and nothing else: command_tree.sh BUILD TREE.  TREE, a new folder below BUILD, has hard links.
set -eu
build=$1 tree=$2
cd "$build"
{ ninja -t query command && ninja -t inputs command; } >"$tree/made" || { echo "'command' is not a target"; exit 1; }
sed 's/^[ |]*//' "$tree/made" | grep -vE '^(/|\.\.)' | sort -u | while read -r file; do
  [ ! -f "$file" ] || cp -al --parents "$file" "$tree"
done
rm "$tree/made"
find libpeal.so* lib mpi -type l -name '*.so*' -exec cp -a --parents {} "$tree" \;
sed "s|$build|$tree|g" tools/pealcc >"$tree/tools/pealcc"
chmod +x "$tree/tools/pealcc"
