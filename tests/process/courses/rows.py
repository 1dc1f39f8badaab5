# SPDX-License-Identifier: MIT
"""Rows of a matrix that P does not divide: Scatterv and Gatherv with a type for a row; the transpose by Alltoallw."""
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
p, rank = comm.size, comm.rank
N, M = 17, 5
row = MPI.DOUBLE.Create_contiguous(M).Commit()
counts = [N // p + (i < N % p) for i in range(p)]
displs = [sum(counts[:i]) for i in range(p)]
table = np.arange(N * M, dtype=float).reshape(N, M) if rank == 0 else None
mine = np.empty((counts[rank], M))
comm.Scatterv([table, counts, displs, row], [mine, counts[rank], row], root=0)
mine *= 2
back = np.empty((N, M)) if rank == 0 else None
comm.Gatherv([mine, counts[rank], row], [back, (counts, displs), row], root=0)
row.Free()
sums = np.zeros(M)
comm.Allreduce(mine.sum(axis=0), sums)
scan = np.zeros(1)
comm.Exscan(np.array([float(counts[rank])]), scan)
assert rank == 0 or scan[0] == displs[rank]
if rank == 0:
    assert np.array_equal(back, 2 * table)
    print(*sums)
