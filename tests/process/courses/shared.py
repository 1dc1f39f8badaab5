# SPDX-License-Identifier: MIT
"""A window that the processes of a host share, a counter with Fetch_and_op, and halos by Put and by Get."""
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
host = comm.Split_type(MPI.COMM_TYPE_SHARED)
N = 60
win = MPI.Win.Allocate_shared(8 * N if host.rank == 0 else 0, 8, comm=host)
memory, unit = win.Shared_query(0)
squares = np.ndarray(buffer=memory, dtype="d", shape=(N,))
win.Fence()
for i in range(host.rank, N, host.size):
    squares[i] = i * i
win.Fence()
total = squares.sum()
win.Free()
counter = np.zeros(1, dtype="i")
win = MPI.Win.Create(counter if comm.rank == 0 else bytearray(0), 4, comm=comm)
one, drawn, mine = np.ones(1, dtype="i"), np.zeros(1, dtype="i"), []
while True:
    win.Lock(0)
    win.Fetch_and_op(one, drawn, 0)
    win.Unlock(0)
    if drawn[0] >= N:
        break
    mine.append(int(drawn[0]))
win.Free()
assert sorted(sum(comm.allgather(mine), [])) == list(range(N))
field = np.full(4, float(comm.rank))
win = MPI.Win.Create(field, 8, comm=comm)
win.Fence()
win.Put([field[1:2], MPI.DOUBLE], (comm.rank - 1) % comm.size, target=3)
win.Fence()
got = np.empty(1)
win.Get(got, (comm.rank + 1) % comm.size, target=2)
win.Fence()
assert field[3] == got[0] == (comm.rank + 1) % comm.size
win.Free()
host.Free()
if comm.rank == 0:
    print(total)
