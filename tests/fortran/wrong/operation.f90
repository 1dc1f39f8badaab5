! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! error: collective-mismatch
! error: calls MPI_Allreduce of 4 bytes by MPI_SUM (NAME.f90:LINE)
! error: calls MPI_Barrier (NAME.f90:LINE2)
program operation
  use mpi_f08
  implicit none
  integer :: rank, all
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (rank == 0) then
    call MPI_Allreduce(rank, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD) ! HERE
  else
    call MPI_Barrier(MPI_COMM_WORLD) ! HERE2
  end if
  call MPI_Finalize
end program
