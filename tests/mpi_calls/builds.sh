#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Projects for MPI build with pealcc as their build systems call it, and run: builds.sh BUILD make|autoconf|c++|copies|sanitizers
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
    PATH=$("$tools/pealcc" --bin):$PATH make -s test 2>/dev/null | tee said
    # A program of before, whose start file has another name, has other numbers for MPI_ANY_SOURCE and the like.
    LC_ALL=C sed 's/peal_linked_main_1/peal_linked_main\x00\x00/g' prog >before && chmod +x before
    runs=("$tools/pealrun -n 4 $PWD/before")
    grep -qa __asan_init "$1/mpi/libpealmpi.so" || runs+=(./before) # whose library must be loaded first
    for run in "${runs[@]}"; do
      if $run 2>refused; then echo "$run ran"; exit 1; fi
      diff refused - <<END
peal: $PWD/before was compiled by another version of pealcc, whose mpi.h has other constants: compile and link it again
END
    done ;;
  autoconf)
    command -v autoconf >/dev/null || exit 77
    printf 'AC_INIT([p], [1])\nAC_CONFIG_SRCDIR([prog.c])\nAC_PROG_CC\nAC_SEARCH_LIBS([sqrt], [m])\nAC_CHECK_FUNCS([MPI_Init MPI_Bcast])\nAC_CHECK_SIZEOF([long])\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n' >configure.ac
    printf 'prog: prog.c part.c\n\t@CC@ @CFLAGS@ -o prog prog.c part.c @LIBS@\n' >Makefile.in
    autoconf && ./configure CC="$tools/pealcc" >log 2>&1 && make -s >>log 2>&1 || { cat log config.log; exit 1; }
    grep -q 'MPI_Bcast... yes' log
    grep -q 'ac_cv_sizeof_long=8' config.log
    "$tools/pealrun" -q -n 4 ./prog | tee said ;;
  c++)
    # Statics of all kinds are a node's own; an exception is handled by the node that has it, while others run; streams are in
    # order, and the clock is the model's.
    cat >prog.cpp <<'END'
#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <mpi.h>
#include <stdexcept>
#include <string>
extern "C" int sum(int mine);
static int dynamic = [] { return 5; }();
static int &in_inline() { static int value = 1; return value; }
inline int &in_shared_inline() { static int value = 2; return value; }
template <class T> struct holder { static T value; };
template <class T> T holder<T>::value = 3;
thread_local int own = 4;
struct noted { std::string name = "node "; } global;
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, all = 0, word = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    auto begin = std::chrono::steady_clock::now();
    for (int *counter : {&dynamic, &in_inline(), &in_shared_inline(), &holder<int>::value, &own})
        *counter += rank;
    global.name += std::to_string(rank);
    std::map<int, std::string> words{{rank, global.name}};
    try {
        throw std::runtime_error(words.at(rank));
    } catch (const std::exception &error) {
        all = sum(rank + 1);
        if (error.what() != global.name)
            MPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (dynamic + in_inline() + in_shared_inline() + holder<int>::value + own != 15 + 5 * rank)
        MPI_Abort(MPI_COMM_WORLD, 4);
    if (rank == 0)
        std::cin >> word;
    MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (word != 42 || took.count() <= 0 || took.count() > 1e-3)
        MPI_Abort(MPI_COMM_WORLD, 5);
    std::printf("%d ", rank);
    std::cout << global.name << std::endl;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        std::cout << "the sum is " << all << '\n';
    MPI_Finalize();
    return 0;
}
END
    "$tools/pealcc" -c part.c
    PATH=$("$tools/pealcc" --bin):$PATH mpicxx -O1 -Wall -Wextra -Werror prog.cpp part.o -o prog
    for nodes in 4 40; do # more copies are made in another way
      echo 42 | "$tools/pealrun" -q -n $nodes --engine $([ $nodes = 4 ] && echo threads || echo fibers) ./prog >lines
      for ((i = 0; i < nodes; i++)); do echo "$i node $i"; done >expected
      echo "the sum is $((nodes * (nodes + 1) / 2))" >>expected
      diff expected lines
    done
    printf '#include <mpi.h>\nint main(int argc, char **argv) { MPI_Init(&argc, &argv); return MPI_Finalize(); }\n' >one.cpp
    "$tools/peal" run one.cpp -p 3 2>log
    if "$tools/pealcc" one.cpp -o one 2>log; then exit 1; fi
    grep -qx 'pealcc: one.cpp is C++: use pealc++' log
    # each node handles its own exceptions, also where several share a thread
    cat >handled.cpp <<'END'
