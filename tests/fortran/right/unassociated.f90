! SPDX-License-Identifier: MIT
! nodes: 3
! A pointer that is associated at the root only is passed by all nodes, as programs do, though its status is undefined elsewhere.
program unassociated
  use mpi
  integer :: ierr, rank
  real :: mine(3)
  real, pointer :: all(:)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  mine = rank
  if (rank == 0) allocate (all(3))
  call MPI_Reduce(mine, all, 3, MPI_REAL, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) then
    if (nint(all(3)) /= 3) stop 1
    deallocate (all)
  end if
  call MPI_Finalize(ierr)
end program
