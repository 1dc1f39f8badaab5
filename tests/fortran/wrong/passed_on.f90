! SPDX-License-Identifier: MIT
! nodes: 3
! exit: 1
! error: bad-rank: MPI_Send of node 2: dest 3 is out of range: ranks are 0 to 2, or MPI_PROC_NULL (NAME.f90:LINE, through send_row at NAME.f90:LINE2 and checked_send at NAME.f90:LINE3)
! also: -- next => 1 from node 1 (NAME.f90:LINE4)
! also: -- loop => 1 from node 1 (NAME.f90:LINE5)
! A procedure that does no more than pass a call on is not its place; one that does more is.
module rows
  use mpi
  implicit none
contains
  subroutine checked_send(x, n, to)
    integer, intent(in) :: n, to
    real, intent(in) :: x(n)
    integer :: ierr
    call MPI_Send(x, n, MPI_REAL, to, 0, &
                  MPI_COMM_WORLD, ierr) ! HERE3
    if (ierr /= MPI_SUCCESS) then
      print *, 'no message to node', to
      call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
    end if
  end subroutine checked_send

  subroutine send_row(x, to)
    real, intent(in) :: x(4)
    integer, intent(in) :: to
    call checked_send(x, 4, to) ! HERE2
  end subroutine

  subroutine get_next(x, rank)
    real, intent(out) :: x(4)
    integer, intent(in) :: rank
    integer :: ierr, from
    from = rank + 1
    call MPI_Recv(x, 4, MPI_REAL, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr) ! HERE4
  end subroutine

  subroutine get_all(x, from)
    real, intent(out) :: x(4)
    integer, intent(in) :: from
    integer :: ierr, i
    do i = 1, 2
      call MPI_Recv(x, 4, MPI_REAL, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr) ! HERE5
    end do
  end subroutine
end module

program passed_on
  use rows
  implicit none
  integer :: ierr, rank
  real :: x(4)
  character(8) :: which
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call get_command_argument(1, which)
  x = rank
  if (which == 'next') then
    if (rank == 0) call get_next(x, rank)
  else if (which == 'loop') then
    if (rank == 0) call get_all(x, 1)
  else if (rank == 2) then
    call send_row(x, rank + 1) ! HERE
  end if
  call MPI_Finalize(ierr)
end program
