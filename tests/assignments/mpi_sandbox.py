#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Submissions for MPI that make forbidden calls, or break a rule of MPI: mpi_sandbox.py PEAL.  Each fails with its reason, at
its line, and in each form of report; beside them a right one passes."""
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

SPEC = """[assignment]
interface = mpi
program = submission
timeout = 3
allow = *
[test runs]
nodes = 2
"""
FRAME = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int other, rank;
    MPI_Request request;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    static volatile int a, b;
    (void)other, (void)request;
    %s
    MPI_Finalize();
    return 0;
}
"""
LINE = 16
CASES = {  # the body: whether it passes, the kind, a text of the notes, whether the line is known
    "right": ("MPI_Barrier(MPI_COMM_WORLD);", None, "", False),
    "endless": ("for (;;) a++;", "timeout", "", False),
    "memory": ("for (;;) memset(malloc(1 << 24), 1, 1 << 24);", "out-of-memory", "", False),
    "socket": ("socket(AF_INET, SOCK_STREAM, 0);", "crash", "socket", False),
    "fork": ("if (fork() == 0) for (;;) pause();", "crash", "clone", False),
    "program": ('execl("/bin/true", "true", (char *)0);', "crash", "execve", False),
    "read": ('FILE *f = fopen("/etc/passwd", "r"); if (f) MPI_Abort(MPI_COMM_WORLD, 3);', None, "", False),
    "write": ('FILE *f = fopen("/tmp/peal-mpi-sandbox", "w"); if (f) MPI_Abort(MPI_COMM_WORLD, 3);', None, "", False),
    "exit": ("if (rank == 1) exit(4);", "crash", "code 4", False),
    "early": ("MPI_Irecv((void *)&a, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request); "
              "MPI_Send((void *)&b, 1, MPI_INT, other, 0, MPI_COMM_WORLD); b = a; "
              "MPI_Wait(&request, MPI_STATUS_IGNORE);", "early-read", "rule: MPI 3.1, 3.7.2", True),
    "cycle": ("MPI_Recv((void *)&a, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);", "deadlock", "rule: MPI 3.1",
              True),
}


def main():
    peal, bad = sys.argv[1], 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "spec.ini").write_text(SPEC)
        for name, case in CASES.items():
            (folder / f"{name}.c").write_text(FRAME % case[0])
        files = [folder / f"{name}.c" for name in CASES]
        command = [peal, "grade", folder / "spec.ini", *files, f"--json={folder}/out.json", "--junit", folder / "out.xml",
                   "--sarif", folder / "out.sarif"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300,
                              env={"PATH": "/usr/bin:/bin", "PEAL_CHECK_MEBIBYTES": "300"})
        if done.returncode != 1:
            print(f"exit {done.returncode}, expected 1\n{done.stdout}{done.stderr}")
            return 1
        marks = json.loads((folder / "out.json").read_text())
        cases = xml.etree.ElementTree.parse(folder / "out.xml").findall(".//testcase")
        results = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].split("/")[-1]: r
                   for r in json.loads((folder / "out.sarif").read_text())["runs"][0]["results"]}
        for (name, (_, kind, text, lined)), marked, case in zip(CASES.items(), marks["submissions"], cases):
            test, failure, result = marked["tests"][0], case.find("failure"), results.get(f"{name}.c")
            reported = (test["passed"], test["kind"], failure is None, failure is not None and failure.get("type"),
                    result and result["ruleId"])
            expected = (True, None, True, False, None) if not kind else (False, kind, False, kind, kind)
            place = result and result["locations"][0]["physicalLocation"].get("region", {}).get("startLine")
            if reported != expected or text not in test["notes"] or (lined and (test["line"], place) != (LINE, LINE)):
                print(f"{name}: {reported}, expected {expected}; line {test['line']}, {place}: {test['notes']}")
                bad += 1
    if pathlib.Path("/tmp/peal-mpi-sandbox").exists():
        print("a submission has written a file")
        bad += 1
    print(f"{len(CASES)} submissions, {bad} wrong")
    return bad != 0


sys.exit(main())
