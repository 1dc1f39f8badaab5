#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Check of which buffers a compiler warns: each line of the program that ends in "warned" is, at every level of optimisation, and
# no other; none as C++, and none where words have 4 bytes.
#   tests/headers/elements.sh gcc|clang INCLUDE-FOLDER
set -u
command -v "$1" >/dev/null || { echo "no $1"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/buffers.c" <<'END'
#include <peal/peal.h>
struct pair { double x, y; };
struct unknown;
void program(struct peal_node *me, void *any, struct unknown *some, const float *given);
void
program(struct peal_node *me, void *any, struct unknown *some, const float *given)
{
    int a[4] = {0};
    float f = 0;
    unsigned char bytes[8] = {0};
    double d[4] = {0}, rows[2][2] = {{0}};
    int64_t i = 0;
    struct pair p = {0, 0};

    peal_send(me, a, 4, 1); /* warned */
    peal_send(me, &a[1], 1, 1); /* warned */
    peal_recv(me, &f, 1, 1); /* warned */
    peal_send_tag(me, given, 1, 1, 2); /* warned */
    peal_sendrecv(me, d, 1, 1, bytes, 1, 1); /* warned */
    peal_wait(me, peal_recv_async(me, a + 1, 1, 1)); /* warned */
    peal_broadcast(me, a, 4, 0); /* warned */
    peal_gather(me, d, 1, 0, a); /* warned */
    peal_allreduce_by(me, "ring", PEAL_SUM_DOUBLE, &f, 1); /* warned */
    peal_send(me, d, 4, 1);
    peal_send(me, rows, 4, 1);
    peal_send(me, &i, 1, 1);
    peal_send(me, &p, 2, 1);
    peal_send(me, some, 1, 1);
    peal_recv(me, any, 1, 1);
    peal_send(me, (void *)a, 2, 1);
    peal_send(me, NULL, 0, 1);
    peal_gather(me, d, 1, 0, NULL);
    peal_scatter(me, d, 1, 0, peal_block(d, 1, 1));
}
END
wrong=0
# Compile as the arguments say, and compare the lines that are warned of with those on standard input.
try() {
  local found
  found=$(cd "$folder" && "$@" -std=gnu17 -Wall -Wextra -I "$include" -c buffers.c -o /dev/null 2>&1 |
    grep -o -E '^(inc|buffers.c|.*in expansion).*' | grep -o -E 'buffers\.c:[0-9]+' | sort -u -t: -k2n)
  [ "$found" = "$(cat)" ] || { echo "$*: warned of"; echo "$found"; wrong=1; }
}
include=$2
expected() { grep -n warned "$folder/buffers.c" | sed 's/^\([0-9]*\):.*/buffers.c:\1/'; }
for level in -O0 -O2 -Og; do
  expected | try "$1" "$level"
  try "$1" "$level" -DPEAL_WORD_BYTES=4 </dev/null
done
for standard in c++11 c++20; do
  sed 's/{{0}}/{{0, 0}, {0, 0}}/' "$folder/buffers.c" >"$folder/buffers.cc"
  "$1" -x c++ -std="$standard" -Wall -Wextra -Werror -I "$include" -fsyntax-only "$folder/buffers.cc" || wrong=1
done
exit "$wrong"
