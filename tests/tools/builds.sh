#!/bin/sh
# SPDX-License-Identifier: MIT
# The trees that tools/quickstart and tools/bench build have all that the engine mpi loads when it runs: builds.sh TOP BUILD LIBRARY...
top=$1 build=$2 status=0
shift 2
[ $# -gt 0 ] || { echo "skipped: built without MPI"; exit 77; }
for script in quickstart bench; do
  target=$(sed -n 's/.*ninja -C "$build" \([a-z][a-z]*\).*/\1/p' "$top/tools/$script" | sort -u)
  made=$(ninja -C "$build" -t query "$target") || { echo "tools/$script builds '$target', which is not a target"; exit 1; }
  for library; do
    echo "$made" | grep -q "/${library##*/}\$" && continue
    echo "tools/$script builds $target, without $library"
    status=1
  done
done
exit $status