#include <exception>
#include <mpi.h>
#include <stdexcept>
#include <string>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
        throw std::runtime_error(std::to_string(rank));
    } catch (const std::exception &mine) {
        MPI_Barrier(MPI_COMM_WORLD);
        try {
            throw;
        } catch (const std::runtime_error &again) {
            MPI_Barrier(MPI_COMM_WORLD);
            if (&mine != &again || again.what() != std::to_string(rank))
                MPI_Abort(MPI_COMM_WORLD, 6);
        }
        if (rank == 2)
            return MPI_Finalize(); // this handler is left by the end of the node only
        MPI_Barrier(MPI_COMM_SELF);
    }
    if (std::uncaught_exceptions() > 0 || std::current_exception())
        MPI_Abort(MPI_COMM_WORLD, 7);
    return MPI_Finalize();
}
END
    PATH=$("$tools/pealcc" --bin):$PATH mpicxx -Wall -Wextra -Werror handled.cpp -o handled
    for engine in threads fibers; do "$tools/pealrun" -q -n 20 --strict --engine $engine ./handled; done
    # strict runs know what new has allocated, and what containers have
    cat >blocks.cpp <<'END'
#include <cstring>
#include <memory>
#include <mpi.h>
#include <new>
#include <string>
#include <vector>
struct alignas(64) wide { int n[16]; };
static const char *word;
template <class T> static void cast(const char *kind, T *memory, int count)
{
    MPI_Bcast(memory, count + (std::strcmp(word, kind) == 0), sizeof *memory == 1 ? MPI_CHAR : MPI_INT, 0, MPI_COMM_SELF);
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, caught = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    word = rank == 0 && argc > 1 ? argv[1] : "";
    for (int turn = 0; turn < 3; turn++) {
        int *array = new int[6](), *one = new int(3), *none = new (std::nothrow) int[4]();
        auto *aligned = new wide();
        std::vector<int> vector(5);
        std::string text(1000, 'a');
        auto unique = std::make_unique<int[]>(3);
        cast("array", array, 6);
        cast("one", one, 1);
        cast("nothrow", none, 4);
        cast("aligned", aligned->n, 16);
        cast("vector", vector.data(), 5);
        cast("text", &text[0], 1001);
        cast("unique", unique.get(), 3);
        vector.resize(1000);
        text += text;
        cast("later", vector.data(), 1000);
        cast("later", &text[0], 2001);
        delete[] array;
        delete one;
        delete[] none;
        delete aligned;
        try {
            char *volatile most = new char[(size_t)1 << 46];
            delete[] most;
        } catch (const std::bad_alloc &) {
            caught++;
        }
    }
    MPI_Finalize();
    return caught != 3;
}
END
    "$tools/pealc++" -std=c++17 -O1 -Wall -Wextra -Werror blocks.cpp -o blocks
    "$tools/pealrun" -q --strict -n 3 ./blocks 2>log
    [ ! -s log ]
    for kind in array:28:24 one:8:4 nothrow:20:16 aligned:68:64 vector:24:20 text:1002:1001 unique:16:12; do
      bytes=${kind#*:}
      if "$tools/pealrun" -q --strict -n 2 ./blocks "${kind%%:*}" 2>log; then exit 1; fi
      grep -q "MPI_Bcast: node 0 sends ${bytes%:*} bytes from a block of ${bytes#*:} bytes, which it allocated" log
    done
    echo 42 | "$tools/pealrun" -q -n 4 ./prog | tail -n 1 >said ;;
  copies)
    # All nodes share the program if it has nothing of a node's own; what names are left does not matter.
    cat >prog.c <<'END'
