# SPDX-License-Identifier: MIT
"""All-reduce in Python: give every node n numbers and call my_allreduce; every node prints what it has then.

  argv[1]   n
  argv[2]   "world", or "halves": the even and the odd ranks by themselves, in falling order
"""
import array
import random
import sys

from mpi4py import MPI

from submission import my_allreduce

n, halves = int(sys.argv[1]), sys.argv[2] == "halves"
rank = MPI.COMM_WORLD.rank
comm = MPI.COMM_WORLD.Split(rank % 2 if halves else 0, -rank if halves else rank)
a = array.array("d", [random.randrange(2**30) for _ in range(n)])  # whole, so that sums are exact in any order
my_allreduce(a, comm)
for i, number in enumerate(a):
    print(f"node{rank}:a[{i}]={number:.0f}")
comm.Free()
