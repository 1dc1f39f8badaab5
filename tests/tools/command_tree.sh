#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# In a tree with nothing but the files that tools/quickstart builds, MPI programs compile and run: command_tree.sh TOP BUILD.
# The tree has the files of BUILD that the target is made of, and those that meson's set-up writes.
set -u
top=$1 build=$2 wrong=0
tree=$(mktemp -d "$build/command-XXXXXX")
trap 'rm -rf "$tree"' EXIT
target=$(sed -n 's/.*ninja -C "$build" \([a-z]*\).*/\1/p' "$top/tools/quickstart")

cd "$build" || exit 1
ninja -t query "$target" >"$tree/made" && ninja -t inputs "$target" >>"$tree/made" ||
  { echo "tools/quickstart builds '$target', which is not a target"; exit 1; }
sed 's/^[ |]*//' "$tree/made" | grep -vE '^(/|\.\.)' | sort -u | while read -r file; do
  [ ! -f "$file" ] || cp -al --parents "$file" "$tree"
done
find libpeal.so* lib mpi tools -type l -name '*.so*' -exec cp -a --parents {} "$tree" \;
sed "s|$build|$tree|g" tools/pealcc >"$tree/tools/pealcc" && chmod +x "$tree/tools/pealcc"

unset LD_LIBRARY_PATH # where meson says that the libraries are
cd "$tree" || exit 1
cat >ring.c <<'END'
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, from;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &from, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("%d\n", from);
    MPI_Finalize();
    return 0;
}
END
for watch in '' --watch; do
  # shellcheck disable=SC2086 # an option or none
  found=$(tools/pealcc $watch ring.c -o ring 2>&1 && PEAL_INCLUDE=$top/include tools/pealrun -q -n 3 ring 2>&1)
  [ "$found" = 2 ] || { printf 'pealcc %s, expected 2, got:\n%s\n' "$watch" "$found"; wrong=1; }
  ldd ring | grep -q "$tree/mpi/libpealmpi.so" || { echo "ring is not linked with the tree's library"; wrong=1; }
done
exit $wrong
