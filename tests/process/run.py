#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nodes that are processes: programs of Python and for another MPI, as they are packaged: run.py BUILD [SYSTEM].
SYSTEM: the folder of another machine's system, whose programs an emulator runs: a part of the tests, since it is slow."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipapp

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(sys.argv[1])
SYSTEM = sys.argv[2] if len(sys.argv) > 2 else ""
PEALRUN, PYTHON = os.path.join(BUILD, "tools", "pealrun"), SYSTEM + "/usr/bin/python3"
WRONG = os.path.join(HERE, "wrong.py")
OURS = f"PEAL_TEST_RUN={os.getpid()}"
os.environ.update([OURS.split("=")])
errors = []


def run(nodes, *words, options=(), **more):
    return subprocess.run([PEALRUN, "-q", "-n", str(nodes), *options, *words], capture_output=True, text=True, timeout=600 if SYSTEM else 60, **more)


def expect(what, done, code, out=None, *texts):
    """The exit code, standard output, and what standard error has."""
    missing = [text for text in texts if not re.search(text, done.stderr)]
    if done.returncode != code or (out is not None and done.stdout != out) or missing or (code == 0 and not texts and done.stderr):
        errors.append(f"{what}: exit {done.returncode}, expected {code}; missing {missing}\n{done.stdout}{done.stderr}")


def line(name, called="", script=WRONG):
    """Where a fault is, and what comes after."""
    with open(script, encoding="utf-8") as opened:
        return rf"{re.escape(os.path.basename(script))}:{next(i for i, text in enumerate(opened, 1) if text.rstrip().endswith('# HERE ' + name))}\b" + called


def written(folder, name, text):
    """The path of a new file there with this text."""
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path


def left():
    """The processes that a run has left behind: all inherit OURS. One that has ended has no environment."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/environ", encoding="utf-8") as environment, open(f"/proc/{number}/cmdline", encoding="utf-8") as words:
                if OURS in environment.read().split("\0"):
                    found.append(words.read().replace("\0", " "))
        except (OSError, UnicodeDecodeError):
            continue
    return found


def right(*numbers):
    for nodes in numbers:
        for name in "collectives.py", "windows.py", "arrays.py", "threads.py", "kinds.py":
            done = run(nodes, PYTHON, os.path.join(HERE, name), options=["--strict"] if nodes == 4 else [])
            done.stdout = "".join(sorted(done.stdout.splitlines(True)))  # who is last depends on the processors
            expect(f"{name} on {nodes}", done, 0, "".join(f"node {i} of {nodes} is right\n" for i in range(nodes)))


def courses():
    """Programs as courses have them: what they print does not depend on the number of nodes."""
    folder = os.path.join(HERE, "courses")
    for name in sorted(os.listdir(folder)):
        alone = run(1, PYTHON, os.path.join(folder, name))
        expect(f"{name} alone", alone, 0)
        expect(f"{name} on 4", run(4, PYTHON, os.path.join(folder, name), options=["--strict"]), 0, alone.stdout or "something")


def header(folder, interface, handle, status, more):
    """mpi.h as this interface has it: Peal's, with its types and numbers."""
    own = os.path.join(HERE, "..", "..", "include", "peal", "mpi")
    with open(os.path.join(own, "mpi.h"), encoding="utf-8") as opened:
        text = opened.read()
    types = dict(re.findall(r"#define MPI_(\w+) PEAL_MPI_HANDLE\((MPI_\w+),", text))
    listed = subprocess.run([PYTHON, os.path.join(HERE, "..", "..", "mpi", "process", "interfaces.py"), interface, os.path.join(own, "mpi.h")],
                            stdout=subprocess.PIPE, text=True, check=True).stdout
    text = re.sub(r"typedef struct peal_mpi_(?!t_)\w+ \*(MPI_\w+);", rf"typedef {handle} \1;", text)
    text = re.sub(r"(struct peal_mpi_status) \{.*?\}", rf"\1 {{ {status} }}", text, flags=re.S)
    for kind, value, name in re.findall(r"^(PREDEFINED|NUMBER)\((.*), MPI_(\w+)\)$", listed, re.M):
        if name not in text:
            continue
        kind = types.get(name, "MPI_Datatype") if kind == "PREDEFINED" else "void *" if "SENTINEL" in value else "int"
        text += f"\n#undef MPI_{name}\n#define MPI_{name} (({kind})({value.split(',')[-1].strip()}))"
    written(folder, f"{interface}/mpi.h", text + "\n" + more)
    return [f"-I{folder}/{interface}", f"-I{own}"]


