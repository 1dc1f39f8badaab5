! SPDX-License-Identifier: MIT
! nodes: 1 4 7
! Heat on a plate in strips, with borders from the neighbours, against the same computed alone.
module plate
  implicit none
  integer, parameter :: n = 28, steps = 20
contains
  subroutine step(u)
    real(8), intent(inout) :: u(0:, 0:)
    real(8) :: v(0:ubound(u, 1), 0:ubound(u, 2))
    v = u
    u(1:ubound(u, 1) - 1, 1:n) = 0.25d0 * (v(0:ubound(u, 1) - 2, 1:n) + v(2:, 1:n) + v(1:ubound(u, 1) - 1, 0:n - 1) &
                                           + v(1:ubound(u, 1) - 1, 2:))
  end subroutine
end module

program heat
  use mpi
  use plate
  implicit none
  integer :: ierr, rank, nodes, rows, up, down, t, row, status(MPI_STATUS_SIZE)
  real(8), allocatable :: u(:, :)
  real(8) :: whole(0:n + 1, 0:n + 1), mine, all, begin
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nodes, ierr)
  begin = MPI_Wtime()
  rows = n / nodes
  allocate (u(0:rows + 1, 0:n + 1))
  up = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  down = merge(rank + 1, MPI_PROC_NULL, rank < nodes - 1)
  call MPI_Type_vector(n + 2, 1, rows + 2, MPI_DOUBLE_PRECISION, row, ierr)
  call MPI_Type_commit(row, ierr)
  u = 0
  if (rank == 0) u(0, :) = 1
  whole = 0
  whole(0, :) = 1
  do t = 1, steps
    call MPI_Sendrecv(u(1, 0), 1, row, up, 1, u(rows + 1, 0), 1, row, down, 1, MPI_COMM_WORLD, status, ierr)
    call MPI_Sendrecv(u(rows, 0), 1, row, down, 2, u(0, 0), 1, row, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call step(u)
    call step(whole)
  end do
  mine = sum(abs(u(1:rows, :) - whole(rank * rows + 1:(rank + 1) * rows, :)))
  call MPI_Reduce(mine, all, 1, MPI_REAL8, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0 .and. all > 1d-12) stop 1
  if (nodes > 1 .and. MPI_Wtime() <= begin) stop 2
  call MPI_Type_free(row, ierr)
  call MPI_Finalize(ierr)
  if (rank == 0) print '(a, f8.4)', 'the sum is', sum(whole)
end program
