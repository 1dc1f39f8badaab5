! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! error: private-memory: node * writes to a constant: string literals, const objects and code are read-only (NAME.f:LINE)
! Where the argument is missing, MPI writes where another value happens to point.
      PROGRAM ABSENT
      INCLUDE 'mpif.h'
      INTEGER IERR
      CALL MPI_INIT(IERR)
      CALL MPI_BARRIER(MPI_COMM_WORLD, 0) ! HERE
      CALL MPI_FINALIZE(IERR)
      END
