#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# In the tree that tools/quickstart makes, MPI programs and projects in C and in C++ compile and run as pealcc(1) says, and
# what is not there is said: mpi_projects.sh BUILD.  Where another MPI is installed, too, they get Peal's.
set -u
tree=$(mktemp -d "$1/command-XXXXXX") wrong=0
trap 'rm -rf "$tree"' EXIT
"$(dirname "$0")/command_tree.sh" "$1" "$tree" || exit 1
unset LD_LIBRARY_PATH # where meson says that the libraries are
mkdir "$tree/work" && cd "$tree/work" || exit 1
PATH=$tree/tools:$PATH

cat >ring.c <<'END'
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, from;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &from, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("%d\n", from);
    MPI_Finalize();
    return 0;
}
END
{ echo '#include <vector>' && sed 's/printf.*/printf("%d\\n", std::vector<int>(1, from)[0]);/' ring.c; } >ring.cpp
cat >Makefile <<'END'
both: ring ring++
	mpirun -q -np 3 ./ring
	mpiexec -q -n 3 ./ring++
ring: ring.c
	mpicc -O2 -o $@ ring.c
ring++: ring.cpp
	mpicxx -O2 -o $@ ring.cpp
END
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.10)
project(rings C CXX)
find_package(MPI REQUIRED COMPONENTS C CXX)
add_executable(ring ring.c)
add_executable(ring++ ring.cpp)
target_link_libraries(ring MPI::MPI_C)
target_link_libraries(ring++ MPI::MPI_CXX)
END

# try COMMAND: run it; it must succeed, and print 2, once a line, and the programs must be linked with the tree's library.
try() {
  local said program
  said=$(bash -c "set -e; $1" 2>&1) || said+=" with exit $?"
  [ -n "$said" ] && [ -z "${said//[2$'\n']/}" ] || { printf '%s\nexpected 2, got:\n%s\n' "$1" "$said"; wrong=1; }
  for program in ring ring++ out/ring out/ring++; do
    [ ! -e $program ] || ldd $program | grep -q "$tree/mpi/libpealmpi.so" || { echo "$1: $program is not linked with this tree's library"; wrong=1; }
  done
  rm -rf ring ring++ out
}

# refused STATUS LINE COMMAND: it must print the line and exit so.
refused() {
  local said status=0
  said=$(bash -c "$3" 2>&1) || status=$?
  [ "$said" = "$2" ] && [ $status = "$1" ] || { printf '%s\nexpected, with exit %s: %s\ngot, with exit %s: %s\n' "$3" "$1" "$2" $status "$said"; wrong=1; }
}

try 'pealcc ring.c -o ring; pealrun -q -n 3 ./ring'
try 'pealcc --watch ring.c -o ring; pealrun -q -n 3 --strict ./ring'
try 'pealrun -q -n 3 ring.c'
try 'pealrun -q -n 3 ring.cpp'
try 'peal run -q -p 3 ring.cpp'
try 'pealc++ -O2 ring.cpp -o ring++; pealrun -q -n 3 ./ring++'
try 'PATH=$(pealcc --bin):$PATH make -s'
try 'make -s -f /dev/null CC=pealcc ring; pealrun -q -n 3 ./ring'
rings='cmake --build out >log 2>&1 || cat log; pealrun -q -n 3 out/ring; pealrun -q -n 3 out/ring++'
try "cmake -DCMAKE_C_COMPILER=pealcc -DCMAKE_CXX_COMPILER=pealc++ -S . -B out >log 2>&1 || cat log; $rings"
try "PATH=\$(pealcc --bin):\$PATH; cmake -S . -B out >log 2>&1 || cat log; $rings"

refused 4 'pealc++: it needs a C++ compiler (apt-get install g++, or set PEAL_CXX to yours), and none++ was not found' 'PEAL_CXX=none++ pealc++ ring.cpp'
refused 4 'pealcc: it needs a C compiler (apt-get install gcc libc6-dev, or set PEAL_CC to yours), and none was not found' 'PEAL_CC=none pealcc -c ring.c'
for name in mpicc mpiCC mpirun; do
  mv "$tree/tools/mpi/$name" kept
  refused 4 "pealcc: $tree/tools/mpi/$name is missing: in a build folder, ninja command makes it" 'pealcc --bin'
  mv kept "$tree/tools/mpi/$name"
done
rm "$tree/tools/pealc++"
refused 3 'peal: ./ring.cpp needs pealc++, which is neither beside this peal nor in PATH: in a build folder, ninja command makes it' 'pealrun -n 3 ring.cpp'
exit $wrong
