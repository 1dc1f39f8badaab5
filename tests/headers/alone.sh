#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Check that what follows compiles with nothing before it, twice over, without a warning.
#   tests/headers/alone.sh c17|c++17 INCLUDE-FOLDER HEADER|FILE.c
set -u
case $1 in
  c*+*) language=c++ compiler=${CXX:-c++} ;;
  *) language=c compiler=${CC:-cc} ;;
esac
command -v "${compiler%% *}" >/dev/null || { echo "no $language compiler"; exit 77; }
# shellcheck disable=SC2086 # CC may have arguments
printf '#include "%s"\n#include "%s"\n' "$3" "$3" |
  $compiler -x $language -std="$1" -pedantic -Wall -Wextra -Werror -fsyntax-only -I "$2" -
