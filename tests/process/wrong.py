# SPDX-License-Identifier: MIT
"""Faults, by their names; the line of each has the comment HERE and the name."""
import argparse
import ctypes
import gc
import mmap
import os
import signal
import sys
import time

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
me, p = comm.rank, comm.size


def wait_for(node):
    return comm.recv(source=node)  # HERE deadlock


def older(value):
    gc.collect(0)
    return value


class Unpicklable:
    def __reduce__(self):
        raise RuntimeError("not this one")  # HERE unpicklable


def main(fault):
    if fault == "deadlock":
        wait_for((me + 1) % p)
    elif fault == "cycle":
        comm.Recv(bytearray(4), source=(me + 1) % p)  # HERE cycle
    elif fault == "mismatch":
        comm.bcast(1) if me else comm.Barrier()  # HERE mismatch
    elif fault == "truncation":
        MPI.COMM_WORLD.Set_errhandler(MPI.ERRORS_ARE_FATAL)
        if me == 0:
            comm.Send(bytearray(4), dest=1)
        elif me == 1:
            comm.Recv(bytearray(2), source=0)  # HERE truncation
    elif fault == "leak":
        comm.Dup()  # HERE leak
    elif fault == "lost":
        if me == 1:
            comm.isend("x", dest=0)  # HERE lost
        elif me == 0:
            comm.recv(source=1)
    elif fault == "changed":
        part = np.full(4, me)
        request = comm.Isend(part, dest=1 - me)  # HERE changed
        whole = np.empty(4, dtype=int)
        comm.Recv(whole, source=1 - me)
        part[2] = 7
        request.Wait()  # HERE wait
    elif fault == "early":
        part = np.zeros(4)
        request = comm.Irecv(part, source=1 - me)  # HERE early
        part[:] = 3
        comm.Send(np.ones(4), dest=1 - me)
        request.Wait()
    elif fault == "freed":
        win = MPI.Win.Create(np.ones(9), 8, comm=comm)
        win.Fence()
        win.Get(np.zeros(9), 1 - me)  # HERE freed
        others = np.full(9, 5.0)
        win.Fence()  # HERE fence
        assert (others == 5).all(), others
        win.Free()
    elif fault == "array":
        if me == 0:
            comm.Send(np.arange(4.0), dest=1)
        elif me == 1:
            comm.recv(source=0)  # HERE array
    elif fault == "object":
        if me == 0:
            comm.send(np.arange(4.0), dest=1)
        elif me == 1:
            comm.Recv(np.empty(4), source=0)  # HERE object
    elif fault == "type":
        if me == 0:
            comm.Send(np.arange(4), dest=1)
        elif me == 1:
            comm.Recv(np.empty(4), source=0)  # HERE type
    elif fault == "halves":
        if me == 0:
            comm.Send(np.arange(4.0), dest=1)
        elif me == 1:
            comm.Recv(np.empty(4, dtype=np.float32), source=0)  # HERE halves
    elif fault == "gaps":
        comm.Bcast(np.zeros((4, 4))[:, 1])  # HERE gaps
    elif fault == "list":
        comm.Recv([0, 0], source=1 - me)  # HERE list
    elif fault == "blocks":
        comm.Gather(np.zeros(3), np.zeros(3) if me == 0 else None)  # HERE blocks
    elif fault == "broadcast":
        data = None if me else {"n": 1}
        comm.bcast(data)
        print(data["n"])  # HERE broadcast
    elif fault == "reduced":
        total = comm.reduce(me)
        print(total / p)  # HERE reduced
    elif fault == "received":
        got = comm.Sendrecv(np.ones(2), 1 - me, recvbuf=np.empty(2), source=1 - me)
        print(got[0])  # HERE received
    elif fault == "parts":
        comm.scatter(None if me else list(range(p + 1)))  # HERE parts
    elif fault == "some":
        if me != 0:
            comm.Barrier()  # HERE some
    elif fault == "outside":
        part = comm.Split(me, 0)
        part.send("word", dest=1)  # HERE outside
    elif fault == "colour":
        part = comm.Split(MPI.UNDEFINED if me == 2 else 0, 0)
        part.allreduce(1)  # HERE colour
    elif fault == "counts":
        whole = None if me else np.empty(9)
        comm.Gatherv(np.ones(me + 1), [whole, [2] * p])  # HERE counts
    elif fault == "beyond":
        few = np.zeros(10)
        comm.Send([np.ones(20), 20, MPI.DOUBLE], dest=1) if me == 0 else comm.Recv([few, 20, MPI.DOUBLE], source=0)  # HERE beyond
    elif fault == "bytes":
        few = np.zeros(10)
        comm.Allreduce([np.ones(80), few.nbytes, MPI.DOUBLE], [few, few.nbytes, MPI.DOUBLE])  # HERE bytes
    elif fault == "parts from":
        whole = np.arange(10.0).reshape(5, 2)
        comm.Scatterv([whole, [5] * p, [5 * i + 3 for i in range(p)], MPI.DOUBLE], np.empty(5))  # HERE parts from
    elif fault == "parts into":
        some = bytearray(12)
        comm.Gatherv(bytearray(3), [some, [3] * p, [20 * i for i in range(p)], MPI.BYTE])  # HERE parts into
    elif fault == "each":
        few = np.zeros(2 * p)
        comm.Gather(np.zeros(2 * p), [few, 2 * p, MPI.DOUBLE])  # HERE each
    elif fault == "all to all":
        few, where = np.zeros(10), ([6] * p, [48 * i for i in range(p)], [MPI.DOUBLE] * p)
        comm.Alltoallw([np.ones(12), *where], [few, *where])  # HERE all to all
    elif fault == "column":
        column = MPI.DOUBLE.Create_vector(4, 1, 5).Commit()
        table = np.zeros((3, 5))
        comm.Bcast([table, 1, column])  # HERE column
    elif fault == "columns":
        column = MPI.DOUBLE.Create_vector(4, 1, 5).Commit()
        table = np.zeros((4, 5))
        comm.Bcast([table, 5, column])  # HERE columns
    elif fault == "absolute":
        few = np.zeros(3)
        two = MPI.Datatype.Create_struct([4, 1], [MPI.Get_address(few), MPI.Get_address(bytearray(8))], [MPI.DOUBLE, MPI.BYTE])
        comm.Bcast([MPI.BOTTOM, 1, two.Commit()])  # HERE absolute
    elif fault == "member":
        part = argparse.Namespace(field=np.zeros((4, 3))[1:])
        comm.Bcast([part.field[2], 6, MPI.DOUBLE])  # HERE member
    elif fault == "unnamed":
        comm.Bcast(older([np.zeros(3), 6, MPI.DOUBLE]))  # HERE unnamed
    elif fault == "put":
        few, win = np.zeros(3), MPI.Win.Create(np.zeros(8), 8, comm=comm)
        win.Fence()
        win.Put([few, 4, MPI.DOUBLE], 1 - me)  # HERE put
        win.Fence()
        win.Free()
    elif fault == "in C":
        part = (ctypes.c_double * 3 * 2)()[1]
        comm.Bcast([part, 4, MPI.DOUBLE])  # HERE in C
    elif fault == "mapped":
        few = mmap.mmap(-1, 24)
        comm.Bcast([few, 4, MPI.DOUBLE])  # HERE mapped
    elif fault == "later":
        few = np.zeros(3)
        request = comm.Irecv([few, 4, MPI.DOUBLE], source=1 - me)  # HERE later
        comm.Send(np.ones(4), dest=1 - me)
        request.Wait()
    elif fault == "far":
        few = np.zeros(3)
        comm.Bcast([few, 2000000000, MPI.BYTE])  # HERE far
    elif fault == "race":
        if me == 0:
            assert [comm.recv() for _ in range(p - 1)][0] == 1  # HERE race
        else:
            comm.send(me, dest=0)
    elif fault == "exception":
        if me == 1:
            raise ValueError("no good")  # HERE exception
        comm.recv(source=1)
    elif fault == "polls":
        if me == 1:
            comm.send(1, dest=0, tag=5)
        while me == 0 and not comm.iprobe(source=1, tag=4):  # HERE polls
            pass
    elif fault == "held":
        win = MPI.Win.Allocate(64, 8, comm=comm)
        if me == 0:
            win.Lock(0)  # HERE held
        comm.Barrier()
        if me == 1:
            win.Lock(0)
        comm.Barrier()
    elif fault == "roots":
        half = comm.Split(me % 2)
        inter = half.Create_intercomm(0, comm, 1 - me % 2)
        inter.bcast("x", root=0)  # HERE roots
    elif fault == "twice":
        request = comm.Recv_init(bytearray(2), 1 - me)
        request.Start()
        request.Start()  # HERE twice
    elif fault == "barrier":
        comm.Ibarrier().Wait() if me else comm.Barrier()  # HERE barrier
    elif fault == "unpicklable":
        comm.gather(Unpicklable() if me == 2 else 1)
    elif fault == "left":
        if me == 1:
            sys.exit(3)
        comm.Barrier()  # HERE left
    elif fault == "abort":
        if me == 2:
            comm.Abort(9)  # HERE abort
        comm.recv()
    elif fault == "dies":
        comm.Barrier()  # HERE dies
        if me == 2:
            os._exit(4)
        comm.allreduce(1)
    elif fault == "forked":
        child = os.fork()
        if child == 0:
            raise ValueError("not of a node")
        os.waitpid(child, 0)
        comm.recv(source=1 - me)  # HERE forked
    elif fault == "killed":
        if me == 1:
            os.kill(os.getpid(), 9)
        comm.Barrier()
    elif fault == "hangs":
        comm.Barrier()  # HERE hangs
        while me == 1:
            pass
        comm.Barrier()
    elif fault == "sleeps":
        os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "987")
        time.sleep(900)
    elif fault in ("exits", "stops", "prints"):
        def add(given, sums, _):
            if me == 1 and fault == "exits":
                os._exit(4)
            if me == 1 and fault == "stops":
                os.kill(os.getpid(), signal.SIGSTOP)
            if me == 1:
                print("x" * 200000, flush=True)  # more than a pipe holds
            np.frombuffer(sums, dtype=int)[:] += np.frombuffer(given, dtype=int)
        operator = MPI.Op.Create(add, commute=True)
        comm.Allreduce(np.ones(1, dtype=int), np.empty(1, dtype=int), op=operator)  # HERE combined
        operator.Free()
    elif fault == "input":
        print(comm.allreduce(int(input())))  # HERE input
    elif fault == "short":
        whole = np.zeros(2 * p) if me == 0 else None
        comm.Scatterv([whole, [2] * p, None, MPI.DOUBLE], np.zeros(1))  # HERE short
    elif fault == "code":
        sys.exit(5 if me == p - 1 else 0)


main(sys.argv[1])
