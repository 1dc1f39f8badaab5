#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Print what bash offers for the last of these words of a command line.
source "${BASH_SOURCE%/*}/../../tools/completion/peal.bash"
COMP_LINE=$* COMP_POINT=${#COMP_LINE}
_peal "$1" "${!##*[=:]}"
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
