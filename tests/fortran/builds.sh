#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Projects in Fortran build with pealfort as their build systems call it, and run; and what is said where it cannot: builds.sh BUILD
set -eu
tools=$1/tools
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
cat >sums.f <<'END'
      SUBROUTINE SUMS(MINE, ALL)
      INCLUDE 'mpif.h'
      INTEGER MINE, ALL, IERR
      CALL MPI_ALLREDUCE(MINE, ALL, 1, MPI_INTEGER, MPI_SUM,
     &     MPI_COMM_WORLD, IERR)
      END
END
cat >twice.c <<'END'
#include <math.h>
#include <mpi.h>
void twice_(MPI_Fint *comm, MPI_Fint *key, int *value);
void twice_(MPI_Fint *comm, MPI_Fint *key, int *value)
{
    MPI_Aint *two; /* C gets the address of an attribute that Fortran has set */
    int flag;
    MPI_Comm_get_attr(MPI_Comm_f2c(*comm), *key, &two, &flag);
    MPI_Bcast(value, 1, MPI_INT, 0, MPI_Comm_f2c(*comm));
    *value = (int)*two * (int)sqrt((double)*value * *value);
}
END
cat >prog.F90 <<'END'
program prog
  use mpi_f08
  implicit none
  integer :: rank, all, key
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 2_MPI_ADDRESS_KIND)
  call sums(rank + 1, all)
  call twice(MPI_COMM_WORLD, key, all)
#ifdef SAYS
  if (rank == 0) print '(a, i0)', 'twice the sum is ', all
#endif
  call MPI_Finalize()
end program
END

# make, by the names of other MPIs; the last one links with C's compiler.
for linker in 'mpif90 -o' 'mpicc -lgfortran -o'; do
  printf 'prog: prog.o sums.o twice.o\n\t%s $@ $^ -lm\n%%.o: %%.f\n\tmpif77 -O2 -c $<\n%%.o: %%.F90\n\tmpifort -DSAYS -O2 -c $<\n%%.o: %%.c\n\tmpicc -O2 -c $<\ntest: prog\n\tmpirun --n 4 ./prog\n' "$linker" >Makefile
  rm -f prog ./*.o
  PATH=$("$tools/pealfort" --bin):$PATH make -s test 2>log | diff - <(echo 'twice the sum is 20') || { cat log; exit 1; }
  "$tools/pealrun" -q -n 40 ./prog | diff - <(echo 'twice the sum is 1640')
done
if readelf -d prog | grep -q libgfortran; then echo "the program shares libgfortran"; exit 1; fi

if command -v cmake >/dev/null; then
  printf 'cmake_minimum_required(VERSION 3.18)\nproject(p C Fortran)\nfind_package(MPI REQUIRED COMPONENTS Fortran)\nadd_executable(prog prog.F90 sums.f twice.c)\ntarget_compile_definitions(prog PRIVATE SAYS)\ntarget_link_libraries(prog MPI::MPI_Fortran m)\n' >CMakeLists.txt
  cmake -S . -B out -DCMAKE_C_COMPILER="$tools/pealcc" -DCMAKE_Fortran_COMPILER="$tools/pealfort" >log 2>&1 && cmake --build out >>log 2>&1 || { cat log; exit 1; }
  "$tools/pealrun" -q -n 4 out/prog | diff - <(echo 'twice the sum is 20')
fi

# A source is compiled and run at once.
printf 'subroutine twice(comm, key, value)\n  use mpi_f08\n  type(MPI_Comm) :: comm\n  integer :: key, value\n  value = 2 * value\nend subroutine\n' >twice.f90
printf 'print *, 7\nend\n' >seven.f90
"$tools/pealrun" -q -n 1 seven.f90 | grep -qx ' *7'
FFLAGS=-DSAYS "$tools/peal" run -q -p 4 prog.F90 sums.f twice.f90 | diff - <(echo 'twice the sum is 20')
"$tools/pealfort" -show prog.F90 -o prog | grep -q "^gfortran .*mpi/libpealfortran.a .*prog.F90"
"$tools/pealfort" -showme:compile | grep -q -- '-I.*-fPIC'

# mpif.h lets calls of MPI differ in their arguments' types; of others the compiler warns.
cat >differ.f <<'END'
      PROGRAM DIFFER
      INCLUDE 'mpif.h'
      REAL X(3)
      INTEGER N, IERR
      CALL MPI_BCAST(X, 3, MPI_REAL, 0, MPI_COMM_WORLD, IERR)
      CALL MPI_BCAST(N, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, IERR)
      CALL OWN(X)
      CALL OWN(N)
      END
END
"$tools/pealfort" -c differ.f 2>log
[ "$(grep -c Warning: log)" = 1 ] && grep -q 'CALL OWN(N)' log || { cat log; exit 1; }

# A module that another release has compiled cannot be read: they are compiled when they are first used.
printf '#!/bin/sh\n[ "$1" != -dumpversion ] || { echo 99; exit; }\nexec gfortran "$@"\n' >other && chmod +x other
export XDG_CACHE_HOME=$PWD/cache
PEAL_FC=$PWD/other "$tools/pealfort" -c prog.F90
ls "$PWD"/cache/peal/fortran-*-99/mpi.mod "$PWD"/cache/peal/fortran-*-99/mpi_f08.mod >/dev/null

# What each order of arrival prints is seen, also where standard output is a file.
cat >orders.f90 <<'END'
use mpi
integer :: rank, first, second, ierr
call MPI_Init(ierr)
call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
if (rank > 0) call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierr)
if (rank == 0) then
  call MPI_Recv(first, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Recv(second, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  print *, first - second
end if
call MPI_Finalize(ierr)
end
END
"$tools/pealfort" orders.f90 -o orders
"$tools/pealrun" -n 3 --explore ./orders >shown 2>log
grep -qx ' *-1' shown && grep -q 'prints 2 different outputs' log || { cat shown log; exit 1; }

# What cannot be compiled is said in one line.
said() { # expected line, exit code, command...
  local line=$1 code=$2 status=0
  shift 2
  "$@" 2>log || status=$?
  if [ "$status" != "$code" ] || [ "$(cat log)" != "$line" ]; then echo "$*: exit $status"; cat log; exit 1; fi
}
said 'pealfort: it needs gfortran (apt-get install gfortran, or set PEAL_FC to yours), and no-such-compiler was not found' 4 \
  env PEAL_FC=no-such-compiler "$tools/pealfort" prog.F90 -o prog
printf '#!/bin/sh\necho flang-new version 15.0\n' >flang && chmod +x flang
said "pealfort: it needs gfortran of version 9 or later, and $PWD/flang is another compiler (set PEAL_FC to yours)" 4 \
  env PEAL_FC="$PWD/flang" "$tools/pealfort" prog.F90 -o prog
printf '#!/bin/sh\ncase $1 in -print*) echo libgfortran.a ;; *) exec gfortran "$@" ;; esac\n' >shared && chmod +x shared
said "pealfort: it needs libgfortran.a, which $PWD/shared does not have (Fedora: dnf install libgfortran-static)" 4 \
  env PEAL_FC="$PWD/shared" "$tools/pealfort" prog.F90 -o prog
said 'pealcc: prog.F90 is Fortran: use pealfort' 2 "$tools/pealcc" prog.F90 -o prog
printf 'program p\ninclude "mpif.h"\ncall MPI_Sned(1)\nend\n' >wrong.f90
said 'pealfort: Peal has no MPI_SNED: it has the functions of MPI 3.1 that peal-mpi(7) lists' 1 "$tools/pealfort" wrong.f90 -o wrong
