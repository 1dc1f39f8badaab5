#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Let a shell complete command lines: shells.py PEAL SHELL.  Skipped where it is not installed."""
import os
import pathlib
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time

CASES = {  # the last word becomes this one
    "peal expl": "explain",
    "peal run scatter --switching w": "wormhole",
    "peal run scatter --switching=st": "--switching=store-forward",
    "peal price run.json -t line,hyp": "line,hypercube",
    "peal run scatter/binomial-n": "scatter/binomial-near",
    "peal run hel": "hello.c",
    "peal fit meas": "measured.txt",
    "peal run scatter --json=meas": "--json=measured.txt",
    "peal run scatter -t file:meas": "file:measured.txt",
    "peal help peal_send_as": "peal_send_async",
    "nopeal run sc": "sc",
    "oldpeal run sc": "sc",
}
SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "tools" / "completion"
START = {
    "bash": ["bash", "--norc", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config"],
}
READ = {
    "bash": f"source {SCRIPTS}/peal.bash; complete -F _peal oldpeal nopeal",
    "zsh": f"fpath=({SCRIPTS} $fpath); autoload -U compinit; compinit -u -D; compdef _peal oldpeal nopeal",
    "fish": f"source {SCRIPTS}/peal.fish; for c in oldpeal nopeal; complete -c $c -f -a '(__peal_complete)'; end;",
}


def type_into(shell, lines):
    """Type each line, a tabulator, and a command that prints the words instead; give what the terminal showed."""
    process, terminal = pty.fork()
    if process == 0:
        os.execvp(START[shell][0], START[shell])
    shown, end = "", time.monotonic() + 120
    os.write(terminal, f"PS1=; PS2=; {READ[shell]}\r".encode())
    for line in lines:
        os.write(terminal, f"{line}\t\x01printf '<%s>' \r".encode())
    os.write(terminal, b"printf '<%s>' all done\r")
    while "<all><done>" not in shown and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            shown += os.read(terminal, 4096).decode(errors="replace")
    os.write(terminal, b"exit\r")
    os.close(terminal)
    os.waitpid(process, 0)
    return shown


def main(peal, shell):
    if not shutil.which(shell):
        print(f"{shell} is not installed")
        sys.exit(77)
    tools = pathlib.Path(peal).absolute().parent
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in "hello.c", "measured.txt":
            pathlib.Path(name).touch()
        old = pathlib.Path("oldpeal")
        old.write_text("#!/bin/sh\necho \"unknown command '$1'\" >&2\nexit 2\n")
        old.chmod(0o755)
        os.environ.update(PATH=f"{tools}:{folder}:{os.environ['PATH']}", HOME=folder, TERM="dumb")
        for name in "EDITOR", "VISUAL":
            os.environ.pop(name, None)
        if shell == "fish":
            shown = ""
            for line in CASES:
                run = subprocess.run(START[shell] + ["-c", READ[shell] + " complete -C $argv[1]", line], text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
                words = [row.split("\t")[0] for row in run.stdout.splitlines()] or [line.split()[-1]]
                shown += "".join(f"<{word}>" for word in line.split()[:-1] + words) + "\n"
        else:
            shown = type_into(shell, CASES)
    wrong = [line for line, word in CASES.items()
             if "".join(f"<{w}>" for w in line.split()[:-1] + [word]) not in shown]
    if wrong or "unknown command '" in shown or "not found" in shown:
        sys.exit(f"{wrong} not completed:\n{shown}")


main(*sys.argv[1:])
