#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Check that each header compiles with nothing before it, twice over, without a warning.
#   tests/headers/alone.sh c17|c++11|c++17|c++20|c++23 INCLUDE-FOLDER HEADER|FILE.c [FOLDER]   which it includes from, too
set -u
case $1 in
  c*+*) language=c++ compiler=${CXX:-c++} ;;
  *) language=c compiler=${CC:-cc} ;;
esac
command -v "${compiler%% *}" >/dev/null || { echo "no $language compiler"; exit 77; }
standard=$1
# An older compiler calls the standard that was to come by another name.
# shellcheck disable=SC2086 # CC may have arguments
if [ "$standard" = c++23 ] && ! $compiler -x c++ -std=c++23 -fsyntax-only /dev/null 2>/dev/null; then standard=c++2b; fi
# shellcheck disable=SC2086 # CC may have arguments
printf '#include "%s"\n#include "%s"\n' "$3" "$3" |
  $compiler -x $language -std="$standard" -pedantic -Wall -Wextra -Werror -fsyntax-only -I "$2" ${4:+-I "$4"} -