def interfaces(folder):
    """Two programs for each MPI that Debian has, and for what Peal knows of two."""
    def compiled(*words):
        programs = [os.path.join(folder, f"{name}-{os.path.basename(words[-1])}") for name in ("prebuilt", "large")]
        for program in programs[:2 if words[0] == "cc" else 1]:  # what another MPI has of MPI 4 depends on its version
            source = os.path.join(HERE, os.path.basename(program).split("-")[0] + ".c")
            subprocess.run([*words[:1], "-g", "-o", program, source, *words[1:]], check=True)
        return programs
    handles = {"abi": ("struct any *", "int MPI_SOURCE, MPI_TAG, MPI_ERROR, internal[5];", "libmpi_abi.so.1",
                       "#undef MPI_COMM_DUP_FN\n#define MPI_COMM_DUP_FN ((MPI_Comm_copy_attr_function *)1)\n"),
               "mpich": ("int", "int lo, hi, MPI_SOURCE, MPI_TAG, MPI_ERROR;", "libmpi.so.12", "#undef MPI_STATUS_IGNORE\n#define MPI_STATUS_IGNORE "
                         "((MPI_Status *)1)\n#undef MPI_COMM_DUP_FN\n#define MPI_COMM_DUP_FN MPIR_Dup_fn\nMPI_Comm_copy_attr_function MPIR_Dup_fn;\n")}
    for name, (handle, status, library, more) in handles.items():
        yield compiled("cc", *header(folder, name, handle, status, more), os.path.join(BUILD, "mpi", "process", library))
    for compiler in ["mpicc.openmpi"] if SYSTEM else ["mpicc.openmpi", "mpicc.mpich"]:
        if shutil.which(compiler):
            yield compiled(compiler)


def prebuilt(folder):
    for program, large in interfaces(folder):
        faults_of(folder, program)
        if os.path.exists(large):
            expect(large, run(3, large), 0, "done\n" * 3)
            expect(large, run(1, large, "many"), 1, "", r"unsupported: MPI_Bcast of node 0: a count of 4294967296: Peal's are at most 2147483647 \(large\.c:\d+\)")
            expect(large, run(1, large, "session"), 1, "", r"unsupported: MPI_Session_init of node 0: Peal has no such function .* \(large\.c:\d+\)")


def another_library(folder):
    """A path that is linked into a program, or into a module that it loads, leads to another MPI."""
    for name, library in ("openmpi", r"libmpi\.so\.40"), ("mpich", r"libmpich\.so\.12"):
        program, compiler = os.path.join(folder, "away-" + name), shutil.which("mpicc." + name)
        if compiler:
            real = subprocess.run(["cc", "-print-file-name=" + library.replace("\\", "")], stdout=subprocess.PIPE, text=True, check=True).stdout
            subprocess.run([compiler, "-o", program, os.path.join(HERE, "prebuilt.c"), f"-Wl,--disable-new-dtags,-rpath,{os.path.dirname(real)}"], check=True)
            expect(f"a path to {name}", run(2, program), 3, "", rf"^peal: \S+/away-{name} loads \S+/{library}, not Peal's library, by a path that is "
                   rf"linked into it: remove that \(patchelf --remove-rpath \S+/away-{name}\), or build it with CC=pealcc\n$")
            script = written(folder, "away.py", f"import ctypes, signal\nctypes.CDLL('{real.strip()}', ctypes.RTLD_GLOBAL)\nsignal.pause()\n")
            expect(f"a module of {name}", run(2, PYTHON, script), 1, "",
                   rf"unsupported: node 0 is alone in its MPI_COMM_WORLD: its process has loaded \S+/{library}[\d.]*, not Peal's library: remove the path")


def other_languages(folder):
    """Open MPI's own libraries of C++ and Fortran find what they need."""
    fortran = os.path.join(folder, "fortran")
    if shutil.which("mpif90.openmpi") and shutil.which("gfortran"):
        subprocess.run(["mpif90.openmpi", "-g", "-o", fortran, os.path.join(HERE, "prebuilt.f90")], check=True)
        for nodes in 1, 3:
            expect(f"a program in Fortran on {nodes}", run(nodes, fortran, options=["--strict"]), 0, "".join(f"done {i}\n" for i in range(nodes)))
        expect("a wrong program in Fortran", run(2, fortran, "wrong"), 1, None, r"deadlock: .*node 0 waits in MPI_Recv .* \(prebuilt\.f90:\d+\)")
    program = os.path.join(folder, "plus")
    if shutil.which("mpicxx.openmpi") and shutil.which("g++"):
        subprocess.run(["mpicxx.openmpi", "-x", "c++", "-o", program, "-"], check=True, text=True,
                       input="#include <mpi.h>\n#include <iostream>\nint main(int argc, char **argv)\n{\n    int rank, sum;\n    MPI_Init(&argc, &argv);\n"
                       "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);\n"
                       "    std::cout << sum << std::endl;\n    MPI_Finalize();\n}\n")
        expect("a program in C++", run(3, program), 0, "3\n" * 3)


