#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The programs of right/ call every function that works and get every class of error that there is: called.py BUILD SOURCE.

Each program is linked with a profiling library, made here from calls.def: MPI_X notes its name, and the class of the error that it
returns, and calls PMPI_X.  So this is a test of the profiling interface, too."""
import glob
import os
import re
import subprocess
import sys
import tempfile

HEAD = """#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Append a line; one write is one piece of the file. */
static void
note(const char *what, int class)
{
    char line[100];
    int bytes = snprintf(line, sizeof line, "%s %d\\n", what, class);
    int file = open(getenv("PEAL_TEST_CALLED"), O_WRONLY | O_APPEND);

    if (file < 0 || write(file, line, (size_t)bytes) != bytes)
        abort();
    close(file);
}

static int
returned(int code)
{
    static char seen[100]; /* each node has its own */
    int class = code;

    if (code != MPI_SUCCESS)
        PMPI_Error_class(code, &class);
    if (class > 0 && class < 100 && !seen[class])
        note("class", seen[class] = (char)class);
    return code;
}
"""


def arguments(parameters):
    """The names of the parameters, as a call passes them on."""
    names = [re.search(r"(\w+)\s*(\[\w*\])*$", one.strip())[1] for one in parameters.split(",") if one.strip() != "..."]
    return "" if names == ["void"] else ", ".join(names)


def wrapper(kind, name, parameters):
    call = f"PMPI_{name}({arguments(parameters)})"
    code = f"returned({call})" if kind == "int" else call
    return (f"\n{kind}\nMPI_{name}({parameters})\n{{\n    static int called;\n\n    if (!called++)\n"
            f"        note(\"{name}\", 0);\n    return {code};\n}}\n")


def run(command, errors, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, **more)
    if done.returncode != 0:
        errors.append(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.returncode == 0


def main():
    build, source = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    pealcc, pealrun = (os.path.join(build, "tools", tool) for tool in ("pealcc", "pealrun"))
    with open(os.path.join(source, "include/peal/mpi/calls.def"), encoding="utf-8") as opened:
        works = re.findall(r"^PEAL_MPI\(([^,]+), (\w+), \(([^)]*)\)\)$", opened.read(), re.M)
    with open(os.path.join(source, "include/peal/mpi/mpi.h"), encoding="utf-8") as opened:
        names = re.findall(r"^ {4}(MPI_ERR_\w+)(?: = (\d+))?,$", opened.read(), re.M)
    # The class of a number; those that the library returns are those that it names outside of the table of texts.
    classes = {}
    for name, number in names:
        classes[name] = int(number) if number else max(classes.values(), default=0) + 1
    returned = set()
    for file in set(glob.glob(os.path.join(source, "mpi/*/*.[ch]"))) - set(glob.glob(os.path.join(source, "mpi/process/*"))): # linked programs'
        with open(file, encoding="utf-8") as opened:
            rows = [row for row in opened if not re.match(r"\s*\[MPI_ERR_\w+\] = ", row)]
        # MPI_ERR_UNKNOWN is the class of codes that are never returned.
        returned |= {name for name in re.findall(r"MPI_ERR_\w+", "".join(rows)) if name in classes} - {"MPI_ERR_UNKNOWN"}

    errors, called, programs = [], set(), 0
    with tempfile.TemporaryDirectory() as scratch:
        file, profiler, log = (os.path.join(scratch, name) for name in ("profiler.c", "profiler.o", "log"))
        with open(file, "w", encoding="utf-8") as opened:
            opened.write(HEAD + "".join(wrapper(*one) for one in works))
        run([pealcc, "-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations", "-c", file, "-o", profiler], errors)
        for program in sorted(glob.glob(os.path.join(here, "right/*.c"))):
            with open(program, encoding="utf-8") as opened:
                text = opened.read()
            nodes = max(int(word) for word in re.search(r"nodes: (.*?) \*/", text)[1].split())
            words = re.findall(r"/\* arguments: (.*?) \*/", text)
            linked = os.path.join(scratch, "program")
            with open(log, "w", encoding="utf-8"):
                pass
            options = re.findall(r"/\* compiler: (.*?) \*/", text)
            if run([pealcc, "-O1", program, profiler, "-o", linked, "-lm", *options], errors):
                run([pealrun, "-q", "-n", str(nodes), linked, *words], errors, env={**os.environ, "PEAL_TEST_CALLED": log})
            with open(log, encoding="utf-8") as opened:
                called |= set(opened.read().splitlines())
            programs += 1
    errors += [f"MPI_{name} is called by no program of right/" for _, name, _ in works
               if f"{name} 0" not in called and name != "Abort"]  # that is wrong/abort.c
    errors += [f"{name} is returned in no program of right/" for name in sorted(returned)
               if f"class {classes[name]}" not in called]
    print("\n".join(errors))
    print(f"{programs} programs, {len(works)} functions, {len(returned)} classes of errors")
    return 1 if errors or programs == 0 or len(works) < 200 or len(returned) < 20 else 0


sys.exit(main())
