# SPDX-License-Identifier: MIT
"""Windows whose memory the nodes share, that MPI allocates, and of absolute addresses."""
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
me, p = comm.rank, comm.size
after = (me + 1) % p


def shared():
    unit = MPI.DOUBLE.Get_size()
    win = MPI.Win.Allocate_shared(unit * 4 if me == 0 else 0, unit, comm=comm)
    memory, size = win.Shared_query(0)
    numbers = np.ndarray(buffer=memory, dtype="d", shape=(4,))
    comm.Barrier()
    if me == p - 1:
        numbers[1] = 7
    comm.Barrier()
    assert numbers[1] == 7 and size == unit and win.flavor == MPI.WIN_FLAVOR_SHARED, numbers
    win.Free()


def allocated():
    win = MPI.Win.Allocate(16, 8, comm=comm)
    numbers, got = np.frombuffer(win, dtype="d"), np.zeros(2)
    numbers[:] = me
    win.Fence()
    win.Get(got, after)
    win.Fence()
    assert (got == after).all(), got
    win.Lock(0)
    win.Accumulate(np.array([1.0]), 0, target=1, op=MPI.SUM)
    win.Unlock(0)
    comm.Barrier()
    assert numbers[1] == (p if me == 0 else me) and win.flavor == MPI.WIN_FLAVOR_ALLOCATE, numbers
    win.Free()


def passive():
    """An access to nobody ends alone; several accesses have one result, which is that of the last that ends."""
    numbers, got, one, last = np.full(3, float(me)), np.zeros(3), np.ones(1), np.full(1, -1.0)
    win = MPI.Win.Create(numbers, 8, comm=comm)
    win.Lock(after, MPI.LOCK_SHARED)
    win.Lock(MPI.PROC_NULL)
    win.Get(got, after)
    win.Put(one, MPI.PROC_NULL)
    win.Unlock(MPI.PROC_NULL)
    win.Unlock(after)
    assert (got == after).all(), got
    comm.Barrier()
    win.Lock_all()
    for node in range(p):
        win.Fetch_and_op(one, last, node, 1, MPI.SUM)
    for node in range(p):
        win.Flush(node)
    assert 0 <= last[0] - (p - 1) < p, last
    win.Unlock_all()
    win.Free()
    assert numbers[1] == me + p, numbers


def dynamic():
    win = MPI.Win.Create_dynamic(MPI.INFO_NULL, comm)
    numbers, others, got = np.full(3, float(me)), np.zeros(2), np.zeros(3)
    win.Attach(numbers)
    win.Attach(others)
    places = comm.allgather(MPI.Get_address(numbers))
    win.Fence()
    win.Put(np.array([9.0]), after, target=(places[after] + 8, 1, MPI.DOUBLE))
    win.Fence()
    assert numbers.tolist() == [me, 9, me], numbers
    win.Lock(after)
    win.Get(got, after, target=(places[after], 3, MPI.DOUBLE))
    win.Unlock(after)
    assert got.tolist() == [after, 9, after], got
    comm.Barrier()
    win.Detach(others)
    win.Detach(numbers)
    win.Free()


shared()
allocated()
passive()
dynamic()
print(f"node {me} of {p} is right")
