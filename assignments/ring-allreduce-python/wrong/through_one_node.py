# SPDX-License-Identifier: MIT
"""Wrong: node 0 adds all vectors, and sends the sum to all.

  loses    bytes on a ring
"""
import array


def my_allreduce(a, comm):
    for other in range(1, comm.size):
        if comm.rank == 0:
            got = array.array("d", a)
            comm.Recv(got, other)
            for i, number in enumerate(got):
                a[i] += number
        elif comm.rank == other:
            comm.Send(a, 0)
    for other in range(1, comm.size):
        if comm.rank == 0:
            comm.Send(a, other)
        elif comm.rank == other:
            comm.Recv(a, 0)
