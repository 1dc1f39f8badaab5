# SPDX-License-Identifier: MIT
"""Wrong: MPI's own all-reduce is called, which is forbidden.

  loses    P divides n
  loses    any n
  loses    any communicator
  loses    the rules of MPI
  loses    rounds
  loses    bytes on a ring
"""
from mpi4py import MPI


def my_allreduce(a, comm):
    comm.Allreduce(MPI.IN_PLACE, a)
