#!/bin/sh
# SPDX-License-Identifier: MIT
# Check functions of other libraries where these are fetched: check.sh BUILD FOLDER.
#
# FOLDER has clones, FOLDER/ompi and FOLDER/simgrid; a library that is not there is skipped with a line.  Each function
# is taken out of its file, with shim.h in front; nothing of it is kept.  Prints the verdicts; fails if a function could
# not be checked.
here=$(cd "$(dirname "$0")" && pwd)
peal=$1/tools/peal folder=$2 status=0
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

# check LIBRARY FILE FUNCTION COLLECTIVE CALL [OPTION...]: CALL is what calls the function with MPI's arguments
check() {
    file=$folder/$1/$2 function=$3 collective=$4 call=$5
    shift 5
    if [ ! -f "$file" ]; then
        echo "$function: skipped: $file is not there"
        return
    fi
    {
        echo '#include "shim.h"'
        sed -n "/^[a-z].*[ *]$function(/,/^}/p" "$file" |
            sed -E 's/&(\w+)->super/\1/g; s/\w+\[\w+\]->req_status.MPI_ERROR/0/g; s/\w+->c_coll->coll_(\w+)_module/NULL/; s/\w+->c_coll->coll_(\w+)\(/shim_\1(/'
        echo "$call"
    } >"$work/$function.c"
    "$peal" check "$collective" --mpi --file "$work/$function.c" --symbol checked --cflags "-I$here -w" "$@"
    [ $? -le 1 ] || status=1
}

all='const void *in, void *out, int n, MPI_Datatype t, MPI_Op op'
check ompi ompi/mca/coll/base/coll_base_allreduce.c ompi_coll_base_allreduce_intra_allgather_reduce allreduce \
    "int checked($all, MPI_Comm c) { return ompi_coll_base_allreduce_intra_allgather_reduce(in, out, n, t, op, c, &shim_module); }"
check ompi ompi/mca/coll/base/coll_base_reduce.c ompi_coll_base_reduce_intra_knomial reduce \
    "int checked($all, int r, MPI_Comm c) { return ompi_coll_base_reduce_intra_knomial(in, out, n, t, op, r, c, &shim_module, 0, 0, 4); }" --op sum

# check_cplusplus FILE FUNCTION COLLECTIVE [OPTION...]: of SimGrid, as it stands
check_cplusplus() {
    file=$folder/simgrid/src/smpi/colls/$1 function=simgrid::smpi::$2 collective=$3
    shift 3
    if [ ! -f "$file" ]; then
        echo "$function: skipped: $file is not there"
        return
    fi
    mkdir -p "$work/here"
    echo '#include "shim.hpp"' | tee "$work/colls_private.hpp" "$work/coll_tuned_topo.hpp" "$work/here/smpi_status.hpp" >"$work/here/smpi_actor.hpp"
    cp "$file" "$work/here"
    "$peal" check "$collective" --mpi --file "$work/here/$(basename "$file")" --symbol "$function" --cflags "-I$here -I$work -w" "$@"
    [ $? -le 1 ] || status=1
}
check_cplusplus bcast/bcast-scatter-rdb-allgather.cpp bcast__scatter_rdb_allgather bcast
check_cplusplus reduce_scatter/reduce_scatter-mpich.cpp reduce_scatter__mpich_pair reduce_scatter
check_cplusplus allgather/allgather-ring.cpp allgather__ring allgather
exit $status