#include <mpi.h>
#include <stdio.h>
#if defined FILE_STATIC
static int word;
#elif defined THREAD_LOCAL
static _Thread_local int word;
#elif defined CONSTRUCTOR
__attribute__((constructor)) static void begin(void) { }
#elif defined DESTRUCTOR
__attribute__((destructor)) static void end(void) { }
#endif
static const char *const names[] = {"shared", "own"};
int main(int argc, char **argv)
{
#if defined FUNCTION_STATIC
    static int word;
#elif !defined FILE_STATIC && !defined THREAD_LOCAL
    int word = 0;
#endif
    int rank, size;
    long at = (long)main, least, most;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    word += rank;
    MPI_Allreduce(&at, &least, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&at, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    if (word != rank)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (rank == 0)
        puts(names[least < most]);
    MPI_Finalize();
    return 0;
}
END
    for words in 'shared -O1' 'shared -O2 -g' 'own -DFILE_STATIC' 'own -DFUNCTION_STATIC' 'own -DTHREAD_LOCAL' 'own -DCONSTRUCTOR' \
      'own -DDESTRUCTOR' 'own -fsanitize=undefined' 'own -s' 'own -Wl,-x' 'own -DFILE_STATIC -s' 'own -DFUNCTION_STATIC -Wl,-x'; do
      # shellcheck disable=SC2086 # a list of words
      "$tools/pealcc" ${words#* } prog.c -o prog
      for nodes in 4 100; do
        [ "$("$tools/pealrun" -q -n $nodes ./prog)" = "${words%% *}" ] || { echo "$words, $nodes nodes"; exit 1; }
      done
    done ;;
  sanitizers)
    # What gcc's sanitizers report is the program's line, and no frame of Peal's beyond what calls main.
    unset ASAN_OPTIONS UBSAN_OPTIONS # of a recent meson: programs would end at their first finding
    cat >prog.c <<'END'
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, *block = calloc(10, sizeof *block), local[4] = {0}, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sum = rank;
    if (rank == 1 && argc > 1 && argv[1][0] == 'h')
        block[8 + argc] = 1;
    if (rank == 1 && argc > 1 && argv[1][0] == 's')
        *(volatile int *)&local[2 + argc] = 1;
    if (rank == 1 && argc > 1 && argv[1][0] == 'o')
        sum = INT_MAX - 1 + argc;
    MPI_Bcast(block, 10, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d\n", block[9] + (sum < 0));
    free(block);
    MPI_Finalize();
    return 0;
}
END
    "$tools/pealcc" -g -fsanitize=address prog.c -o address
    "$tools/pealcc" -g -fsanitize=undefined prog.c -o undefined
    for options in '--engine threads' '--engine fibers' '--engine threads --strict' '--engine fibers --strict'; do
      for program in address undefined; do
        # shellcheck disable=SC2086 # a list of words
        "$tools/pealrun" -q -n 3 $options ./$program >lines 2>log
        [ "$(sort -u lines)" = 0 ]
        [ ! -s log ]
      done
      for kind in heap:12 stack:14; do
        # shellcheck disable=SC2086
        if "$tools/pealrun" -q -n 3 $options ./address ${kind%:*} >lines 2>log; then exit 1; fi
        grep -q "ERROR: AddressSanitizer: ${kind%:*}-buffer-overflow" log
        grep -q "#0 0x[0-9a-f]* in main .*/prog.c:${kind#*:}" log
        grep -q "^peal: crash: node 1 crashed: abort (prog.c:${kind#*:})" log
        if sed '/^Thread T.* created by/,$d' log | grep -E '#[0-9]+ .*(lib/(machine|program)|libpeal[.]so)'; then exit 1; fi
      done
      # shellcheck disable=SC2086
      "$tools/pealrun" -q -n 3 $options ./undefined overflow >lines 2>log
      grep -q '^prog.c:16:.*: runtime error: signed integer overflow' log
    done
    ./address ;;
esac
