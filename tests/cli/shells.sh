#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Let shell $2 read its completion script, printed by the command $1, without running it.  Skipped where there is none.
set -eu
command -v "$2" >/dev/null || { echo "$2 is not installed"; exit 77; }
script=$(mktemp)
trap 'rm -f "$script"' EXIT
"$1" completion "$2" >"$script"
"$2" -n "$script"
printf 'if true\n' >"$script"
! "$2" -n "$script" 2>/dev/null || { echo "$2 -n takes anything"; exit 1; }
