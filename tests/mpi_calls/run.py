#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs for MPI, compiled by pealcc and run by pealrun: run.py [--in-turn] [--sanitized] [--update] BUILD FOLDER [PROGRAM...].

right/NAME.c runs on the nodes that its first line lists, on fibers and, compiled with --watch, on threads; it checks itself,
exits 0, and prints the same on both.  In every order of arrival it runs on the nodes of a line "explore", without a finding.  The first lines of wrong/NAME.c have the expected output:

    /* nodes: 2 */
    /* exit: 1 */
    /* error: invalid-argument: NAME.c:LINE: MPI_Send: ... */     a line of standard error; LINE is that of the comment HERE,
                                                                  LINE2 that of HERE2, and so on; node * is any node
    /* never: TEXT */                                             must not be in standard error
    /* output: ... */                                             a line of standard output
    /* also: OPTIONS [-- ARGUMENTS] => EXIT TEXT */               another run, and a text in its standard error
    /* compiler: --watch */                                       an option for pealcc
    /* by clang: ARGUMENTS ... */                                 those of the other runs whose text comes with clang, too
    /* not with a sanitizer */                                    whose allocator ends the process before Peal can speak

Each command of an "again" line is run in a shell of its own, from a folder with a blank in its name, and must find something, too.
Programs in Fortran, NAME.f90 or NAME.f, have these as comments of their own, after an exclamation mark, and no --watch on threads.
What Peal says in each of these runs, each kind with its message and its hint, is in said.txt: --update writes what came.

