#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The test of layers.sh: it is silent on this tree, and finds each kind of violation planted in a copy.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
failed=0

"$top/tests/layers.sh" "$top" || { echo "the tree breaks its own order"; failed=1; }

# plant FILE INCLUDE: a copy of the tree's sources with that file more must be refused, for that line and nothing else.
(cd "$top" && cp -r include lib algorithms tools "$copy")
plant() {
  printf '/* planted */\n#include %s\n' "$2" >"$copy/$1"
  if said=$("$top/tests/layers.sh" "$copy"); then
    echo "not found: $1 includes $2"
    failed=1
  elif [ "$said" != "$1:2: may not include $2" ]; then
    echo "not said well: $1 includes $2: $said"
    failed=1
  fi
  rm "$copy/$1"
}

plant lib/base/planted.c '"lib/network/network.h"'
plant lib/round/planted.h '"lib/machine/machine.h"'
plant lib/machine/planted.c '"lib/trace/trace.h"'
plant lib/trace/planted.c '"algorithms/catalog.h"'
plant lib/trace/planted.c '"planted.h"'
plant lib/cost/planted.c '"lib/cost/../machine/machine.h"'
plant lib/round/planted.c '<pthread.h>'
plant lib/trace/planted.c '<urcu/wfcqueue.h>'
plant algorithms/scatter/planted.c '"lib/base/text.h"'
plant algorithms/scatter/planted.c '"../../lib/base/text.h"'
plant algorithms/scatter/planted.c '<pthread.h>'
plant tools/peal/planted.c '"lib/machine/machine.h"'
plant tools/peal/planted.c '<lib/machine/machine.h>'
plant tools/peal/planted.c '<urcu/wfcqueue.h>'
plant include/peal/planted.h '"lib/base/text.h"'
exit $failed
