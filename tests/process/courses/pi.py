# SPDX-License-Identifier: MIT
"""Pi by the midpoint rule: broadcast of the number of intervals, reduction of the parts."""
import math

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
n = comm.bcast(100000 if comm.rank == 0 else None, root=0)
x = (np.arange(comm.rank, n, comm.size) + 0.5) / n
part = np.array(np.sum(4.0 / (1.0 + x * x)) / n)
pi = np.zeros(())
comm.Reduce(part, pi, op=MPI.SUM, root=0)
start = MPI.Wtime()
comm.Barrier()
assert MPI.Wtime() >= start
if comm.rank == 0:
    print(f"pi is about {pi:.8f}, error {abs(pi - math.pi):.0e}")
