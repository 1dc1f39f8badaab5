! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! error: bad-request: node 1 ends without MPI_Finalize (NAME.f90:LINE)
! A STOP without a code on one node: the line is its own, not that of the last call.
program ended
    use mpi_f08
    implicit none
    integer :: rank

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (rank == 1) then
        stop 'no input' ! HERE
    end if
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Finalize()
end program
