#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Submissions in Python that reach for what is not theirs, or break a rule of MPI: python_sandbox.py PEAL.  What must be
refused is refused, each mistake has its kind and line, and nothing outlives the grading."""
import os
import json
import pathlib
import subprocess
import sys
import tempfile
import time

SPEC = """[assignment]
interface = python
program = submission
timeout = 10
forbid = MPI_Allreduce
total_timeout = 60
[test runs]
nodes = 2
expect = expected.txt
"""
CASES = {  # the program: whether it passes, a text of the notes
    "right": ("print('done')", None),
    # each line must fail; what does not is printed
    "reaches": ("""
import ctypes, os, signal, socket, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
for what in SECRETS:
    try:
        print(open(what, 'rb').read(20))
    except OSError:
        pass
def system(name, *arguments):
    if getattr(libc, name)(*arguments) >= 0:
        print(name)
tries = {
    'write': lambda: open('/tmp/peal-python-sandbox', 'w'),
    'append': lambda: os.open(SECRETS[0], os.O_WRONLY | os.O_APPEND),
    'list': lambda: os.listdir('/'),
    'home': lambda: os.listdir(os.path.dirname(SECRETS[0])),
    'fork': os.fork,
    'spawn': lambda: os.posix_spawn('/usr/bin/true', ['true'], {}),
    'program': lambda: os.execv('/usr/bin/env', ['env']),
    'socket': socket.socket,
    'pair': socket.socketpair,
    'kill': lambda: os.kill(2, 9),
    'group': lambda: os.killpg(0, 9),
    'session': os.setsid,
    'processes': lambda: os.listdir('/proc'),
    'memory': lambda: open('/proc/self/mem', 'rb'),
}
for name, one in tries.items():
    try:
        one()
        print(name)
    except OSError:
        pass
piece = ctypes.create_string_buffer(64)
system('ptrace', 16, 1, 0, 0)
system('process_vm_readv', 1, piece, 1, piece, 1, 0)
system('memfd_create', b'x', 0)
system('unshare', 0x10000000)
for file in range(3, 1000):  # of open files there is its own channel alone
    try:
        os.fstat(file)
        if file != 500:
            print('file', file)
    except OSError:
        pass
if 'PEAL_SEED' in os.environ or len(os.environ) > 6:
    print(os.environ)
print('done')
""", None),
    "forbidden": ("MPI.COMM_WORLD.allreduce(1); MPI.COMM_WORLD.Allreduce(MPI.IN_PLACE, bytearray(8))", r"calls MPI_Allreduce, which is forbidden here"),
    "endless": ("while True: pass", "timeout"),
    "memory": ("a = bytearray(1 << 40)", "MemoryError"),
    "exit": ("import os\nif MPI.COMM_WORLD.rank: os._exit(4)", "code 4"),
    "crash": ("import ctypes\nctypes.string_at(0)", "signal 11"),
    "raises": ("x = 1\nraise ValueError('no good')", "ValueError: no good"),
    "syntax": ("x = = 1", "SyntaxError"),
    "cycle": ("MPI.COMM_WORLD.recv(source=1 - MPI.COMM_WORLD.rank)", "deadlock"),
    "leak": ("MPI.COMM_WORLD.Dup()\nprint('done')", "leak: "),
    # its channel is its own: what it writes there harms its own run alone
    "channel": ("""
import ctypes, random
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
at = libc.mmap(None, 1 << 16, 3, 1, 500, 0)
random.seed(MPI.COMM_WORLD.rank)
for _ in range(200):
    for _ in range(64):
        ctypes.memset(at + 4 + random.randrange(1 << 13), random.randrange(256), 1)
    try:
        MPI.COMM_WORLD.Barrier()
    except MPI.Exception:
        pass
""", ""),
}

DRIVERS = {  # what is wrong with a driver is said before any submission is marked
    "import submission, sys\nx = = 1": "fails before it imports a submission: node 0 aborted: SyntaxError: invalid syntax (driver.py, line 2)",
    "import nothing_like_it, submission": "fails before it imports a submission: node 0 aborted: ModuleNotFoundError: No module named 'nothing_like_it'",
    "print('done')": "ends without a submission: expected it to import the module submission",
}


def left(marker):
    return [line for line in subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=False).stdout.splitlines()
            if marker in line and "ps -eo" not in line]


def main():
    peal, bad = os.path.abspath(sys.argv[1]), []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "a.ini").write_text(SPEC)
        (folder / "expected.txt").write_text("done\ndone\n")
        (folder / "solution.py").write_text("secret")
        secrets = [str(folder / "solution.py"), str(folder / "right.py"), str(folder / "expected.txt"), str(folder / "a.ini"), "/etc/passwd"]
        for case, (text, _) in CASES.items():
            (folder / f"{case}.py").write_text(f"from mpi4py import MPI\nSECRETS = {secrets}\n{text}\n")
        done = subprocess.run([peal, "grade", "a.ini", *(f"{case}.py" for case in CASES), "--json"], cwd=folder, capture_output=True, text=True,
                              timeout=280, check=False)
        if done.returncode != 1:
            sys.exit(f"ends with {done.returncode}: {done.stderr}")
        for (case, (_, expected)), marked in zip(CASES.items(), json.loads(done.stdout)["submissions"]):
            test = marked["tests"][0]
            if test["passed"] != (expected is None) or (expected or "") not in str(test["notes"]):
                bad.append(f"{case}: {test['passed']}, {test['notes']}")
        (folder / "a.ini").write_text(SPEC.replace("program = submission", "program = driver.py"))
        for text, expected in DRIVERS.items():
            (folder / "driver.py").write_text(f"{text}\n")
            done = subprocess.run([peal, "grade", "a.ini", "right.py"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
            if done.returncode != 3 or done.stdout or not done.stderr.startswith(f"peal: a.ini:3: program: the driver driver.py {expected}"):
                bad.append(f"driver {text}: {done.returncode}: {done.stdout}{done.stderr}")
        for _ in range(50):
            if not left("/" + folder.name) and not left("right.py"):
                break
            time.sleep(0.1)
        else:
            bad.append(f"left: {left('right.py')}")
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
