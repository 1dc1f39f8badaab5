# SPDX-License-Identifier: MIT
"""Calls of MPI from Python, with objects and with arrays: each checks what it gives; prints one line a node."""
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
me, p = comm.rank, comm.size
left, right = (me - 1) % p, (me + 1) % p

# Objects.
assert comm.bcast({"a": [1, 2]} if me == 0 else None) == {"a": [1, 2]}
assert comm.gather(me * me, root=p - 1) == ([i * i for i in range(p)] if me == p - 1 else None)
assert comm.scatter([f"to {i}" for i in range(p)] if me == 0 else None) == f"to {me}"
assert comm.allreduce(me + 1) == p * (p + 1) // 2
assert comm.alltoall([(me, i) for i in range(p)]) == [(i, me) for i in range(p)]
assert comm.sendrecv("x" * (1 + 1000 * me), dest=right, source=left) == "x" * (1 + 1000 * left)

# Arrays, in place and with gaps.
a = np.arange(10.0) + me
total = np.empty_like(a)
comm.Allreduce(a, total, op=MPI.SUM)
assert np.array_equal(total, p * np.arange(10.0) + p * (p - 1) / 2)
comm.Allreduce(MPI.IN_PLACE, a, op=MPI.MAX)
assert np.array_equal(a, np.arange(10.0) + p - 1)
every = np.zeros((p, 3), dtype="i")
comm.Allgather(np.full(3, me, dtype="i"), every)
assert (every == np.arange(p)[:, None]).all()
counts = [i + 1 for i in range(p)]
some = np.zeros(sum(counts))
comm.Allgatherv(np.full(me + 1, float(me)), [some, counts, np.cumsum([0] + counts[:-1]), MPI.DOUBLE])
assert np.array_equal(some, np.repeat(np.arange(p, dtype=float), counts))
mine = np.zeros(1, dtype="i")
comm.Reduce_scatter(np.arange(p, dtype="i"), mine, recvcounts=[1] * p)
assert mine[0] == me * p
column = MPI.DOUBLE.Create_vector(4, 1, 6).Commit()
table = np.full((4, 6), -1.0)
table[:, 1] = me
flat = table.ravel()
comm.Sendrecv([flat[1:], 1, column], right, recvbuf=[flat[3:], 1, column], source=left)
assert (table[:, 3] == left).all() and (table[:, [0, 2, 4, 5]] == -1).all()
column.Free()

# Requests: what comes is there after the wait, and not written where nothing came.
box = np.full(8, -1, dtype="i")
requests = [comm.Irecv(box[:4], source=left, tag=7), comm.Isend(np.full(3, me, dtype="i"), dest=right, tag=7)]
status = [MPI.Status(), MPI.Status()]
MPI.Request.Waitall(requests, status)
assert box.tolist() == [left] * 3 + [-1] * 5 and status[0].Get_count(MPI.INT) == 3 and status[0].source == left
parcel = np.zeros(2, dtype="i")
again = [comm.Send_init(parcel, dest=right), comm.Recv_init(box[6:], source=left)]
for i in range(3):
    parcel[:] = [10 * i, me]
    MPI.Prequest.Startall(again)
    MPI.Request.Waitall(again)
    assert box[6:].tolist() == [10 * i, left]
for request in again:
    request.Free()
summed = np.zeros(1)
comm.Iallreduce(np.ones(1), summed).Wait()
assert summed[0] == p
other = comm.Idup()
other[1].Wait()
assert other[0].size == p
other[0].Free()

# Nobody, and anybody.
comm.Send(np.ones(1), dest=MPI.PROC_NULL)
got = MPI.Status()
comm.Recv(np.ones(1), source=MPI.PROC_NULL, status=got)
assert got.source == MPI.PROC_NULL and got.tag == MPI.ANY_TAG
if me == 0:
    seen = set()
    for _ in range(p - 1):
        comm.Probe(MPI.ANY_SOURCE, 5, got)
        seen.add(comm.recv(source=got.source, tag=5))
    assert seen == set(range(1, p))
else:
    comm.send(me, dest=0, tag=5)

# Buffered sends, absolute addresses.
MPI.Attach_buffer(bytearray(1000 + MPI.BSEND_OVERHEAD))
try:
    MPI.Attach_buffer(bytearray(9))
    raise SystemExit("two buffers were attached")
