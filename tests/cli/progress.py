#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The line of progress: on a terminal, of a run that takes long, gone when anything else is printed; else never.

  tests/cli/progress.py PEAL
"""
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PEAL = os.path.abspath(sys.argv[1])
LINE = re.compile(r"\d+ rounds?, \d*α[^\r]* = [\d.e+]+, \d+ of 3 nodes done, \d+\.\d s")
wrong = []


def check(name, good, shown=""):
    """Note the outcome of one check."""
    print("ok" if good else "FAILED", name)
    if not good:
        wrong.append(name)
        print(repr(shown))


def environment(**more):
    """The environment of a command, with TERM=xterm unless something else is said; None takes a name away."""
    names = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **more}
    if "NO_COLOR" not in more:
        names.pop("NO_COLOR", None)
    return {name: value for name, value in names.items() if value is not None}


def screen(data):
    """What a terminal shows after these bytes: its lines, and where the cursor is in the last."""
    lines, column = [[]], 0
    for letter in data.decode():
        if letter == "\r":
            column = 0
        elif letter == "\n":
            lines.append([])
            column = 0
        else:
            lines[-1][column:column + 1] = letter
            column += 1
    return ["".join(line).rstrip() for line in lines], column


def on_terminal(folder, arguments, until, stdout=None, **more):
    """Run with standard error (and standard output, unless given) on a terminal; until(bytes so far) says when the
    program is to stop.  Gives all bytes, those that were there then, and the exit code."""
    ours, theirs = pty.openpty()
    subprocess.run(["stty", "-onlcr", "cols", "100"], stdin=theirs, check=True)
    with subprocess.Popen([PEAL, *arguments], cwd=folder, env=environment(**more), stdin=subprocess.DEVNULL,
                          stdout=theirs if stdout is None else stdout, stderr=theirs) as process:
        os.close(theirs)
        data, then, began = b"", None, time.monotonic()
        os.set_blocking(ours, False)
        while True:
            try:
                piece = os.read(ours, 65536)
                if not piece:
                    break
                data += piece
            except BlockingIOError:
                if process.poll() is not None:
                    break
                if time.monotonic() - began > 100:
                    process.kill()
                time.sleep(0.01)
            except OSError: # the other end is closed
                break
            if then is None and until(data):
                then = data
                with open(os.path.join(folder, "stop"), "w", encoding="utf-8"):
                    pass
    os.close(ours)
    if os.path.exists(os.path.join(folder, "stop")):
        os.remove(os.path.join(folder, "stop"))
    return data, then or b"", process.returncode


def main():
    """Run all checks."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(HERE, "files", "until.c"), folder)
        until = ["run", "until.c", "-p", "3", "--rounds", "none"]

        def two_lines(data):
            return len(set(LINE.findall(data.decode(errors="replace")))) >= 2

        data, then, code = on_terminal(folder, [*until, "--", "stop"], two_lines)
        lines, _ = screen(then)
        check("a run that goes on tells how far it is, in one line", len(lines) == 1 and LINE.match(lines[0]), then)
        lines, _ = screen(data)
        check("and the line is gone when the result is printed", code == 0 and not LINE.search("\n".join(lines)) and
              "until.c" in "".join(lines[:2]), lines)

        for engine in ("threads", "fibers"):
            data, then, code = on_terminal(folder, [*until, "--engine", engine, "--", "stop", "half way"],
                                           lambda data: b"half way" in data)
            lines, _ = screen(then[:then.index(b"half way") + len("half way\n")])
            check(f"the output of a node is on a line of its own, on {engine}", LINE.search(then.decode()) and
                  lines == ["half way", ""], then)

        with open(os.path.join(folder, "out"), "wb") as out:
            data, then, code = on_terminal(folder, [*until, "--json", "--", "stop"], two_lines, stdout=out)
        with open(os.path.join(folder, "out"), encoding="utf-8") as out:
            json.load(out)
        check("with standard output in a file, the terminal is empty in the end", code == 0 and
              screen(data) == ([""], 0), data)

        began = time.monotonic()

        def late(_):
            return time.monotonic() - began > 1.5

        data, then, code = on_terminal(folder, [*until, "--json", "--", "stop"], two_lines, stdout=subprocess.DEVNULL,
                                       NO_COLOR="1")
        check("NO_COLOR has no escape sequence", code == 0 and b"\033" not in data and LINE.search(data.decode()), data)
        for name in ("dumb", None):
            began = time.monotonic()
            data, then, code = on_terminal(folder, [*until, "--json", "--", "stop"], late, stdout=subprocess.DEVNULL,
                                           TERM=name)
            check(f"TERM={name}: no line", code == 0 and data == b"", data)

        with subprocess.Popen([PEAL, *until, "--json", "--", "stop"], cwd=folder, env=environment(),
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            time.sleep(1.5)
            with open(os.path.join(folder, "stop"), "w", encoding="utf-8"):
                pass
            data = process.stderr.read()
        check("a pipe gets no line", process.returncode == 0 and data == b"", data)

        with open(os.path.join(folder, "out"), "w+b") as out:
            data, _, code = on_terminal(folder, ["run", "scatter", "--json"], lambda data: False, stdout=out)
            out.seek(0)
            seconds = json.load(out)["host"]["seconds"]
        check("a short run shows none", code == 0 and (data == b"" or seconds > 0.4), data)
    print(f"{len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
