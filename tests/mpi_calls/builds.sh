#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Projects for MPI build with pealcc as their build systems call it, and run: builds.sh BUILD make|cmake|autoconf
set -eu
tools=$1/tools
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
cat >part.c <<'END'
#include <mpi.h>
int sum(int mine);
int sum(int mine)
{
    int all = 0;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all;
}
END
cat >prog.c <<'END'
#include <mpi.h>
#include <stdio.h>
int sum(int mine);
int main(int argc, char **argv)
{
    int rank, all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    all = sum(rank + 1);
    if (rank == 0)
        printf("the sum is %d\n", all);
    MPI_Finalize();
    return 0;
}
END
case $2 in
  make)
    printf 'CC = mpicc\nCFLAGS = -O2\nprog: libprog.a libpart.a\n\t$(CC) -o $@ libprog.a -L. -lpart -lm\nlib%%.a: %%.o\n\tar rcs $@ $<\ntest: prog\n\tmpirun -np 4 ./prog\n' >Makefile
    PATH=$("$tools/pealcc" --bin):$PATH make -s test 2>/dev/null | tee said ;;
  cmake)
    command -v cmake >/dev/null || exit 77
    printf 'cmake_minimum_required(VERSION 3.10)\nproject(p C)\nfind_package(MPI REQUIRED)\nadd_executable(prog prog.c part.c)\ntarget_link_libraries(prog MPI::MPI_C)\n' >CMakeLists.txt
    cmake -DCMAKE_C_COMPILER="$tools/pealcc" -S . -B out >log 2>&1 && cmake --build out >>log 2>&1 || { cat log; exit 1; }
    "$tools/pealrun" -q -n 4 out/prog | tee said ;;
  autoconf)
    command -v autoconf >/dev/null || exit 77
    printf 'AC_INIT([p], [1])\nAC_CONFIG_SRCDIR([prog.c])\nAC_PROG_CC\nAC_SEARCH_LIBS([sqrt], [m])\nAC_CHECK_FUNCS([MPI_Init MPI_Bcast])\nAC_CHECK_SIZEOF([long])\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n' >configure.ac
    printf 'prog: prog.c part.c\n\t@CC@ @CFLAGS@ -o prog prog.c part.c @LIBS@\n' >Makefile.in
    autoconf && ./configure CC="$tools/pealcc" >log 2>&1 && make -s >>log 2>&1 || { cat log config.log; exit 1; }
    grep -q 'MPI_Bcast... yes' log
    grep -q 'ac_cv_sizeof_long=8' config.log
    "$tools/pealrun" -q -n 4 ./prog | tee said ;;
esac
[ "$(cat said)" = "the sum is 10" ]
