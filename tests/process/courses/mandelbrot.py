# SPDX-License-Identifier: MIT
"""Mandelbrot's set by a master, which gives out rows, and workers, which ask for the next one."""
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
WIDTH, HEIGHT, MOST = 60, 24, 50
WORK, STOP = 1, 2


def row(y):
    c = np.linspace(-2.2, 0.8, WIDTH) + 1j * (-1.2 + 2.4 * y / (HEIGHT - 1))
    z, count = np.zeros_like(c), np.zeros(WIDTH, dtype=np.int32)
    for _ in range(MOST):
        inside = abs(z) <= 2
        z[inside] = z[inside] ** 2 + c[inside]
        count += inside
    return count


def master():
    image, status = np.zeros((HEIGHT, WIDTH), dtype=np.int32), MPI.Status()
    given, active, rows = 0, 0, {}
    for worker in range(1, comm.size):
        if given < HEIGHT:
            comm.send(given, dest=worker, tag=WORK)
            rows[worker] = given
            given, active = given + 1, active + 1
        else:
            comm.send(None, dest=worker, tag=STOP)
    buffer = np.empty(WIDTH, dtype=np.int32)
    while active:
        comm.Recv(buffer, source=MPI.ANY_SOURCE, tag=WORK, status=status)
        worker = status.Get_source()
        image[rows[worker]] = buffer
        if given < HEIGHT:
            comm.send(given, dest=worker, tag=WORK)
            rows[worker] = given
            given += 1
        else:
            comm.send(None, dest=worker, tag=STOP)
            active -= 1
    return image


def worker():
    status = MPI.Status()
    while True:
        y = comm.recv(source=0, tag=MPI.ANY_TAG, status=status)
        if status.tag == STOP:
            return
        comm.Send(row(y), dest=0, tag=WORK)


if comm.size == 1:
    picture = np.array([row(y) for y in range(HEIGHT)])
else:
    picture = master() if comm.rank == 0 else worker()
if comm.rank == 0:
    print("\n".join("".join(" .:*#"[min(c // 4, 4)] for c in line) for line in picture))
