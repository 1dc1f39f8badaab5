! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 3
! error: crash: node 1 aborted: exit with code 3 before MPI_Finalize (NAME.f90:LINE)
! output: node 1 stops
program stops
  use mpi
  implicit none
  integer :: ierr, rank
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 1) then
    print '(a)', 'node 1 stops'
    stop 3 ! HERE
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
