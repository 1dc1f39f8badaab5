# SPDX-License-Identifier: MIT
"""Sorting by samples: splitters are gathered and broadcast, buckets are exchanged by Alltoallv."""
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
p, rank = comm.size, comm.rank
ALL = 3000
numbers = np.random.default_rng(7).integers(0, 10**6, ALL)
cuts = [ALL * i // p for i in range(p + 1)]
mine = np.sort(numbers[cuts[rank]:cuts[rank + 1]])
samples = comm.gather(mine[np.arange(p) * len(mine) // p], root=0)
splitters = comm.bcast(np.sort(np.concatenate(samples))[p::p] if rank == 0 else None, root=0)
places = np.concatenate(([0], np.searchsorted(mine, splitters), [len(mine)]))
counts = np.diff(places)
received = np.empty(p, dtype=counts.dtype)
comm.Alltoall(counts, received)
bucket = np.empty(received.sum(), dtype=mine.dtype)
comm.Alltoallv([mine, (counts, places[:-1])], [bucket, (received, np.cumsum(received) - received)])
bucket.sort()
lengths = np.array(comm.allgather(len(bucket)))
whole = np.empty(ALL, dtype=mine.dtype) if rank == 0 else None
comm.Gatherv(bucket, [whole, lengths, np.cumsum(lengths) - lengths, MPI.INT64_T])
if rank == 0:
    assert np.array_equal(whole, np.sort(numbers))
    print(*whole[::300])
