# SPDX-License-Identifier: MIT
"""The game of life on a torus of processes, with neighbourhood collectives, and with eight messages."""
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
N, STEPS = 24, 12
dims = MPI.Compute_dims(comm.size, 2)
while N % dims[0] or N % dims[1]:
    dims = [1, comm.size] if N % comm.size == 0 else comm.Abort(1)
grid = comm.Create_cart(dims, periods=[True, True])
rows, columns = N // dims[0], N // dims[1]
y, x = grid.coords
start = np.random.default_rng(3).integers(0, 2, (N, N), dtype=np.int8)
cells = np.zeros((rows + 2, columns + 2), dtype=np.int8)
cells[1:-1, 1:-1] = start[y * rows:(y + 1) * rows, x * columns:(x + 1) * columns]


def halo():
    up, down, left, right = cells[1].copy(), cells[-2].copy(), None, None
    got = grid.neighbor_alltoall([up, down, cells[:, 1].copy(), cells[:, -2].copy()])
    cells[0], cells[-1] = got[0], got[1]
    cells[:, 0], cells[:, -1] = got[2], got[3]
    for dy in (-1, 1):
        for dx in (-1, 1):
            to, source = grid.Get_cart_rank([y + dy, x + dx]), grid.Get_cart_rank([y - dy, x - dx])
            corner = np.zeros(1, dtype=np.int8)
            request = grid.Irecv(corner, source=source, tag=10 * dy + dx + 20)
            grid.Send(cells[1 if dy < 0 else rows, 1 if dx < 0 else columns].reshape(1), dest=to, tag=10 * dy + dx + 20)
            request.Wait()
            cells[-1 if dy < 0 else 0, -1 if dx < 0 else 0] = corner[0]


for _ in range(STEPS):
    halo()
    near = sum(cells[1 + i:rows + 1 + i, 1 + j:columns + 1 + j] for i in (-1, 0, 1) for j in (-1, 0, 1)) - cells[1:-1, 1:-1]
    cells[1:-1, 1:-1] = (near == 3) | ((near == 2) & (cells[1:-1, 1:-1] == 1))
alive = grid.allreduce(int(cells[1:-1, 1:-1].sum()))
blocks = grid.gather((grid.coords, cells[1:-1, 1:-1].copy()))
if grid.rank == 0:
    whole = np.zeros((N, N), dtype=int)
    for (by, bx), block in blocks:
        whole[by * rows:(by + 1) * rows, bx * columns:(bx + 1) * columns] = block
    print("\n".join("".join(".#"[c] for c in line) for line in whole))
    print(alive, "alive")
grid.Free()