except MPI.Exception as error:
    assert error.Get_error_class() == MPI.ERR_BUFFER
comm.Bsend(np.full(2, me, dtype="i"), dest=right)
pair = np.zeros(2, dtype="i")
comm.Recv(pair, source=left)
assert pair.tolist() == [left, left] and len(MPI.Detach_buffer()) == 1000 + MPI.BSEND_OVERHEAD
there, far = np.full(2, -1, dtype="i"), np.zeros(1 << 20)
whole = MPI.Datatype.Create_struct([2, 1], [MPI.Get_address(there), MPI.Get_address(far)], [MPI.INT, MPI.DOUBLE]).Commit()
if me == 0:
    there[:], far[0] = [4, 5], 6
comm.Bcast([MPI.BOTTOM, 1, whole])
assert there.tolist() == [4, 5] and far[0] == 6 and far[1] == 0
whole.Free()

# Communicators, grids, attributes, functions of the program.
part = comm.Split(me % 2, -me)
assert part.size == (p + 1 - me % 2) // 2 and part.allgather(me) == [i for i in reversed(range(p)) if i % 2 == me % 2]
part.Free()
grid = comm.Create_cart([p], periods=[False])
before, after = grid.Shift(0, 1)
assert before == (me - 1 if me else MPI.PROC_NULL) and after == (me + 1 if me < p - 1 else MPI.PROC_NULL)
near = grid.neighbor_allgather(me)
assert near == [before if me else None, after if me < p - 1 else None]
grid.Free()
assert comm.Get_attr(MPI.TAG_UB) >= 32767
deleted = []
key = MPI.Comm.Create_keyval(copy_fn=lambda c, k, v: v + 1, delete_fn=lambda c, k, v: deleted.append(v))
comm.Set_attr(key, 3)
copy = comm.Dup()
assert copy.Get_attr(key) == 4 and comm.Get_attr(key) == 3
copy.Free()
comm.Delete_attr(key)
assert deleted == [4, 3]
MPI.Comm.Free_keyval(key)


def longest(left_bytes, right_bytes, kind):
    """An operator that is not MPI's, and asks MPI."""
    assert kind.Get_size() == 8
    a, b = np.frombuffer(left_bytes, "d"), np.frombuffer(right_bytes, "d")
    b[:] = np.where(abs(a) > abs(b), a, b)


operators = [MPI.Op.Create(longest, commute=True) for _ in range(3)]
best = np.zeros(20000)
comm.Allreduce(np.full(20000, -1.0 - me), best, op=operators[2])
assert (best == -p).all()
for operator in operators:
    operator.Free()

# Windows: what both sides write at different places stays; results come when an access is complete.
memory = np.full(4, -1.0)
win = MPI.Win.Create(memory, 8, comm=comm)
assert win.Get_attr(MPI.WIN_SIZE) == 32 and win.Get_attr(MPI.WIN_DISP_UNIT) == 8
win.Fence()
memory[3] = me
win.Put(np.array([me, 7.0]), right)
win.Fence()
assert memory.tolist() == [left, 7, -1, me]
two = [np.zeros(2), np.zeros(4)]
win.Lock(right, MPI.LOCK_SHARED)
win.Get(two[0], right)
win.Flush(right)
assert two[0].tolist() == [me, 7]
win.Get(two[1], right)
win.Unlock(right)
assert two[1].tolist() == [me, 7, -1, right]
comm.Barrier()
win.Lock(0)
win.Accumulate(np.ones(1), 0, target=[2, 1, MPI.DOUBLE])
win.Unlock(0)
comm.Barrier()
assert memory[2] == (p - 1 if me == 0 else -1)
win.Free()
win = MPI.Win.Allocate(8, 8, comm=comm)
counter, drawn = np.frombuffer(win.tomemory(), "d"), np.zeros(1)
assert win.flavor == MPI.WIN_FLAVOR_ALLOCATE
win.Lock_all()
win.Fetch_and_op(np.ones(1), drawn, 0)
win.Unlock_all()
assert sorted(comm.allgather(drawn[0])) == list(range(p)) and counter[0] == (p if me == 0 else 0)
win.Free()
try:
    comm.Send(np.ones(1), dest=p)
    raise SystemExit("a wrong rank was not found")
except MPI.Exception as error:
    assert error.Get_error_class() == MPI.ERR_RANK
print(f"node {me} of {p} is right")
