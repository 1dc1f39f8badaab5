! SPDX-License-Identifier: MIT
! nodes: 2
! A command that a node executes has the environment.
program commands
  use mpi
  implicit none
  integer :: ierr, status
  call MPI_Init(ierr)
  call execute_command_line('test -n "$PATH"', exitstat=status)
  if (status /= 0) stop 1
  call execute_command_line('exit 3', exitstat=status)
  if (status /= 3) stop 2
  call MPI_Finalize(ierr)
end program
