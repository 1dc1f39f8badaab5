#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Print what bash offers for the last of these words of a command line; "=" and ":" are words of their own.
source <(peal completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_peal
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
