! SPDX-License-Identifier: MIT
! nodes: 2
! Texts have blanks at their ends in Fortran, and none in MPI.
program texts
  use mpi
  implicit none
  integer :: ierr, info, length, n, code
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=3) :: short
  character(len=20) :: value
  character(len=MPI_MAX_ERROR_STRING) :: text
  character(len=5) :: words(2)
  logical :: there
  call MPI_Init(ierr)
  call MPI_Comm_set_name(MPI_COMM_WORLD, 'all of us   ', ierr)
  name = 'x'
  call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, ierr)
  if (name /= 'all of us' .or. length /= 9) stop 1
  call MPI_Comm_get_name(MPI_COMM_WORLD, short, length, ierr)
  if (short /= 'all') stop 2
  call MPI_Info_create(info, ierr)
  call MPI_Info_set(info, ' key ', '  a value  ', ierr)
  call MPI_Info_get(info, 'key', len(value), value, there, ierr)
  if (.not. there .or. value /= 'a value') stop 3
  value = 'stays'
  call MPI_Info_get(info, 'none', len(value), value, there, ierr)
  if (there .or. value /= 'stays') stop 4
  call MPI_Info_get_nkeys(info, n, ierr)
  call MPI_Info_get_nthkey(info, 0, value, ierr)
  if (n /= 1 .or. value /= 'key') stop 5
  call MPI_Info_get_valuelen(info, 'key', length, there, ierr)
  if (length /= 7) stop 6
  call MPI_Info_free(info, ierr)
  if (info /= MPI_INFO_NULL) stop 7
  call MPI_Error_string(MPI_ERR_RANK, text, length, ierr)
  if (text(1:12) /= 'MPI_ERR_RANK') stop 8
  call MPI_Get_processor_name(name, length, ierr)
  if (name(1:length) /= trim(name)) stop 9
  words = ['abcde', 'fghij']
  call MPI_Bcast(words, 10, MPI_CHARACTER, 1, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(words(2)(2:3), 2, MPI_CHARACTER, 0, MPI_COMM_WORLD, ierr)
  if (words(2) /= 'fghij') stop 10
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call MPI_Send(words, 1, MPI_CHARACTER, 2, 0, MPI_COMM_WORLD, code)
  if (code == MPI_SUCCESS) stop 11
  call MPI_Error_class(code, n, ierr)
  if (n /= MPI_ERR_RANK) stop 12
  call MPI_Finalize(ierr)
end program
