#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Step through runs on a pseudo-terminal: each key shows the round that it should, and the terminal is left as it was.

  tests/cli/step.py PEAL"""
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import termios


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, *command):
        self.master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (40, 100))
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=subprocess.PIPE,
                                        env={**os.environ, "NO_COLOR": "1", "TERM": "xterm"})
        self.seen = ""

    def until(self, pattern):
        """What comes up to the pattern, from the last clearing of the screen on."""
        for _ in range(200):
            match = re.search(pattern, self.seen, flags=re.S)
            if match:
                text, self.seen = self.seen[:match.end()], self.seen[match.end():]
                return text.rpartition("\033[H\033[2J")[2].replace("\r", "")
            if select.select([self.master], [], [], 0.25)[0]:
                try:
                    self.seen += os.read(self.master, 65536).decode(errors="replace")
                except OSError:
                    break
            elif self.process.poll() is not None:
                break
        raise AssertionError(f"{pattern!r} did not come, but {self.seen!r} {self.process.stderr.read()!r}")

    def press(self, keys):
        os.write(self.master, keys.encode())
        return self.until(r"q ends")

    def quit(self, key="q", table=True):  # that of a program goes to standard error
        os.write(self.master, key.encode())
        if table:
            self.until(r"seed +0\s")
        assert self.process.wait(60) == 0
        assert termios.tcgetattr(self.slave) == self.before, "the terminal is not as it was"
        os.close(self.master)
        os.close(self.slave)
        self.process.stderr.close()


def scatter(peal):
    terminal = Terminal(peal, "run", "scatter", "-p", "4", "--step")
    first = terminal.until("q ends")
    assert "scatter/binomial  before the first of 2 rounds\nso far 0\n" in first, first
    assert "  node 0:  0 1 2 3\n  node 1:  · · · ·\n" in first, first
    one = terminal.press(" ")
    assert "round 1 of 2   charge α + 8β\nso far α + 8β = 1008\n  0 -> 2  8 words, 1 hop, k = 1\n" in one, one
    assert "  node 0:  0 1 · ·\n" in one and "  node 2:  · · 2 3\n" in one, one
    assert "  node 0:  0 1 2 3\n" in terminal.press("d") and terminal.press("d") == one
    two = terminal.press("\r")
    assert "round 2 of 2" in two and "so far 2α + 12β = 2012" in two and "  node 0:  0 · · ·\n" in two and "  node 3:  · · · 3\n" in two, two
    assert "round 2 of 2" in terminal.press("n"), "beyond the end it stays"
    assert terminal.press("b") == one and terminal.press("\033[D") == first and terminal.press("b") == first
    assert terminal.press("\033[C") == one and terminal.press("\033[F") == two and terminal.press("\033[H") == first
    assert terminal.press("2\r") == two and terminal.press("1g") == one and terminal.press("999\r") == two
    assert terminal.press("0\r") == first
    terminal.quit()


def main():
    peal = sys.argv[1]
    scatter(peal)
    terminal = Terminal(peal, "run", "allreduce/recursive-doubling", "-p", "4", "-n", "5", "--step")
    terminal.until("q ends")
    assert "  node 3:  2-3\n" in terminal.press(" ")
    assert "  node 3:  0-3\n" in terminal.press(" ")
    terminal.quit("\3")
    with tempfile.NamedTemporaryFile("w", suffix=".c") as program:
        program.write("#include <peal/peal.h>\nvoid peal_main(struct peal_node *me, int argc, char **argv)\n{\n"
                      "    double sum = peal_rank(me), came;\n    (void)argc, (void)argv;\n    peal_show(me, \"sum\", sum);\n"
                      "    peal_sendrecv(me, &sum, 1, 1 - peal_rank(me), &came, 1, 1 - peal_rank(me));\n"
                      "    peal_show(me, \"sum\", sum += came);\n    peal_show(me, \"half\", sum / 2);\n}\n")
        program.flush()
        terminal = Terminal(peal, "run", program.name, "-p", "2", "--step")
        assert "the nodes show\n  node 0:  sum = 0 half = ·\n" in terminal.until("q ends")
        assert "after it the nodes show\n  node 0:  sum = 1 half = 0.5\n" in terminal.press(" ")
        terminal.quit(table=False)
    terminal = Terminal(peal, "run", "barrier", "-p", "64", "--step")
    terminal.until("q ends")
    assert re.search(r"\.\.\. \d+ more\n.*a barrier moves no words", terminal.press(" "), flags=re.S)
    terminal.quit()
    for arguments in (["--step"], ["--step", "--json"], ["--step", "--rounds", "none"]):
        done = subprocess.run([peal, "run", "scatter", *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False)
        assert done.returncode == 2 and done.stderr.startswith("peal: --step shows") and done.stderr.count("\n") == 1
        assert not done.stdout


if __name__ == "__main__":
    main()