def in_r(folder):
    """R searches folders of its own for libraries, before those of LD_LIBRARY_PATH.  Of its scripts, and of Julia's, the file is known."""
    for name, option in ("R", "--file="), ("julia", ""):
        if shutil.which("mpicc.openmpi"):
            program = os.path.join(folder, name)
            subprocess.run(["mpicc.openmpi", "-o", program, os.path.join(HERE, "prebuilt.c")], check=True)
            script = option + written(folder, "script." + name, "")
            where = r" \(an unknown line of script\." + name
            expect(f"a script of {name}", run(2, program, "differ", script), 1, None, "MPI_Bcast of 16 bytes with root 0" + where)
            expect(f"a script of {name} crashes", run(2, program, "abort", script), 1, None, "after MPI_Type_free" + where)
    script = written(folder, "sum.R", "library(Rmpi)\ncat(mpi.allreduce(mpi.comm.rank(0), type = 1, op = 'sum', comm = 0), '\\n')\nmpi.quit()\n")
    if not SYSTEM and os.path.exists("/usr/lib/R/site-library/Rmpi"):
        expect("a program in R", run(3, "Rscript", script), 0, "3 \n" * 3)


def preloaded(folder, name, source, **more):
    """An environment with functions in place of the C library's, before a sanitizer's where pealrun has one."""
    path = os.path.join(folder, name + ".so")
    subprocess.run(["cc", "-shared", "-fPIC", "-D_GNU_SOURCE", "-o", path, "-x", "c", "-"], input=source, text=True, check=True)
    return {**os.environ, "LD_PRELOAD": path, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0", **more}


def spawner(folder):
    """The spawner notes the number of a process late: the process waits for that, as its memory is read by this number.  Of a list
    of its children that is longer than a page it kills no process that has the first digits of a child's number."""
    slow = preloaded(folder, "slow", "#include <dlfcn.h>\n#include <unistd.h>\npid_t fork(void)\n{\n"
                     "    pid_t (*next)(void) = (pid_t (*)(void))dlsym(RTLD_NEXT, \"fork\"), child = next();\n"
                     "    if (child > 0)\n        usleep(500000);\n    return child;\n}\n")
    expect("a slow spawner", run(1, PYTHON, os.path.join(HERE, "collectives.py"), env=slow), 0, "node 0 of 1 is right\n")
    with subprocess.Popen(["sleep", "900"], env={}) as other:
        many = preloaded(folder, "many", "#include <dlfcn.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
                         "FILE *fopen(const char *path, const char *mode)\n{\n    static char text[6000];\n"
                         "    FILE *in = ((FILE *(*)(const char *, const char *))dlsym(RTLD_NEXT, \"fopen\"))(path, mode);\n"
                         "    if (!in || !strstr(path, \"/children\"))\n        return in;\n"
                         "    memset(text, ' ', sizeof text);\n    fread(text, 1, 2000, in);\n    fclose(in);\n"
                         "    sprintf(text + 4095 - strlen(getenv(\"OTHER\")), \"%s99999 \", getenv(\"OTHER\"));\n"
                         "    return fmemopen(text, strlen(text), \"r\");\n}\n", OTHER=str(other.pid))
        expect("many children", run(2, PYTHON, os.path.join(HERE, "windows.py"), env=many), 0, None)
        if other.poll() is not None:
            errors.append("many children: a process that is not one was killed")
        other.kill()


def faults_of(folder, program):

    def text(nodes):
        return "".join(f"node {i}: error class MPI_ERR_RANK, 3 elements, first byte 1, gap {7 if i else 1}\n" for i in range(nodes))
    for nodes in 1, 3:
        expect(f"{program} on {nodes}", run(nodes, program), 0, text(nodes))
    expect("an exit code", run(2, program, "3"), 3, text(2))
    expect("abort", run(2, program, "abort"), 1, None, r"crash: node 1 crashed: signal 6 \(Aborted\), after MPI_Type_free \(prebuilt\.c:\d+\)")
    expect("no MPI_Finalize", run(2, program, "leave"), 1, None, r"bad-request: exit\(0\) without MPI_Finalize on node 1")
    expect("bytes that differ", run(2, program, "differ"), 1, None, r"collective-mismatch: .*MPI_Bcast of 16 bytes with root 0 \(prebuilt\.c:\d+\)")
    denied = preloaded(folder, "denied", "#include <errno.h>\nlong process_vm_readv(void) { errno = EPERM; return -1; }\n"
                       "long process_vm_writev(void) { errno = EPERM; return -1; }\n")
    expect("where no process may read another", run(2, program, env=denied), 0, text(2))


def fault(name, nodes, code, *texts, options=()):
    expect(name, run(nodes, PYTHON, WRONG, name, options=options), code, None, *texts)


def first_wrong():
    fault("mismatch", 2, 1, "collective-mismatch", line("mismatch", r", through comm\.Barrier\).*" + line("mismatch", r", through comm\.bcast\)")))
    fault("changed", 2, 1, "buffer-reuse: MPI_Wait of node [01]: the buffer of this MPI_Isend was changed before it was complete", line("changed"), line("wait"), options=["--strict"])
    fault("exception", 3, 1, r"crash: node 1 aborted: ValueError: no good \(" + line("exception"))
    fault("killed", 3, 1, r"crash: node 1 crashed: signal 9 \(Killed\)")


def wrong():
    fault("deadlock", 3, 1, "deadlock: nothing can move", line("deadlock", r", through comm\.recv\)"),
          r"let node 0 send before it receives, or send\s+and\s+receive\s+in\s+one\s+call,\s+comm\.sendrecv\b")
    fault("cycle", 2, 1, "deadlock: nothing can move", line("cycle", r", through comm\.Recv\)"), r"in\s+one\s+call,\s+comm\.Sendrecv\b")
    fault("truncation", 2, 1, "truncation", line("truncation", r", through comm\.Recv\)"))
    fault("forked", 2, 1, "deadlock: nothing can move", line("forked", r", through comm\.recv\)"))
    fault("leak", 2, 1, "leak: MPI_Comm_dup", line("leak"), r"call\s+comm\.Free\s+on\s+it\s+before\s+MPI\.Finalize\b", options=["--strict"])
    fault("lost", 2, 1, "lost-request: MPI_Isend", line("lost"), r"\(request\.wait,\s+MPI\.Request\.waitall\)", options=["--strict"])
    fault("early", 2, 1, "buffer-reuse: MPI_Wait of node [01]: the buffer of this MPI_Irecv was changed before it was complete", line("early"), options=["--strict"])
    for options, code in ([], 0), (["--strict"], 1):
        fault("freed", 2, code, "buffer-reuse: MPI_Win_fence of node [01]: the buffer of this MPI_Get was changed before it was complete",
              line("freed"), line("fence"), r"keep\s+the\s+buffer\s+of\s+win\.Get\b", "in Python in a variable", options=options)
    fault("array", 2, 1, "crash: node 1 aborted: UnpicklingError: .*" + line("array"), r"use\s+the same form on both sides")
    fault("halves", 2, 1, r"truncation: MPI_Recv of node 1: it receives at most 16 bytes, and node 0 sends 4 of MPI_DOUBLE.*" + line("halves"),
          r"MPI\.DOUBLE\s+and\s+MPI\.FLOAT")
    fault("gaps", 2, 1, "crash: node . aborted: .*not contiguous.*" + line("gaps"), "ascontiguousarray")
    fault("list", 2, 1, "crash: node . aborted: TypeError: .*" + line("list"), r"a\s+small\s+letter")
    fault("blocks", 2, 1, "crash: node 0 aborted: ValueError: .*" + line("blocks"), r"comm\.Get_size\(\) times a block")
    fault("object", 2, 1, r"truncation: MPI_Recv of node 1: it receives at most 32 bytes, and node 0 sends \d+ bytes.*" + line("object"), r"call\s+Send there, or recv here")
    fault("type", 2, 1, "type-mismatch: MPI_Recv: node 1 receives 32 bytes as MPI_DOUBLE, and node 0 sent them as MPI_LONG", line("type"), r"by\s+arrays\s+of\s+the\s+same\s+dtype", options=["--strict"])
    fault("broadcast", 2, 1, "crash: node 1 aborted: TypeError: .*NoneType.*" + line("broadcast"), r"data = comm\.bcast\(data, root=0\)")
    fault("reduced", 2, 1, "crash: node 1 aborted: TypeError: .*NoneType.*" + line("reduced"), r"or call\s+allreduce")
    fault("received", 2, 1, "crash: node [01] aborted: TypeError: .*NoneType.*" + line("received"), "Sendrecv returns nothing")
    fault("parts", 2, 1, "crash: node 0 aborted: ValueError: expecting 2 items, got 3 .*" + line("parts"), r"comm\.Get_size\(\) of them")
    fault("some", 2, 1, "collective-mismatch: .*node 1 calls MPI_Barrier .*" + line("some") + ".*node 0 is in MPI_Finalize")
    fault("outside", 2, 1, r"bad-rank: MPI_Send of node [01]: dest 1 is out of range: ranks are 0 to 0.*" + line("outside"), "fix +")
    fault("colour", 3, 1, "invalid-argument: .*comm is MPI_COMM_NULL.*" + line("colour"))
    fault("counts", 2, 1, "invalid-argument: MPI_Gatherv of node 0: it sends itself 1 elements, 8 bytes, and receives 2 from itself, 16 bytes.*" + line("counts"))
    for name, call, sent, uses, *more in (
            ("beyond", "Recv", 160, "few, an array of 80 bytes; element 10 of MPI_DOUBLE is the first outside it", r"pass\s+the\s+array\s+alone"),
            ("bytes", "Allreduce", 640, "few, an array of 80 bytes; element 10 of"),
            ("parts from", "Scatterv", 40, "whole, an array of 80 bytes, from its byte 64 on; element 2 of"),
            ("parts into", "Gatherv", 3, "some, an array of 12 bytes: block 1 of the call begins at byte 20, outside it"),
            ("each", "Gather", 64, "few, an array of 32 bytes; element 4 of", r"room\s+for\s+2\s+for\s+each"),
            ("all to all", "Alltoallw", 48, "few, an array of 80 bytes, from its byte 48 on; element 4 of"),
            ("column", "Bcast", 32, "table, an array of 120 bytes; the piece of 8 bytes at its byte 120 is not all inside"),
            ("columns", "Bcast", 160, "table, an array of 160 bytes;", r"datatype\.Create_resized\b"),
            ("absolute", "Bcast", 33, "few, an array of 24 bytes"),
            ("member", "Bcast", 48, r"part\.field\.base, an array of 96 bytes, from its byte 72 on; element 3 of"),
            ("in C", "Bcast", 32, r"part\._b_base_, an array of 48 bytes, from its byte 24 on; element 3 of"),
            ("mapped", "Bcast", 32, "few, an array of 24 bytes; element 3 of"),
            ("unnamed", "Bcast", 48, "an array of 24 bytes; element 3 of"),
            ("put", "Put", 32, "few, an array of 24 bytes; element 3 of"),
            ("later", "Irecv", 32, "few, an array of 24 bytes; element 3 of")):
        fault(name, 2, 1, line(name) + rf": finding: out-of-bounds: MPI_{call}: node [01] \w+ {sent} bytes (from|into) {uses}", *more, options=["--strict"])
    fault("far", 2, 1, "out-of-bounds: MPI_Bcast of node 0: the data of argument 1 end far behind the array in which they begin: few, of 24 bytes.*" + line("far"))
    fault("race", 3, 1, "crash: node 0 aborted: AssertionError", line("race"), r"peal: \S*wrong\.py on 3 nodes: 2 orders of arrival in 2 runs", options=["--explore"])
    fault("polls", 2, 1, "livelock: 2000 rounds in a row carried nothing .*the tags differ: 5 and 4", line("polls", r", through comm\.iprobe\)"), options=["--livelock-after", "2000"])
    fault("held", 3, 1, "deadlock: .*node 1 waits in MPI_Win_lock to get the lock of node 0, which node 0 has had since " + line("held"), r"win\.Unlock")
    fault("roots", 4, 1, r"deadlock: .*node 0 waits in MPI_Bcast for node 1 \(" + line("roots", r", through inter\.bcast"))
    fault("twice", 2, 1, "bad-request: MPI_Start of node [01]: request 0 was started already", line("twice"))
    fault("barrier", 2, 1, "collective-mismatch: .*node 0 calls MPI_Barrier .*node 1 calls MPI_Ibarrier", line("barrier"))
    fault("unpicklable", 3, 1, r"crash: node 2 aborted: RuntimeError: not this one \(" + line("unpicklable"))
    fault("left", 3, 1, "collective-mismatch: not every node makes the 1st collective .*" + line("left") + ".*node 1 is in MPI_Finalize")
    fault("abort", 3, 9, r"crash: node 2 aborted: MPI_Abort with code 9 .*" + line("abort"))
    fault("dies", 3, 4, "crash: node 2 aborted: exit with code 4 before MPI_Finalize, after MPI_Barrier .*" + line("dies"))
    fault("hangs", 2, 124, "timeout: .*node 1 computes after MPI_Barrier", line("hangs"), options=["--timeout", "3"])
    fault("code", 2, 5, "^$")
    expect("input", run(2, PYTHON, WRONG, "input", input="3\n"), 1, None, r"crash: node 1 aborted: EOFError: .* \(" + line("input"), r"read\s+it\s+there\s+alone")
    fault("short", 2, 1, r"truncation: MPI_Scatterv of node 0: it sends itself 2 elements.*" + line("short"), r"fix +what\s+a\s+node\s+sends\s+itself")
    for how, told in ("exits", "its process has ended with code 4"), ("stops", r"its process was stopped by signal 19 \(.*\)"):
        fault(how, 3, 1, f"crash: node 1: {told}, in MPI_Allreduce .*" + line("combined"), options=["--timeout", "20"])
    expect("an operator that prints much", run(2, PYTHON, WRONG, "prints", options=["--timeout", "20"]), 0, "x" * 200000 + "\n")


def threads(folder):
    """While one thread is in a call, Peal cannot carry out those of others: no deadlock is reported then, unless these wait, too."""
    script, fifo = os.path.join(HERE, "threads.py"), os.path.join(folder, "fifo")
    os.mkfifo(fifo)
    one = " of node 0 waits, and nothing else moves, while another thread of its process "
    called = rf"calls (MPI|comm\.Send \({line('calls', script=script)}\)): Peal carries out one call of a process at a time "
    expect("crossed", run(2, PYTHON, script, "crossed", fifo), 1, "", f"unsupported: MPI_Sendrecv{one}({called}|may call MPI: )",
           line("waits", script=script), "let one thread of each node")
    expect("sleeps", run(2, PYTHON, script, "sleeps"), 1, "", f"unsupported: MPI_Mprobe{one}may call MPI: .* if that thread never calls, this is a deadlock",
           line("outside", script=script))
    expect("sleeps, with one level less", run(2, PYTHON, "-c", "import mpi4py, runpy, sys\nmpi4py.rc.thread_level = 'serialized'\n"
                                              "sys.argv[1:] = ['sleeps']\n" f"runpy.run_path('{script}')"), 1, "",
           "deadlock: nothing can move: node 0 waits in MPI_Mprobe")
    expect("idle", run(2, PYTHON, script, "idle"), 1, "", "deadlock: nothing can move: node 0 waits in MPI_Mprobe", line("outside", script=script))


def modules(folder):
    """Shared objects that pealcc has linked, for Python and for a program; not beside the library of another interface."""
    pealcc = os.path.join(BUILD, "tools", "pealcc")
    written(folder, "part.c", "#include <mpi.h>\nint total(int done)\n{\n    int one = 1, sum = 0;\n    if (!done)\n        MPI_Init(0, 0);\n"
            "    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);\n    if (!done)\n        MPI_Finalize();\n    return sum;\n}\n")
    written(folder, "whole.c", "#include <stdio.h>\nint total(int);\nint main(void)\n{\n    printf(\"%d\\n\", total(0));\n}\n")
    for words in ["-shared", "-fPIC", "part.c", "-o", "part.so"], ["whole.c", "./part.so", "-o", "whole"]:
        subprocess.run([pealcc, *words], check=True, cwd=folder)
    expect("a program with a shared object", run(3, "./whole", cwd=folder), 0, "3\n" * 3)
    written(folder, "loads.py", "import ctypes\nfor name in 'libmpi.so', 'libmpi.so.40', 'libmpi.so.12', 'libmpi_abi.so.1':\n"
            "    library, version = ctypes.CDLL(name), ctypes.c_int()\n"
            "    library.MPI_Abi_get_version(ctypes.byref(version), ctypes.byref(ctypes.c_int()))\n    print(version.value, hasattr(library, 'ompi_mpi_comm_self'))\n")
    expect("what mpi4py's wheels look for", run(1, PYTHON, "loads.py", cwd=folder), 0, "-1 True\n-1 True\n-1 False\n1 False\n")
    for name, before in ("alone", ""), ("both", "from mpi4py import MPI\n"):
        written(folder, name + ".py", f"import ctypes\n{before}print(ctypes.CDLL('./part.so').total({len(before)}))\n")
    expect("a module", run(3, PYTHON, "alone.py", cwd=folder), 0, "3\n" * 3)
    expect("two interfaces", run(2, PYTHON, "both.py", cwd=folder), 1, "", "peal: a process calls MPI by the libraries of two interfaces")


def given(folder):
    """Standard input is node 0's; arguments, the environment and the directory are those of pealrun; lines stay whole."""
    script = written(folder, "given.py", "import os, sys\nfrom mpi4py import MPI\nc = MPI.COMM_WORLD\n"
                     "print(c.rank, end=' ')\nc.Barrier()\nprint(sys.stdin.read(), sys.argv[1:], os.environ['WORD'], os.getcwd() == sys.argv[2])\n")
    done = run(2, PYTHON, script, "a b", folder, input="in", cwd=folder, env={**os.environ, "WORD": "x"})
    expect("what is given", done, 0, f"0 in ['a b', '{folder}'] x True\n1  ['a b', '{folder}'] x True\n")
    told = "from mpi4py import MPI\nMPI.COMM_WORLD.recv()\n"
    for words, at in (["-c", told], r"<string>:2, through MPI\.COMM_WORLD\.recv\)"), (["-"], r"<stdin>:2\)"):
        expect(f"a program by {words[0]}", run(1, PYTHON, *words, input=told), 1, "", r"deadlock: .* waits in MPI_Mprobe .* \(" + at)
    loud = subprocess.run([PEALRUN, "-n", "1", PYTHON, "-c", "print(1)"], capture_output=True, text=True, timeout=60, check=False)
    expect("a program without MPI", loud, 0, "1\n", "each node is a process: /usr/bin/python3 was not linked by pealcc", r"/usr/bin/python3 on 1 node, 0 rounds")
    for name, words in {"part/long.py": "print(os.environ['LD_LIBRARY_PATH'].endswith('/end'))", "re.py": "os.abort()", "random.py": "os.abort()",
                        "safe.py": "import own, random\nprint(True)", "part/own.py": "", "part/__main__.py": "import own, random\nprint(c.allreduce(1) == 2)"}.items():
        written(folder, name, "import os, numpy\nfrom mpi4py import MPI\nc = MPI.COMM_WORLD\n" + words)
    zipapp.create_archive(os.path.join(folder, "part"), os.path.join(folder, "part.pyz"))
    expect("a long path", run(2, PYTHON, "part/long.py", cwd=folder, env={**os.environ, "LD_LIBRARY_PATH": "/none:" * 900 + "/end"}), 0, "True\n" * 2)
    for name in "part", "part.pyz", "part/__main__.py":
        expect(f"{name}, beside modules that are not its own", run(2, PYTHON, name, cwd=folder), 0, "True\n" * 2)
    safe = {**os.environ, "PYTHONSAFEPATH": "1", "PYTHONPATH": os.path.join(folder, "part")}
    expect("a safe path", run(2, PYTHON, "safe.py", cwd=folder, env=safe), 0, "True\n" * 2)
    os.remove(os.path.join(folder, "re.py"))
    os.remove(os.path.join(folder, "random.py"))
    absent = written(folder, "absent.py", "import sys\nsys.modules['mpi4py'] = None  # as where it is not installed\nfrom mpi4py import MPI\nimport pandas\n")
    written(folder, "pandas.py", "raise ImportError  # when it is imported for all nodes at once, too\n")
    without = run(3, PYTHON, absent, cwd=folder, env={**os.environ, "PYTHONPATH": folder})
    expect("no mpi4py", without, 1, "", "peal: python3 has no mpi4py: apt-get install python3-mpi4py")
    if without.stderr.count("Traceback") != 1:
        errors.append(f"no mpi4py: more than one node says it: {without.stderr}")
    expect("--compute", run(1, PYTHON, script, options=["--compute", "measure"]), 2, "", "--compute: the nodes of .* are processes")
    written(folder, "short.py", "from mpi4py import MPI\nprint(MPI.COMM_WORLD.allreduce(1))\n")
    path = {**os.environ, "PATH": "/usr/bin:" + os.environ["PATH"]}
    expect("a script without a first line", run(2, "short.py", cwd=folder, env=path), 0, "2\n2\n")
    checked = subprocess.run([os.path.join(BUILD, "tools", "peal"), "check", "--program", "short.py", "-p", "1:2"], capture_output=True,
                             text=True, timeout=60, check=False, cwd=folder, env=path)
    expect("a check", checked, 0, None, "each node is a process of its own\n")
    loud = subprocess.run([PEALRUN, "-n", "2", PYTHON, "short.py"], capture_output=True, text=True, timeout=60, check=False, cwd=folder)
    expect("a script that is not quiet", loud, 0, "2\n2\n", "each node is a process of its own\n")
    if "no failure in any order of arrival, P = 1, 2" not in checked.stdout:
        errors.append(checked.stdout)
    written(folder, "parts.py", "from mpi4py import MPI\nMPI.COMM_WORLD.scatter([1] * 3 if MPI.COMM_WORLD.rank == 0 else None)\n")
    checked = subprocess.run([os.path.join(BUILD, "tools", "peal"), "check", "--program", "parts.py", "-p", "2:3"], capture_output=True,
                             text=True, timeout=60, check=False, cwd=folder, env=path)
    if "itself before it sends anything (node 0 aborted: ValueError: expecting 2 items, got 3)" not in checked.stdout:
        errors.append(checked.stdout)
    subprocess.run([os.path.join(BUILD, "tools", "peal"), "new", "program", "ring", "--python"], stdout=subprocess.DEVNULL, check=True, cwd=folder)
    for nodes, total in (1, 0), (5, 10):
        expect("a new program", run(nodes, PYTHON, "ring.py", cwd=folder), 0, f"the ranks 0 to {nodes - 1} add up to {total}\n")


def below(number):
    """The first child process of one."""
    done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(number)], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[0])


