! SPDX-License-Identifier: MIT
! nodes: 4 33
! Units are each node's own: the same number is another file on each node; lines are whole and in order, also where MPI is called
! in the list of a WRITE; only node 0 has standard input.
program units
  use mpi
  implicit none
  integer :: ierr, rank, nodes, got, i, code
  character(len=40) :: name, line
  logical :: there
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nodes, ierr)
  open (10, status='scratch', form='formatted')
  write (10, '(a, i0)') 'node ', rank
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  write (10, '(i0)') 2 * rank
  rewind (10)
  read (10, '(a)') line
  read (10, *) got
  write (name, '(a, i0)') 'node ', rank
  if (line /= name .or. got /= 2 * rank) call MPI_Abort(MPI_COMM_WORLD, 2, ierr)
  close (10)
  inquire (10, opened=there)
  if (there) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
  open (newunit=i, status='scratch', form='unformatted', access='direct', recl=8)
  write (i, rec=3) 1.5d0 * rank
  close (i)
  read (*, *, iostat=code) got
  if (code == 0) call MPI_Abort(MPI_COMM_WORLD, 4, ierr) ! this test has no input on node 0, either
  write (*, '(a)', advance='no') 'half '
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  write (*, '(a, i0, a, i0)') 'of node ', rank, ': ', total(rank)
  print *, 'sum', total(1)
  call MPI_Finalize(ierr)
contains
  integer function total(mine)
    integer, intent(in) :: mine
    call MPI_Allreduce(mine, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  end function
end program
