! SPDX-License-Identifier: MIT
! nodes: 1
! exit: 1
! error: invalid-argument: MPI_Type_commit of node 0: datatype was freed (NAME.f:LINE)
      PROGRAM FREED
      INCLUDE 'mpif.h'
      INTEGER IERR, PAIR, COPY, OTHER
      CALL MPI_INIT(IERR)
      CALL MPI_TYPE_CONTIGUOUS(2, MPI_REAL, PAIR, IERR)
      COPY = PAIR
      CALL MPI_TYPE_FREE(PAIR, IERR)
      CALL MPI_TYPE_CONTIGUOUS(3, MPI_REAL, OTHER, IERR)
      CALL MPI_TYPE_COMMIT(COPY, IERR) ! HERE
      CALL MPI_FINALIZE(IERR)
      END
