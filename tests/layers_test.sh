#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The test of layers.sh: it is silent on this tree, and finds each kind of violation planted in a copy.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
failed=0

"$top/tests/layers.sh" "$top" || { echo "the tree breaks its own order"; failed=1; }

# lib/README.md lists the layers in their order, each with a sentence, and all folders of lib/.
order=$(sed -n "s/^layers='\(.*\)'/\1/p" "$top/tests/layers.sh" | tr ' ' '\n')
listed=$(sed -n 's/^    \([a-z]*\) .*/\1/p' "$top/lib/README.md")
diff <(printf '%s\n' "$order") <(grep -vxE 'mpi|tools' <<<"$listed") || { echo "lib/README.md lists the layers otherwise"; failed=1; }
diff <(cd "$top/lib" && printf '%s\n' */ | tr -d / | grep -vx browser | sort) <(grep -vxE 'algorithms|mpi|tools' <<<"$listed" | sort) ||
  { echo "lib/README.md does not list the folders of lib/"; failed=1; }

# plant FILE INCLUDE: a file more in a copy of the tree's sources, which must be refused for that line.
(cd "$top" && cp -r include lib algorithms mpi tools "$copy")
expected=
plant() {
  printf '/* planted */\n#include %s\n' "$2" >"$copy/$1"
  expected+="$1:2: may not include $2"$'\n'
}

plant lib/base/planted.c '"lib/network/network.h"'
plant lib/round/planted.h '"lib/machine/machine.h"'
plant lib/machine/planted.c '"lib/record/trace.h"'
plant lib/machine/planted2.h '"lib/machine/texts.def"'
plant lib/record/planted.c '"algorithms/catalog.h"'
plant lib/collective/planted.c '"algorithms/catalog.h"'
plant lib/cluster/planted.c '"lib/collective/fronts.h"'
plant lib/record/planted2.c '"planted.h"'
plant lib/cost/planted.c '"lib/cost/../machine/machine.h"'
plant lib/round/planted.c '<pthread.h>'
plant lib/record/planted3.c '<urcu/wfcqueue.h>'
plant mpi/planted.c '"lib/machine/machine.h"'
plant mpi/planted2.c '"lib/collective/blocks.h"'
plant lib/check/planted.c '"mpi/call/node.h"'
plant algorithms/scatter/planted.c '"lib/base/text.h"'
plant algorithms/scatter/planted4.c '"lib/collective/catalog.h"'
plant algorithms/catalog.c '"lib/collective/forms.h"'
plant algorithms/scatter/planted2.c '"../../lib/base/text.h"'
plant algorithms/scatter/planted3.c '<pthread.h>'
plant tools/peal/planted.c '"lib/machine/machine.h"'
plant tools/peal/planted2.c '<lib/machine/machine.h>'
plant tools/peal/planted3.c '<urcu/wfcqueue.h>'
plant tools/peal/run/planted.c '"lib/marking/contained.h"'
plant lib/check/planted2.c '"lib/marking/contained.h"'
plant include/peal/planted.h '"lib/base/text.h"'
printf '/* planted */\nint planted = fork();\n' >"$copy/lib/check/planted3.c"
expected+="lib/check/planted3.c:2: may not fork: peal_child_start does"$'\n'

if said=$("$top/tests/layers.sh" "$copy"); then
  echo "nothing that was planted was found"
  failed=1
fi
diff <(printf %s "$expected" | sort) <(printf '%s\n' "$said" | sort) || failed=1
exit $failed
