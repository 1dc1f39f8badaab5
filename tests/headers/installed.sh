#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Install the build $1 into an empty folder, and use it as others do: the headers, pkg-config, the library, the
# command.
set -eu
headers=$(cd "$(dirname "$0")/../../include/peal" && echo *.h)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
DESTDIR=$folder meson install -C "$1" --no-rebuild --quiet >/dev/null
library=$(find "$folder" -name libpeal.so)
command=$(find "$folder" -path '*/bin/peal')
export PKG_CONFIG_PATH=${library%/*}/pkgconfig PKG_CONFIG_SYSROOT_DIR=$folder LD_LIBRARY_PATH=${library%/*}
cd "$folder"

installed=$(cd "$(dirname "$(find . -name peal.h)")" && echo *.h)
[ "$installed" = "$headers" ] || { echo "installed are $installed, in the tree are $headers"; exit 1; }

cat >linked.c <<'END'
#include <peal/peal.h>
#include <stdio.h>

static void
program(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_barrier(me);
}

int
main(void)
{
    struct peal_options options;
    char text[100];

    peal_options_init(&options);
    options.nodes = 5;
    struct peal_machine *machine = peal_machine_create(&options, NULL);
    if (peal_run(machine, program, NULL))
        return 1;
    puts(peal_cost_text(peal_machine_cost(machine), text, sizeof text));
    peal_machine_destroy(machine);
    return 0;
}
END
# shellcheck disable=SC2046 # one word a flag
cc linked.c $(pkg-config --cflags --libs peal) -o linked
cost=$(./linked)
[ "$cost" = 3α ] || { echo "a barrier of five nodes costs \"$cost\", not 3α"; exit 1; }

cat >program.c <<'END'
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    peal_printf(me, "node %d\n", peal_rank(me));
}
END
CFLAGS=$(pkg-config --cflags peal) "$command" run program.c -p 2 >said 2>errors || { cat errors; exit 1; }
head -2 said | cmp - <(printf 'node 0\nnode 1\n')
[ -z "$(find . -path '*/man1/*')" ] || find . -path '*/man1/peal.1*' | grep -q . || { echo "no man page of peal"; exit 1; }

# MPI programs, with the installed commands.
cat >mpi.c <<'END'
#include <mpi.h>
#include <stdio.h>
#ifndef MPI_VERSION
#error "mpi.h of Peal was expected"
#endif

int
main(int argc, char **argv)
{
    int rank, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("the sum is %d\n", sum);
    MPI_Finalize();
    return 0;
}
END
bin=${command%/*}
"$bin/pealcc" mpi.c -o mpi
[ "$("$bin/pealrun" -q -n 4 ./mpi)" = "the sum is 6" ] || { echo "an installed pealrun does not run what pealcc linked"; exit 1; }
"$command" run -q -p 4 ./mpi | grep -qx "the sum is 6"
others=$("$bin/pealcc" --bin)
PATH=$others:$PATH mpicc -c mpi.c -o mpi.o
# shellcheck disable=SC2046
cc mpi.c -o mpi-pc $(PKG_CONFIG_SYSROOT_DIR= PKG_CONFIG_PATH=$others/pkgconfig pkg-config --define-variable=prefix="${bin%/bin}" --cflags --libs mpi)
[ "$("$bin/pealrun" -q -n 4 ./mpi-pc)" = "the sum is 6" ] || { echo "the flags of mpi.pc do not make a program"; exit 1; }

# The algorithms that peal check --every reads: none includes what is not installed, and one is proved.
sources=$(find "$folder" -path '*/peal/sources')
ln -sfn "$(dirname "$(dirname "$(find "$folder" -name peal.h)")")" "$sources/include" # within this folder
cc -MM -I"$sources" -I"$sources/include" -I"$sources/algorithms" "$sources"/algorithms/*/*.c >/dev/null
PEAL_SOURCES=$sources XDG_CACHE_HOME=$folder/cache "$command" check scatter/linear --every | grep -q '^scatter/linear: proved for every P' ||
  { echo "the installed scatter/linear is not proved for every P"; exit 1; }
