# SPDX-License-Identifier: MIT
"""Kinds of use: groups that talk to one another, neighbours, a sparse exchange, windows by post and start, big objects."""
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
me, p = comm.rank, comm.size
left, right = (me - 1) % p, (me + 1) % p


def between_groups():
    half = comm.Split(me % 2, me)
    inter = half.Create_intercomm(0, comm, 1 - me % 2, tag=3)
    others = list(range(1 - me % 2, p, 2))
    assert inter.allgather(("rank", me)) == [("rank", other) for other in others]
    assert inter.allreduce(me) == sum(others)
    root = 0 if me % 2 else MPI.ROOT if me == 0 else MPI.PROC_NULL
    assert inter.bcast("x" if me == 0 else None, root=root) == ("x" if me % 2 else None)
    whole = inter.Merge(high=me % 2 == 1)
    assert whole.allgather(me) == [*range(0, p, 2), *range(1, p, 2)]
    for one in whole, inter, half:
        one.Free()


def some():
    part = comm.Split(MPI.UNDEFINED if me == 0 else 1, -me)
    assert (part == MPI.COMM_NULL) == (me == 0)
    if me > 0:
        assert part.allgather(me) == list(range(p - 1, 0, -1))
        part.Free()


def neighbours():
    ring = comm.Create_dist_graph_adjacent([left], [right])
    got, one = np.zeros(3), np.zeros(1)
    ring.Neighbor_allgather(np.full(3, me, float), got)
    ring.Ineighbor_alltoall(np.full(1, me, float), one).Wait()
    assert (got == left).all() and one[0] == left
    assert ring.Get_dist_neighbors()[:2] == ([left], [right])
    both = comm.Create_graph([2 * i + 2 for i in range(p)], [near % p for i in range(p) for near in (i + 1, i - 1)])
    assert both.Get_neighbors(me) == [right, left] and both.neighbor_allgather(me) == [right, left]
    ring.Free()
    both.Free()


def sparse():
    """Hoefler, Siebert, Lumsdaine 2010: synchronous sends, and a barrier once all are received."""
    requests, got, barrier = [comm.issend(me, dest=node, tag=5) for node in (right, (me + 3) % p)], [], None
    while barrier is None or not barrier.Test():
        if comm.iprobe(tag=5):
            got.append(comm.recv(tag=5))
        if barrier is None and all(request.Test() for request in requests):
            barrier = comm.Ibarrier()
    assert sorted(got) == sorted([left, (me - 3) % p]), got


def accesses():
    memory, group = np.zeros(4), comm.Get_group()
    win = MPI.Win.Create(memory, 8, comm=comm)
    win.Post(group)
    win.Start(group)
    win.Put(np.full(1, 7.0), right, target=2)
    win.Complete()
    win.Wait()
    assert memory[2] == 7
    win.Free()
    group.Free()


def big():
    given = {"numbers": list(range(100000)), "bytes": b"x" * 3000000, "array": np.arange(200000)} if me == 0 else None
    got = comm.bcast(given)
    assert len(got["bytes"]) == 3000000 and got["array"].sum() == sum(range(200000)) and got["numbers"][-1] == 99999
    part = comm.scatter([np.full(1000 * (i + 1), i) for i in range(p)] if me == 0 else None)
    sums = comm.gather(part * 2)
    assert me > 0 or [one.sum() for one in sums] == [2000 * i * (i + 1) for i in range(p)]
    request = comm.isend("z" * 10, dest=me)
    assert comm.mprobe(source=me).recv() == "z" * 10
    request.wait()


def packed():
    room, got = bytearray(100), np.zeros(3, "i")
    assert MPI.INT.Pack(np.arange(3, dtype="i"), room, 0, comm) == 12
    MPI.INT.Unpack(room, 0, got, comm)
    assert (got == range(3)).all()


def types():
    """Several names of Open MPI's are one type of Peal's: a call that gets a type to change does not change its name."""
    for one in MPI.LOGICAL1, MPI.LOGICAL4, MPI.INT8_T, MPI.DOUBLE:
        handle = MPI._handleof(one)
        one.Commit()
        assert MPI._handleof(one) == handle, one.name


if p > 1:
    between_groups()
for work in some, neighbours, sparse, accesses, big, packed, types:
    work()
comm.Barrier()  # all print in one round
print(f"node {me} of {p} is right")
