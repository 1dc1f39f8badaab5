#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Check that clang-format has nothing to change; algorithms/ and the programs that tests show are aligned by hand
# (.clang-format there).  One version decides, since versions differ: clang-format-14.
set -u
cd "$(dirname "$0")/.." || exit 2
command -v clang-format-14 >/dev/null || { echo "clang-format-14 is not installed"; exit 77; }
find include lib tools bench tests -name '*.[ch]' -not -path '*/node_modules/*' -print0 |
  xargs -0 -P 2 -n 40 clang-format-14 --dry-run -Werror
