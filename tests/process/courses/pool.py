# SPDX-License-Identifier: MIT
"""Tasks of different lengths: Isend and Irecv of all workers, Waitany at the master, Iprobe at the workers."""
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
p, rank = comm.size, comm.rank
TASKS = 40


def solve(task):
    return sum(1 for k in range(1, task + 2) if (task + 1) % k == 0)


results = np.zeros(TASKS, dtype="i")
if rank == 0 and p > 1:
    boxes = np.zeros((p - 1, 2), dtype="i")
    requests = [comm.Irecv(boxes[i], source=i + 1, tag=1) for i in range(p - 1)]
    sends, given, done = [], 0, 0
    for i in range(p - 1):
        sends.append(comm.isend(given if given < TASKS else -1, dest=i + 1))
        given += 1
    while done < TASKS:
        i = MPI.Request.Waitany(requests)
        task, answer = boxes[i]
        results[task] = answer
        done += 1
        sends.append(comm.isend(given if given < TASKS else -1, dest=i + 1))
        if given < TASKS:
            requests[i] = comm.Irecv(boxes[i], source=i + 1, tag=1)
        given += 1
    MPI.Request.waitall(sends)
elif rank == 0:
    results[:] = [solve(task) for task in range(TASKS)]
else:
    while True:
        while not comm.Iprobe(source=0):
            pass
        task = comm.recv(source=0)
        if task < 0:
            break
        comm.Isend(np.array([task, solve(task)], dtype="i"), dest=0, tag=1).Wait()
if rank == 0:
    print(*results)
