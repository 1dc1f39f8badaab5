# SPDX-License-Identifier: MIT
"""A sum that goes round a ring: objects, then an array with Sendrecv_replace."""
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
total, passing = 0, rank
for _ in range(size):
    passing = comm.sendrecv(passing, dest=(rank + 1) % size, source=(rank - 1) % size)
    total += passing
assert total == size * (size - 1) // 2
token = np.array([float(rank)])
for _ in range(size):
    comm.Sendrecv_replace(token, dest=(rank + 1) % size, source=(rank - 1) % size)
assert token[0] == rank
token = {"hops": 0, "path": []}
if rank == 0:
    request = comm.isend(token, dest=(rank + 1) % size)
token = comm.recv(source=(rank - 1) % size)
token["hops"] += 1
token["path"].append(rank)
if rank:
    comm.send(token, dest=(rank + 1) % size)
else:
    request.wait()
    assert token["hops"] == size and token["path"] == [*range(1, size), 0]
    print("round the ring")
