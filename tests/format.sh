#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Check that no line of C is wider than 120 columns, and that clang-format has nothing to change; algorithms/ and the
# programs that tests show are aligned by hand (.clang-format there).  One version decides, since versions differ:
# clang-format-14.
set -u
export LC_ALL=C.UTF-8 # columns are characters
cd "$(dirname "$0")/.." || exit 2

# what is expected of an MPI program is one line of its test, however long: /* error: TEXT */
wide=$(find include lib algorithms mpi tools bench tests assignments -name '*.[ch]' -not -path '*/node_modules/*' \
  -exec grep -nHE '^.{121}' {} + | grep -vE '^tests/mpi_calls/[^:]*:[0-9]+:/\* [a-z]+: ')
[ -z "$wide" ] || { echo "wider than 120 columns:"; echo "$wide"; exit 1; }

command -v clang-format-14 >/dev/null || { echo "clang-format-14 is not installed"; exit 77; }
find include lib mpi tools bench tests -name '*.[ch]' -not -path '*/node_modules/*' -print0 |
  xargs -0 -P 2 -n 40 clang-format-14 --dry-run -Werror
