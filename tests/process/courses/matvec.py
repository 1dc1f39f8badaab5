# SPDX-License-Identifier: MIT
"""A matrix times a vector: rows scattered, the vector broadcast, the product gathered; columns, with Reduce_scatter."""
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
p, rank = comm.size, comm.rank
n = 12 * p
rows = n // p
a = np.fromfunction(lambda i, j: (i * 7 + j * 3) % 11, (n, n)) if rank == 0 else None
x = np.arange(n, dtype=float) % 5 if rank == 0 else np.empty(n)
mine, y = np.empty((rows, n)), np.empty(n)
comm.Scatter(a, mine, root=0)
comm.Bcast(x, root=0)
comm.Allgather(mine @ x, y)
expected = np.fromfunction(lambda i, j: (i * 7 + j * 3) % 11, (n, n)) @ (np.arange(n) % 5)
assert np.array_equal(y, expected)
columns = np.ascontiguousarray(np.fromfunction(lambda i, j: (i * 7 + (j + rank * rows) * 3) % 11, (n, rows)))
part = np.empty(rows)
comm.Reduce_scatter_block(columns @ x[rank * rows:(rank + 1) * rows], part, op=MPI.SUM)
assert np.array_equal(part, expected[rank * rows:(rank + 1) * rows])
norm = np.sqrt(comm.allreduce(float(part @ part)))
assert np.isclose(norm, np.linalg.norm(expected))
if rank == 0:
    print("the product is right")