def nothing_left():
    """One process of a run is killed: pealrun, that which serves the nodes, the spawner, or a node; or all get a signal that ends them."""
    if left():
        errors.append(f"left by the runs before: {left()}")
    for who, said in enumerate(("^$", "crash: the program was ended by signal 9", "the spawner of the nodes' processes was ended by signal 9",
                                r"node \d crashed: signal 9 \(Killed\), after MPI_\w+ \(wrong\.py", r"^peal: interrupted \(Terminated\)")):
        started = subprocess.Popen([PEALRUN, "-q", "-n", "3", PYTHON, WRONG, "sleeps"], stderr=subprocess.PIPE, text=True, start_new_session=True)
        for _ in range(200):
            if sum("sleep 987" in one for one in left()) == 3:
                break
            time.sleep(0.05)
        else:
            errors.append(f"the processes did not start: {left()}")
        if who == 4:
            os.killpg(started.pid, signal.SIGTERM)
        else:
            victim = started.pid
            for _ in range(who):
                victim = below(victim)
            os.kill(victim, signal.SIGKILL)
        told = started.communicate()[1]
        if not re.search(said, told):
            errors.append(f"process {who} is killed: {told}")
        for _ in range(100):
            if not left():
                break
            time.sleep(0.05)
        else:
            errors.append(f"left when process {who} is killed: {left()}")