With --in-turn each run is on one engine only, in turn: half the work, and of the table only what was said on fibers is compared.
"""
import itertools
import os
import platform
import re
import subprocess
import sys
import tempfile


ENGINES = itertools.cycle([["fibers"], ["threads"]] if "--in-turn" in sys.argv else [["fibers", "threads"]])


def wanted(text, word):
    return re.findall(r"(?:/\* |^! )%s: (.*?)(?: \*/|$)" % word, text, re.M)


SAID = {}  # by program and options: the lines of said.txt
ON_X86 = platform.machine() == "x86_64" and "QEMU_LD_PREFIX" not in os.environ


def remember(title, text):
    """Keep the messages and hints of a run."""
    lines = []
    for line in text.splitlines():
        found = re.match(r"(?:peal|\S+:\d+: (?:finding|note)): ([a-z][a-z-]+: .*)", line)
        if found:
            line = re.sub(r"0x[0-9a-f]{3,}", "0x...", found[1])
            lines.append(re.sub(r"^(timeout: [^:]*): node .*", r"\1", line))  # where they are just then
        elif line.startswith("  fix    "):
            lines.append("  fix: " + line[9:])
        elif line.startswith(" " * 9) and lines and lines[-1].startswith("  fix: "):
            lines[-1] += " " + line.strip()
        else:
            lines.append("")  # what follows is of another line
    # how many rounds a run made until its time was up depends on the machine, and on the allocator what a write beyond a
    # block, which was found, has damaged
    left_out = ["note: ", "  fix: the run has made "] + ["crash: abort: the program has damaged memory: "] * any(line.startswith("out-of-bounds: ") for line in lines)
    SAID[title] = [line for line in lines if line and not line.startswith(tuple(left_out))]


def compare_said(path, update, errors):
    """Compare what was said with the table."""
    with open(path, encoding="utf-8") as opened:
        parts = re.split(r"^== (.*)\n", opened.read(), flags=re.M)
    table = {title: body.splitlines() for title, body in zip(parts[1::2], parts[2::2])}
    for title, lines in SAID.items():
        if not ON_X86 and any("segmentation fault" in line for line in lines):
            continue  # other machines report other addresses
        if lines != table.get(title, []) and not update:
            errors.append(f"{path}: {title}: expected\n" + "\n".join(table.get(title, [])) + "\ngot\n" + "\n".join(lines))
    if update:
        table.update(SAID)
        with open(path, "w", encoding="utf-8") as out:
            out.write(parts[0] + "".join(f"== {title}\n" + "".join(f"{line}\n" for line in table[title]) for title in sorted(table) if table[title]))


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=600, **more)


def check_right(pealrun, compiler, program, source, text, errors):
    for nodes in wanted(text, "nodes")[0].split():
        outputs = set()
        for engine in next(ENGINES):  # strict: no right program is accused
            watched = engine == "threads" and source.endswith(".c")
            file = program + "-watched" if watched else program
            if watched and not os.path.exists(file):
                done = run(compiler + ["--watch", "-w", "-o", file])
                if done.returncode != 0:
                    errors.append(f"{source} does not compile with --watch:\n{done.stderr}")
                    continue
            done = run([pealrun, "-q", "-n", nodes, "--strict", "--engine", engine, file] + wanted(text, "arguments"))
            outputs.add(done.stdout)
            if done.returncode != 0 or done.stderr:
                errors.append(f"{source} on {nodes} nodes, {engine}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        if nodes in " ".join(wanted(text, "explore")).split():
            done = run([pealrun, "-q", "-n", nodes, "--strict", "--explore", program] + wanted(text, "arguments"))
            if done.returncode != 0 or "finding" in done.stderr:
                errors.append(f"{source} on {nodes} nodes, explored: exit {done.returncode}\n{done.stdout}{done.stderr}")
        if len(outputs) > 1:
            errors.append(f"{source} on {nodes} nodes: the engines print different things: {outputs}")


def run_again(source, pealrun, done, errors):
    """Run the commands that the run names, as a user would paste them."""
    for command in dict.fromkeys(re.findall(r"^  again +(.*)", done.stderr, flags=re.M)):
        again = run(["bash", "-c", command], stdin=subprocess.DEVNULL,
                    env={**os.environ, "PATH": f"{os.path.dirname(pealrun)}:{os.environ['PATH']}"})
        refused = again.returncode in (2, 3, 4) and "the program ends with exit code" not in again.stderr + done.stderr
        if refused or (again.returncode == 0 and "finding: " not in again.stderr):
            errors.append(f"{source}: {command}\nexit {again.returncode}\n{again.stdout}{again.stderr}")


def check_wrong(pealrun, compiler, program, source, text, errors):
    name = os.path.basename(source)
    places = {number: str(i + 1) for i, row in enumerate(text.splitlines())
              for number in re.findall(r"(?:/\*|!) HERE(\d*)\b", row)}

    def place(expected):
        return re.sub(r"NAME\.[cf]\w*:LINE(\d*)", lambda found: f"{name}:{places.get(found[1], '?')}", expected)

    for engine in next(ENGINES):
        done = run([pealrun, "-q", "-n", wanted(text, "nodes")[0], "--engine", engine] + " ".join(wanted(text, "options")).split()
                   + [program])
        if engine == "fibers":
            remember(name, done.stderr)
        code = int(wanted(text, "exit")[0])
        if done.returncode != code:
            errors.append(f"{source}, {engine}: exit {done.returncode}, expected {code}\n{done.stdout}{done.stderr}")
        for stream, word in [(done.stderr, "error"), (done.stdout, "output")]:
            for expected in wanted(text, word):
                expected = place(expected)
                if not re.search(re.escape(expected).replace(r"node\ \*", r"node\ \d+"), stream):
                    errors.append(f"{source}, {engine}: expected\n  {expected}\ngot\n{stream}")
        for word in wanted(text, "never"):
            if word in done.stderr:
                errors.append(f"{source}, {engine}: did not expect\n  {word}\ngot\n{done.stderr}")

    by_clang = " ".join(wanted(text, "by clang")).split()
    if by_clang:
        done = run(compiler + ["-o", program + "-clang"], env={**os.environ, "PEAL_CC": "clang"})
        if done.returncode != 0:
            errors.append(f"{source} does not compile with clang:\n{done.stderr}")
    for also, file in itertools.product(wanted(text, "also"), [program] + [program + "-clang"] * bool(by_clang)):
        words, expected = also.split(" => ")
        options, _, arguments = f" {words}".partition(" -- ")
        code, _, message = place(expected).partition(" ")
        done = run([pealrun, "-q", "-n", wanted(text, "nodes")[0]] + options.split() + [file] + arguments.split())
        if file == program:
            run_again(source, pealrun, done, errors)
            remember(f"{name} {words}".strip(), done.stderr)
        found = file == program or not message or arguments in by_clang
        if done.returncode != int(code) or (message in done.stderr) != found:
            errors.append(f"{file}, {words}: exit {done.returncode}, expected {expected}\n{done.stdout}{done.stderr}")


def main():
    build, folder, *names = [word for word in sys.argv[1:] if word not in ("--in-turn", "--sanitized", "--update")]
    tools = os.path.join(build, "tools")
    errors, count = [], 0
    with tempfile.TemporaryDirectory(prefix="mpi calls ") as scratch:
        for kind, check in [("right", check_right), ("wrong", check_wrong)]:
            for file in sorted(os.listdir(os.path.join(folder, kind))):
                source = os.path.join(folder, kind, file)
                base, ending = os.path.splitext(file)
                if ending not in (".c", ".f", ".f90") or (names and base not in names):
                    continue
                with open(source, encoding="utf-8") as opened:
                    text = opened.read()
                if "/* not with a sanitizer */" in text and "--sanitized" in sys.argv:
                    continue
                program = os.path.join(scratch, base)
                tool = ["pealcc", "-O1", "-Wall", "-Wextra"] if ending == ".c" else ["pealfort", "-Wall", "-Wno-unused-dummy-argument", "-J", scratch]
                compiler = [os.path.join(tools, tool[0]), *tool[1:], source, "-lm"] + wanted(text, "compiler")
                done = run(compiler + ["-o", program])
                said = done.stderr
                if done.returncode != 0 or (said and not wanted(text, "warning")):
                    errors.append(f"{source} does not compile cleanly:\n{said}{done.stderr}")
                    continue
                count += 1
                for warning in wanted(text, "warning"):
                    if warning not in said:
                        errors.append(f"{source}: expected the compiler to warn: {warning}\n{said}")
                check(os.path.join(tools, "pealrun"), compiler, program, source, text, errors)
    compare_said(os.path.join(folder, "said.txt"), "--update" in sys.argv, errors)
    print("\n".join(errors))
    print(f"{count} programs")
    return 1 if errors or count == 0 else 0


sys.exit(main())
