# SPDX-License-Identifier: MIT
"""Wrong: the calls in small letters pickle what they send: more bytes.

  loses    bytes on a ring
"""
import array


def parts_of(a, p):
    """The array in p parts, as views: the first n mod p have one number more."""
    n, view = len(a), memoryview(a)
    begins = [i * (n // p) + min(i, n % p) for i in range(p + 1)]
    return [view[begins[i]:begins[i + 1]] for i in range(p)]


def my_allreduce(a, comm):
    p, rank = comm.size, comm.rank
    left, right = (rank - 1) % p, (rank + 1) % p
    parts = parts_of(a, p)
    for t in range(p - 1):
        sent, mine = parts[(rank - t) % p], parts[(rank - t - 1) % p]
        got = comm.sendrecv(array.array("d", sent), right, source=left)
        for i, number in enumerate(got):
            mine[i] += number
    for t in range(p - 1):  # now part rank + 1 is complete
        sent, mine = parts[(rank + 1 - t) % p], parts[(rank - t) % p]
        mine[:] = comm.sendrecv(array.array("d", sent), right, source=left)
