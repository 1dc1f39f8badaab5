! SPDX-License-Identifier: MIT
! nodes: 4
! exit: 1
! error: bad-rank: MPI_Sendrecv of node 3: dest 4 is out of range
! error: (NAME.f90:LINE)
! error: mod(rank + 1, 4)
program neighbour
  use mpi
  implicit none
  integer :: ierr, rank
  integer :: nodes, left
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nodes, ierr)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, rank + 1, 0, left, 1, MPI_INTEGER, &
    mod(rank + nodes - 1, nodes), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr) ! HERE
  call MPI_Finalize(ierr)
end program
