# SPDX-License-Identifier: MIT
"""Arrays that are right for calls which give a count, a datatype or displacements: parts, views, other orders, other classes."""
from array import array

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
me, p = comm.rank, comm.size
left, right = (me - 1) % p, (me + 1) % p


class Field:
    """Its rows are parts of an array that has no name."""

    def __init__(self):
        self.rows = [row[1:] for row in np.full((3, 5), float(me))]


def shift(out, into):
    comm.Sendrecv(out, right, recvbuf=into, source=left)


# Parts of an array: what follows in memory is the array's, too.
whole, field, other = np.full(40, float(me)), Field(), Field()
part, table = whole[:10], whole.reshape(5, 8)
shift([part, 20, MPI.DOUBLE], [whole[20:21], 20, MPI.DOUBLE])
assert whole.tolist() == [me] * 20 + [left] * 20
shift([part, (4, 8), MPI.DOUBLE], [whole[36:], (4, 0), MPI.DOUBLE])
shift([field.rows[1], 9, MPI.DOUBLE], [other.rows[0], 9, MPI.DOUBLE])
assert [row.tolist() for row in other.rows] == [[left] * 4, [left] * 4, [me] * 4]

# Columns, and rows of an array in Fortran's order.
column = MPI.DOUBLE.Create_vector(5, 1, 8).Commit()
table[:, 1] = me + 100
shift([table[0, 1:], 1, column], [table[0, 7:], 1, column])
assert (table[:, 7] == left + 100).all()
slim = column.Create_resized(0, 8).Commit()
shift([table, 8, slim], [np.empty((5, 8)), 40, MPI.DOUBLE])
turned = np.asfortranarray(np.full((4, 6), float(me)))
shift([turned, 24, MPI.DOUBLE], [turned.T, 24, MPI.DOUBLE])
shift([np.moveaxis(np.zeros((2, 3, 4)), 0, 1).copy("K").ravel("K"), 24, MPI.DOUBLE], [np.empty(24), MPI.DOUBLE])
inner = MPI.DOUBLE.Create_subarray([5, 8], [3, 6], [1, 1]).Commit()
shift([table, 1, inner], [np.empty(18), 18, MPI.DOUBLE])

# Nothing, the end of an array, other classes.
empty = np.empty(0)
shift([empty, 0, MPI.DOUBLE], [whole[40:], 0, MPI.DOUBLE])
shift([bytearray(8), 8, MPI.BYTE], [memoryview(bytearray(9))[1:], 8, MPI.BYTE])
shift([b"12345678", 2, MPI.INT], [array("i", [0, 0]), 2, MPI.INT])
shift([np.frombuffer(bytearray(16)), 2, MPI.DOUBLE], [memoryview(whole)[38:], 2, MPI.DOUBLE])
pairs = np.zeros(3, dtype=[("number", "i4"), ("weight", "f8")])
shift([pairs[:1], pairs.nbytes, MPI.BYTE], [pairs.copy()[0:2], pairs.nbytes, MPI.BYTE])

# Displacements, also of nothing; two arrays by their addresses.
counts = [3] * p
counts[0] = 0
places = [3 * i for i in range(p)]
places[0] = 1000
mine, several = np.full(counts[me], me, dtype="i"), np.zeros(3 * p, dtype="i")
comm.Allgatherv(mine, [several, counts, places, MPI.INT])
assert several.tolist() == [i if i > 0 else 0 for i in range(p) for _ in range(3)]
comm.Alltoallw([several, [3] * p, [12 * i for i in range(p)], [MPI.INT] * p], [several.copy(), [3] * p, [12 * i for i in range(p)], [MPI.INT] * p])
both = MPI.Datatype.Create_struct([2, 1], [MPI.Get_address(part), MPI.Get_address(several)], [MPI.DOUBLE, MPI.INT]).Commit()
comm.Bcast([MPI.BOTTOM, 1, both])
relative = MPI.INT.Create_hindexed([2, 1], [0, MPI.Get_address(several) - MPI.Get_address(part)]).Commit()
comm.Bcast([part, 1, relative])
requests = [comm.Irecv([whole[4:6], 3, MPI.DOUBLE], left), comm.Isend([part[:0], 3, MPI.DOUBLE], right)]
MPI.Request.Waitall(requests)
for kind in column, slim, inner, both, relative:
    kind.Free()
print(f"node {me} of {p} is right")
