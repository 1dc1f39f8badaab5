# SPDX-License-Identifier: MIT
"""All-reduce round a ring, in Python: complete my_allreduce."""


def my_allreduce(a, comm):
    """Add the numbers of the arrays a (array.array of doubles) of all nodes of the communicator, at all of them."""
    p, rank = comm.size, comm.rank
    left, right = (rank - 1) % p, (rank + 1) % p
    # your turn: p - 1 rounds in which parts are added, p - 1 in which they are passed on
    raise NotImplementedError
