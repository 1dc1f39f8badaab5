#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Run a program as the processes of an MPI job: tests/cluster/job.sh openmpi|mpich PROCESSES PROGRAM [ARGUMENT...]
# They share the cores there are, so whoever waits yields; and the memory, so that nobody looks for networks, of which Open MPI 5
# prints what does not fit.  Exits 77 where there is no launcher of that MPI.
set -u
mpi=$1 processes=$2
shift 2
launcher=$(command -v "mpirun.$mpi") || { echo "no mpirun.$mpi here"; exit 77; }
export PEAL_MPI=$mpi UCX_LOG_LEVEL=error LSAN_OPTIONS=detect_leaks=0 # those of MPI
case $mpi in
  openmpi) export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
    OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 \
    OMPI_MCA_btl=^tcp \
    PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none \
    PMIX_MCA_mca_base_suppress_deprecated_warning=1 ;; # of Open MPI 5, and of 6, whose names are others
  mpich) export MPIR_CVAR_POLLS_BEFORE_YIELD=1 ;;
esac
exec timeout 280 "$launcher" -n "$processes" "$@" </dev/null
