#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A run's memory does not grow with its rounds where nothing reads them, and its summary is the same; and a
function's confirmation does not count what its nodes' processes share with their judge: memory.py PEAL"""
import os
import re
import subprocess
import sys
import tempfile

NODES, FEW, MANY = 16, 200, {"fibers": 20000, "threads": 5000}  # recorded, 5000 rounds of 16 transfers take 1.9 MiB
MAX_KIB = 1024  # 200000 rounds more may take 10 MiB

NATIVE = """#include <peal/peal.h>
#include <stdlib.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int right = (peal_rank(me) + 1) % peal_size(me), left = (peal_rank(me) + peal_size(me) - 1) % peal_size(me);
    double mine = 1, theirs;

    for (long rounds = argc > 1 ? atol(argv[1]) : 0; rounds > 0; rounds--)
        peal_sendrecv(me, &mine, 1, right, &theirs, 1, left);
}
"""
MPI = """#include <mpi.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    int rank, size, mine = 1, theirs = 0;
    MPI_Request requests[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (long rounds = atol(argv[1]) / 2; rounds > 0; rounds--) {
        MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 0, &theirs, 1, MPI_INT, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(&theirs, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&mine, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
"""
SPEC = """[assignment]
collective = barrier
symbol = f
[test barrier]
nodes = 16
"""
GRADED = """#include <peal/peal.h>

void
f(struct peal_node *me)
{
    for (int distance = 1; distance < peal_size(me); distance *= 2)
        peal_sendrecv(me, NULL, 0, (peal_rank(me) + distance) % peal_size(me), NULL, 0,
                      (peal_rank(me) - distance + peal_size(me)) % peal_size(me));
}
"""


def run(command, folder):
    """(KiB at most, standard error) of a command."""
    with tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        err.seek(0)
        text = err.read().decode()
    if status != 0:
        sys.exit(f"{' '.join(command)}: status {status}\n{text}")
    return usage.ru_maxrss, text


def main():
    peal, wrong = os.path.abspath(sys.argv[1]), []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in ("native.c", NATIVE), ("mpi.c", MPI), ("spec.ini", SPEC), ("graded.c", GRADED):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        subprocess.run([os.path.join(os.path.dirname(peal), "pealcc"), "mpi.c", "-o", "mpi"], cwd=folder, check=True)
        for engine, most in MANY.items():
            options = ["--engine", engine, "-p", str(NODES)]
            for command, says in ((["run", "native.c"], "T = {n}α + {n}β"), (["run", "./mpi"], " {n} rounds, T = {n}α"),
                                  (["run", "./mpi", "--rounds", "none"], " {n} rounds, T = {n}α"),
                                  (["run", "./mpi", "--strict"], " {n} rounds, T = {n}α"),
                                  (["run", "native.c", "--trace", "/dev/null"], "T = {n}α + {n}β"),
                                  (["run", "native.c", "--rounds", "none", "--json=/dev/null"], "T = {n}α + {n}β")):
                words = [peal, *command, *options, "--"]
                few, _ = run([*words, str(FEW)], folder)
                many, text = run([*words, str(most)], folder)
                what = f"{' '.join(command)} --engine {engine}"
                if many > few + MAX_KIB:
                    wrong.append(f"{what}: {FEW} rounds take {few} KiB, {most} rounds {many}")
                if says.format(n=most) not in text:
                    wrong.append(f"{what}: expected \"{says.format(n=most)}\" in\n{text}")
                if command == ["run", "native.c"] and not re.search(r"\n *\.\.\. +%d rounds left out.*\n *%d +%d +1 +α"
                                                                    % (most - 32, most - 7, NODES), text):
                    wrong.append(f"{what}: the table of rounds lacks their end:\n{text}")
        # The nodes' processes have about 5 MiB of their own, and 14 that are the judge's.
        done = subprocess.run([peal, "grade", "spec.ini", "graded.c"], cwd=folder, capture_output=True, text=True,
                              check=False, env={**os.environ, "PEAL_CHECK_MEBIBYTES": "12"})
        if done.returncode and os.sysconf("SC_PAGE_SIZE") == 4096:
            wrong.append(f"grade in 12 MiB:\n{done.stdout}{done.stderr}")
    print("\n".join(wrong + [f"{len(wrong)} wrong"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
