# SPDX-License-Identifier: MIT
"""Several threads of a process call MPI, which then lets them call one after another: threads.py [FAULT FIFO]."""
import queue
import sys
import threading
import time

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
me, p = comm.rank, comm.size


def together(*works):
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def in_turn():
    """Each thread calls once the one before has ended."""
    sums = []
    for i in range(3):
        together(lambda i=i: sums.append(comm.allreduce(i)))
    assert sums == [0, p, 2 * p], sums


def main_thread():
    found = []
    together(lambda: found.append(MPI.Is_thread_main()))
    assert MPI.Is_thread_main() and found == [False]


def at_once():
    """One thread's calls keep the lock of Python, another's need it within a call."""
    sizes, total = [], np.zeros(1, dtype=int)

    def add(given, sums, _):
        np.frombuffer(sums, dtype=int)[:] += np.frombuffer(given, dtype=int)

    def reduce():
        op = MPI.Op.Create(add, commute=True)
        for _ in range(50):
            comm.Allreduce(np.ones(1, dtype=int), total, op=op)
        op.Free()

    together(reduce, lambda: sizes.extend(MPI.INT.Get_true_extent()[1] for _ in range(500)), lambda: sizes.extend(MPI.DOUBLE.Get_true_extent()[1] for _ in range(500)))
    assert total[0] == p and sum(sizes) == 500 * 12, (total, sum(sizes))


def polled():
    """One thread polls, which lets another one send."""
    polls = threading.Event()

    def send():
        polls.wait()
        comm.send(me, dest=(me + 1) % p)

    thread = threading.Thread(target=send)
    thread.start()
    while not comm.iprobe(source=(me - 1) % p):
        polls.set()
    assert comm.recv(source=(me - 1) % p) == (me - 1) % p
    thread.join()


def crossed(fifo):
    """One thread waits for what node 1 sends once it has the message of another one."""
    buffer = bytearray(4)
    if me == 0:
        thread = threading.Thread(target=lambda: comm.Sendrecv(bytearray(4), 1, 0, buffer, 1, 1))  # HERE waits
        thread.start()
        with open(fifo, encoding="utf-8") as opened:
            opened.read()  # now that thread is in its call
        comm.Send(bytearray(4), dest=1, tag=2)  # HERE calls
        thread.join()
    else:
        comm.Recv(buffer, source=0, tag=0)
        with open(fifo, "w", encoding="utf-8"):
            pass
        comm.Recv(buffer, source=0, tag=2)
        comm.Send(buffer, dest=0, tag=1)


def outside(work):
    """Each node waits for the other one, and has a thread outside of MPI."""
    threading.Thread(target=work, daemon=True).start()
    comm.recv(source=1 - me)  # HERE outside


if len(sys.argv) == 1:
    assert MPI.Query_thread() == MPI.THREAD_MULTIPLE
    in_turn()
    main_thread()
    at_once()
    polled()
    print(f"node {me} of {p} is right")
elif sys.argv[1] == "crossed":
    crossed(sys.argv[2])
else:
    outside({"sleeps": lambda: time.sleep(900), "idle": queue.Queue().get}[sys.argv[1]])
