! SPDX-License-Identifier: MIT
! nodes: 1 3 20
! Internal procedures as arguments, which are called by code on the stack; recursion; an operator that is one.
program inner
  use mpi
  implicit none
  integer :: ierr, rank, nodes, op, all, scale
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nodes, ierr)
  scale = 2 + rank
  if (apply(times, 5) /= 5 * scale) stop 1
  call MPI_Op_create(largest, .true., op, ierr)
  call MPI_Allreduce(rank, all, 1, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  call MPI_Op_free(op, ierr)
  if (all /= nodes - 1 .or. scale /= 2 + rank) stop 2
  call MPI_Finalize(ierr)
contains
  integer function times(x)
    integer, intent(in) :: x
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    times = x * scale
  end function
  integer function apply(f, x)
    interface
      integer function f(x)
        integer, intent(in) :: x
      end function
    end interface
    integer, intent(in) :: x
    apply = f(x)
  end function
  subroutine largest(in, inout, n, datatype)
    integer :: n, datatype, in(n), inout(n)
    inout = max(in, inout)
    if (datatype /= MPI_INTEGER) scale = 0
  end subroutine
end program