def nothing_left_by_an_order(folder):
    """The spawner is killed in an order of arrival that is not the first: what a node had started is ended, too."""
    later = written(folder, "later.py", "import os, time\nfrom mpi4py import MPI\nc = MPI.COMM_WORLD\nif c.rank:\n    c.send(1, dest=0)\nelse:\n    c.recv(), c.recv()\n"
                    "    if os.path.exists('first') and not os.path.exists('second'):\n        open('second', 'w').close()\n        os.spawnlp(os.P_NOWAIT, 'sleep', 'sleep', '987')\n        time.sleep(900)\n    open('first', 'w').close()\n")
    started = subprocess.Popen([PEALRUN, "-q", "-n", "3", "--explore", PYTHON, later], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=folder)
    for _ in range(400):
        if any("sleep 987" in one for one in left()):
            break
        time.sleep(0.05)
    victim = started.pid
    while "spawner" not in subprocess.run(["ps", "-o", "args=", "-p", str(victim)], capture_output=True, text=True, check=True).stdout.split()[0]:
        victim = below(victim)
    os.kill(victim, signal.SIGKILL)
    told = started.communicate()[1]
    if "the spawner of the nodes' processes was ended by signal 9" not in told or left():
        errors.append(f"the spawner of an order is killed: {told}{left()}")


with tempfile.TemporaryDirectory() as temporary:
    right(*([4] if SYSTEM else [1, 4, 7]))
    prebuilt(temporary)
    in_r(temporary)
    first_wrong()
    if not SYSTEM:
        courses()
        another_library(temporary)
        other_languages(temporary)
        spawner(temporary)
        wrong()
        threads(temporary)
        given(os.path.realpath(temporary))
        modules(temporary)
        nothing_left()
        nothing_left_by_an_order(temporary)
print("\n".join(errors))
sys.exit(bool(errors))
