! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 0
! never: finding
! also: --strict => 1 NAME.f90:LINE: finding: leak: MPI_Type_contiguous: node 0 has not freed this datatype
! also: --strict => 1 NAME.f90:LINE2: finding: leak: MPI_Comm_dup: node 0 has not freed this communicator
program leak
  use mpi_f08
  implicit none
  type(MPI_Datatype) :: pair
  type(MPI_Comm) :: dup
  call MPI_Init()
  call MPI_Type_contiguous(2, MPI_REAL, pair) ! HERE
  call MPI_Type_commit(pair)
  call MPI_Comm_dup(MPI_COMM_WORLD, dup) ! HERE2
  call MPI_Finalize()
end program
