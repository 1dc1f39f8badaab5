#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Open MPI takes the algorithms of the rules that peal sweep --rules writes: rules.py PEAL CC MPI_INCLUDE

A library that is loaded before Open MPI's says which of its algorithms is called.  The rules are those of prices at which the
model chooses otherwise than Open MPI does by itself."""
import os
import subprocess
import sys
import tempfile

NAMES = {"recursive-doubling": "recursivedoubling", "reduce-scatter-allgather": "ring", "rabenseifner": "redscat_allgather"}
SHIM = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#define WRAP(name)                                                                                                     \\
    long ompi_coll_base_allreduce_intra_##name(long a, long b, long c, long d, long e, long f, long g, long h)         \\
    {                                                                                                                  \\
        long (*next)(long, long, long, long, long, long, long, long) =                                                 \\
            (long (*)(long, long, long, long, long, long, long, long))dlsym(RTLD_NEXT,                                 \\
                                                                            "ompi_coll_base_allreduce_intra_" #name); \\
        if (atoi(getenv("OMPI_COMM_WORLD_RANK")) == 0)                                                                 \\
            puts(#name), fflush(stdout);                                                                               \\
        return next(a, b, c, d, e, f, g, h);                                                                           \\
    }
WRAP(recursivedoubling) WRAP(ring) WRAP(redscat_allgather)
"""
PROGRAM = """#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        int n = atoi(argv[i]) / 8;
        MPI_Allreduce(calloc(n, 8), calloc(n, 8), n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def main():
    peal, cc, include = os.path.abspath(sys.argv[1]), *sys.argv[2:4]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in ("shim", SHIM), ("program", PROGRAM):
            with open(name + ".c", "w") as file:
                file.write(text)
        run(cc, "-w", "-shared", "-fPIC", "-o", "shim.so", "shim.c", "-ldl")
        run(cc, "-w", "-I" + include, "-o", "program", "program.c", "-lmpi", "-L" + os.path.dirname(include) + "/lib")
        run(peal, "sweep", "allreduce", "-p", "4", "-n", "8:512Ki:x16", "--machine", "lumi", "-t", "full", "--rules", "rules")
        rules = [line.split() for line in open("rules") if " 0 0 # " in line]
        sizes = ["64", "1024", "65536", "4194304"]
        wanted = [NAMES[[rule[5] for rule in rules if int(rule[0]) <= int(size)][-1]] for size in sizes]
        assert len(set(wanted)) > 1, rules
        for used, dynamic in (wanted, "1"), (None, "0"):
            said = run("mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "-n", "4",
                       "--mca", "coll_tuned_use_dynamic_rules", dynamic, "--mca", "coll_tuned_dynamic_rules_filename",
                       os.path.abspath("rules"), "-x", "LD_PRELOAD=" + os.path.abspath("shim.so"), "./program",
                       *sizes).split()
            if used:
                assert said == used, f"expected {used}, Open MPI took {said}"
            else:
                assert said != wanted, "Open MPI chooses so without the rules: the test shows nothing"


if __name__ == "__main__":
    main()
