#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""peal grade marks submissions in Fortran, in the sandbox: grades.py PEAL.  Each gets its points, or a note with this text."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SPEC = """[assignment]
interface = mpi
program = submission
timeout = 2
forbid = MPI_Bcast, MPI_Ibcast
[test sums]
nodes = 1, 3
reference = reference.f90
"""
FRAME = """module shared
  integer, save :: mine(4)
end module
program submission
  use {}
  use shared
  integer :: rank, all, ierr, i, request
  real :: chance
  character(9) :: text
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  mine = rank
  {}
  call MPI_Reduce(mine, all, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print *, 'the sum is', all
  call MPI_Finalize(ierr)
end program
"""
AT = ":13"  # the line of the body
CASES = {  # the module, the body, the texts of the notes (none: all points)
    "right.f90": ("mpi", "call random_number(chance); write (text, '(f9.4)') chance"),
    "compares.F90": ("mpi_f08", "if (MPI_COMM_WORLD == MPI_COMM_SELF) stop 1"),
    "sums.f90": ("mpi", "mine(1) = rank + 1", "wrong-result: of the output, word 4 is 1, expected 0"),
    "waits.f90": ("mpi", "if (rank > 0) call MPI_Recv(mine, 1, MPI_INTEGER, 3 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)",
                  "deadlock", "waits.f90" + AT, "rerun: peal run", "waits.f90 -p 3 --strict"),
    "beyond.f90": ("mpi", "block; integer, allocatable :: a(:); allocate (a(3)); do i = 1, 4; a(i) = i; end do; end block",
                   "out-of-bounds: node 0 writes byte 12 of the 12 bytes", "beyond.f90" + AT),
    "endless.f90": ("mpi", "do while (mine(1) < 9); mine(2) = mine(2) + 1; end do", "timeout", "endless.f90" + AT),
    "stops.f90": ("mpi", "if (rank == 0) stop 3", "crash", "stops.f90" + AT, "exit with code 3"),
    "reads.f90": ("mpi", "open (10, file='/etc/passwd', status='old', action='read')", "crash", "reads.f90" + AT, "exit with code 2 before MPI_Finalize: Cannot open file"),
    "writes.f90": ("mpi", "open (10, file='/tmp/peal-fortran-sandbox'); write (10, *) 1", "crash", "writes.f90" + AT),
    "runs.f90": ("mpi", "call execute_command_line('touch /tmp/peal-fortran-sandbox')",
                 "forbidden: it calls _gfortran_execute_command_line_i4, by which nodes can share data"),
    "masks.f90": ("mpi", "i = umask(0)", "forbidden: it calls _gfortran_umask_i4, by which nodes can share data"),
    "broadcasts.f90": ("mpi", "call MPI_Bcast(mine, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)", "forbidden: it calls MPI_Bcast"),
    "later.f90": ("mpi", "call MPI_Ibcast(mine, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, request, ierr)", "forbidden: it calls MPI_Ibcast"),
    "misspelt.f90": ("mpi", "call MPI_Sned(1)", "it does not compile", "pealfort: Peal has no MPI_SNED"),
    "syntax.f90": ("mpi", "integer :: late", "syntax.f90:13", "Error: Unexpected data declaration"),
}
FIXED = """      PROGRAM F
      INCLUDE 'mpif.h'
      INTEGER RANK, ALL, IERR
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_REDUCE(RANK, ALL, 1, MPI_INTEGER, MPI_SUM, 0,
     &     MPI_COMM_WORLD, IERR)
      IF (RANK .EQ. 0) PRINT *, 'the sum is', ALL
      CALL MPI_FINALIZE(IERR)
      END
"""
REFUSES = "right.f90 is Fortran, and the assignment has functions or programs in C"
BORROWS = """#include <mpi.h>
void mpi_bcast_(void *, int *, int *, int *, int *, int *);
int main(int argc, char **argv)
{
    int x = 1, one = 1, type = MPI_Type_c2f(MPI_INT), root = 0, comm = MPI_Comm_c2f(MPI_COMM_WORLD), error;
    MPI_Init(&argc, &argv);
    mpi_bcast_(&x, &one, &type, &root, &comm, &error);
    return MPI_Finalize();
}
"""  # a call of Fortran, from C
OTHER = {  # what takes no Fortran
    "peal.ini": "program = submission\n",
    "driver.ini": "interface = mpi\nprogram = driver.c\n",
    "proof.ini": "interface = mpi\ncollective = broadcast\nsymbol = f\n",
}


def main():
    peal, bad = os.path.abspath(sys.argv[1]), 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "class").mkdir()
        (folder / "spec.ini").write_text(SPEC)
        (folder / "reference.f90").write_text(FRAME.format("mpi", ""))
        (folder / "driver.c").write_text("#include <mpi.h>\nvoid f(void);\nint main(void)\n{\n    f();\n    return 0;\n}\n")
        for file, (module, body, *_) in CASES.items():
            (folder / "class" / file).write_text(FRAME.format(module, body))
        (folder / "class" / "fixed.f").write_text(FIXED)
        (folder / "class" / "borrows.c").write_text(BORROWS)
        (folder / "class" / "notes.txt").write_text("no program\n")

        def grade(*words):
            return subprocess.run([peal, "grade", *words], cwd=folder, capture_output=True, text=True, check=False, timeout=200)

        done = grade("spec.ini", "class", "--json")
        if "1 file whose name does not end in .c, or as those of Fortran, not marked: class/notes.txt" not in done.stderr:
            print(f"exit {done.returncode}: {done.stderr}")
            return 1
        marks = {one["file"].split("/")[-1]: one for one in json.loads(done.stdout)["submissions"]}
        for file, texts in {"fixed.f": [], "borrows.c": ["forbidden: it calls MPI_Bcast"], **{file: case[2:] for file, case in CASES.items()}}.items():
            one = marks[file]
            said = json.dumps(one, ensure_ascii=False)
            if one["points"] != (0 if texts else 1) or not all(text in said for text in texts):
                print(f"{file}: expected {texts or 'all points'}: {said}")
                bad += 1
        for file, keys in OTHER.items():
            (folder / file).write_text(f"[assignment]\n{keys}[test a]\nnodes = 2\n")
            done = grade(file, "class/right.f90")
            if REFUSES not in done.stdout or "0/1" not in done.stdout:
                print(f"{file}: expected {REFUSES}: {done.stdout}{done.stderr}")
                bad += 1
    if pathlib.Path("/tmp/peal-fortran-sandbox").exists():
        print("a submission has written a file")
        bad += 1
    print(f"{len(CASES) + 2 + len(OTHER)} marked, {bad} wrong")
    return bad != 0


sys.exit(main())
