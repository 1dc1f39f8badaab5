! SPDX-License-Identifier: MIT
! nodes: 3
! Random numbers, the time of the processor and that of the system are a node's own, the same in every run.
program chance
  use mpi
  implicit none
  integer :: ierr, rank, count, rate, then
  real :: x, all(3), before, after
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call random_number(x)
  call cpu_time(before)
  call system_clock(then, rate)
  call MPI_Allgather(x, 1, MPI_REAL, all, 1, MPI_REAL, MPI_COMM_WORLD, ierr)
  if (abs(all(1) - all(2)) < 1e-6 .or. abs(all(2) - all(3)) < 1e-6 .or. x < 0 .or. x >= 1) stop 1
  call cpu_time(after)
  call system_clock(count)
  if (after < before .or. after > before + 1e-3 .or. count < then .or. rate < 1) stop 2
  print '(a, i0, f10.6, f12.8)', 'node ', rank, x, after
  call MPI_Finalize(ierr)
end program
