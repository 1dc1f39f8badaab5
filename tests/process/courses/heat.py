# SPDX-License-Identifier: MIT
"""Heat in two dimensions: blocks of rows and columns, halos of rows by arrays, of columns by a vector type."""
import numpy as np
from mpi4py import MPI

N, STEPS = 24, 40
comm = MPI.COMM_WORLD
dims = MPI.Compute_dims(comm.size, 2)
grid = comm.Create_cart(dims, periods=[False, False], reorder=True)
(up, down), (left, right) = grid.Shift(0, 1), grid.Shift(1, 1)
parts = [[N * i // dims[d] for i in range(dims[d] + 1)] for d in (0, 1)]
(top, end), (first, after) = ([parts[d][grid.coords[d]], parts[d][grid.coords[d] + 1]] for d in (0, 1))
rows, columns = end - top, after - first
u = np.zeros((rows + 2, columns + 2))
if up == MPI.PROC_NULL:
    u[0] = 1
column = MPI.DOUBLE.Create_vector(rows + 2, 1, columns + 2).Commit()
for _ in range(STEPS):
    requests = [grid.Irecv(u[0], source=up), grid.Irecv(u[-1], source=down), grid.Isend(u[1], dest=up), grid.Isend(u[-2], dest=down)]
    MPI.Request.Waitall(requests)
    flat = u.reshape(-1)
    grid.Sendrecv([flat[columns:], 1, column], dest=right, recvbuf=[flat, 1, column], source=left)
    grid.Sendrecv([flat[1:], 1, column], dest=left, recvbuf=[flat[columns + 1:], 1, column], source=right)
    u[1:-1, 1:-1] += 0.2 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])
column.Free()
blocks = grid.gather((top, first, u[1:-1, 1:-1].copy()))
grid.Free()
if comm.rank == 0:
    whole = np.zeros((N, N))
    for y, x, block in blocks:
        whole[y:y + block.shape[0], x:x + block.shape[1]] = block
    print("\n".join(" ".join(f"{t:.10f}" for t in line[::6]) for line in whole[::6]), f"{whole.sum():.9f}")
