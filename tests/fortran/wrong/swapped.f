! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! error: invalid-argument: MPI_Send of node *: comm is a datatype (NAME.f:LINE)
      PROGRAM SWAPPED
      INCLUDE 'mpif.h'
      INTEGER IERR, RANK
      REAL X(3)
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      X(1) = RANK
      CALL MPI_SEND(X, 3, MPI_REAL, 1-RANK, 0, MPI_REAL, IERR) ! HERE
      CALL MPI_FINALIZE(IERR)
      END
