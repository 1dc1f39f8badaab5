#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scores Peal on the codes of the MPI Bugs Initiative, which are not part of this repository.

    mbi.py BUILD CODES [-j N] [-k TEXT] [--one-sided] [--explore] [--watch] [--sample N]
        [--flags FLAGS] [--verbose]

CODES is the folder of the generated codes: run each *Generator.py of the suite in it.  Each code says in its header how it is
run and what is wrong with it.  It is compiled with pealcc (and FLAGS; --watch: its accesses are watched) and run with
`pealrun --strict`.  A code counts as found
when a finding or a failure is reported; its class is right when the kind belongs to the class, its line when a reported
line is one that the header names.  Many codes, right and wrong ones, send arrays that they never fill: uninitialised-send is counted by
itself, and its runs are listed.  -k selects codes by name, --sample every N-th one; those with one-sided calls are
left out unless --one-sided is given.  It exits 1 if a right code is accused.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time

CLASSES = {  # the suite's name: class, kinds that belong to it
    "Invalid": ("invalid parameter", {"invalid-argument", "bad-rank", "out-of-bounds"}),
    "Leak": ("resource leak", {"leak"}),
    "MissingStart": ("request lifecycle", {"lost-request", "bad-request", "leak"}),
    "MissingWait": ("request lifecycle", {"lost-request", "bad-request", "leak"}),
    "Epoch": ("epoch lifecycle", {"epoch"}),
    "LocalConcurrency": ("local concurrency", {"buffer-reuse", "early-read"}),
    "CallMatching": ("call ordering", {"deadlock", "collective-mismatch", "unmatched-message", "lost-request"}),
    "Matching": ("parameter matching", {"collective-mismatch", "type-mismatch", "deadlock", "unmatched-message"}),
    "MessageRace": ("message race", {"order-dependent"}),
    "GlobalConcurrency": ("global concurrency", {"remote-conflict"}),
    "BufferingHazard": ("buffering hazard", {"deadlock-if-unbuffered", "deadlock"}),
}

Case = collections.namedtuple("Case", "name nodes arguments lend wrong lines one_sided wildcard")
Result = collections.namedtuple("Result", "case kinds lines seconds text unwritten", defaults=[()])
UNWRITTEN = "uninitialised-send"


def call_lines(message, source):
    """The lines that the message names; where it names a call that the line lacks (the line where one is missing), also that of
    the last such call before it."""
    lines = {int(n) for n in re.findall(r"(?:\.c:|line )(\d+)", message)}
    for call, line in re.findall(r"(MPI_\w+) at [^ ]*:(\d+)", message):
        before = [i + 1 for i in range(min(int(line), len(source))) if re.search(rf"^[^*]*\b{call}\(", source[i])]
        lines |= set(before[-1:])
    return lines


def read_cases(path):
    with open(path, encoding="utf-8") as source:
        text = source.read()
    header = text.split("BEGIN_MBI_TESTS")[1].split("END_MBI_TESTS")[0]
    cases = []
    for command, outcome, message in re.findall(r"\$ (mpirun[^\n]*)\n[ |]*([^\n]*)\n[ |]*([^\n]*)\n", header):
        nodes = re.search(r"-np (\d+)", command).group(1)
        lend = ["--fallback-buffer", "0"] if "$zero_buffer" in command else ["--delivery", "eager:1048576"] if "$infty_buffer" in command else []
        wrong = outcome.split(":")[1].strip() if outcome.startswith("ERROR") else ""
        body = text.split("End of MBI headers")[1]
        lines = call_lines(message, text.split("\n"))
        lines |= {i + 1 for i, line in enumerate(text.split("\n")) if "MBIERROR" in line and "MISSING" not in line}
        cases.append(Case(os.path.basename(path), nodes, command.split("${EXE}")[1].split(), lend, wrong, lines,
                          "MPI_Win_" in body, "MPI_ANY_" in body))
    return cases


def class_of(wrong):
    return next(((name, kinds) for key, (name, kinds) in CLASSES.items() if key in wrong), ("right", set()))


def reported(document):
    """The kinds and lines of a run's findings and failure, and the lines that send what nobody wrote."""
    kinds, lines, unwritten = set(), set(), set()
    for finding in document.get("findings", []):
        if finding["kind"] == UNWRITTEN:
            unwritten.add(finding["places"][0].get("line"))
            continue
        kinds.add(finding["kind"])
        lines |= {place.get("line") for place in finding["places"]}
        lines |= {int(n) for n in re.findall(r"\.c:(\d+)", finding["message"])}
    failure = document.get("failure")
    if failure:
        kinds.add(failure["kind"])
        lines |= {failure.get("line")} | {node.get("line") for node in failure["nodes"]}
        lines |= {int(n) for n in re.findall(r"\.c:(\d+)", failure["message"])}
    return kinds, lines - {None}, unwritten


def score(build, case, program, folder, options):
    out = os.path.join(folder, case.name + "".join(case.lend + case.arguments) + ".json")
    command = [os.path.join(build, "tools", "pealrun"), "-q", "-n", case.nodes, "--strict", "--timeout", "20",
               f"--json={out}"] + options + case.lend
    begin = time.monotonic()
    done = subprocess.run(command + [program, "--"] + case.arguments, capture_output=True, text=True, timeout=120)
    seconds = time.monotonic() - begin
    kinds, lines, unwritten = set(), set(), set()
    if os.path.exists(out):
        with open(out, encoding="utf-8") as document:
            kinds, lines, unwritten = reported(json.load(document))
    if not kinds and not unwritten and done.returncode != 0:
        kinds = {"exit %d" % done.returncode}
    return Result(case, kinds, lines, seconds, done.stderr, unwritten)


def try_code(build, path, folder, flags, options):
    program = os.path.join(folder, os.path.basename(path)[:-2])
    cases = read_cases(path)
    done = subprocess.run([os.path.join(build, "tools", "pealcc")] + flags + ["-w", path, "-o", program],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return [Result(case, {"does not compile"}, set(), 0, done.stderr) for case in cases]
    results = [score(build, case, program, folder, options) for case in cases]
    os.unlink(program)
    return results


def table(results):
    rows = collections.defaultdict(lambda: [0, 0, 0, 0])
    for result in results:
        name, kinds = class_of(result.case.wrong)
        row = rows[name]
        row[0] += 1
        row[1] += bool(result.kinds)
        row[2] += bool(result.kinds & kinds)
        row[3] += bool(result.kinds and result.lines & result.case.lines)
    print("| class | codes | found | right class | right line |\n|---|---|---|---|---|")
    for name, row in sorted(rows.items(), key=lambda item: item[0] == "right"):
        if name == "right":
            print(f"| right codes | {row[0]} | {row[1]} accused | | |")
        else:
            print(f"| {name} | {row[0]} | {row[1]} | {row[2]} | {row[3]} |")
    wrong = [row for name, row in rows.items() if name != "right"]
    total, found, kind, line = (sum(row[i] for row in wrong) for i in range(4))
    accused = rows["right"][1]
    print(f"\nrecall {found / max(total, 1):.4f}, precision {found / max(found + accused, 1):.4f}, "
          f"right class {kind / max(found, 1):.3f}, right line {line / max(found, 1):.3f}")
    for name in ("right", "wrong"):
        print(f"{sum(bool(r.unwritten) and (r.case.wrong == '') == (name == 'right') for r in results)} {name} codes: {UNWRITTEN}")
    seconds = sorted(result.seconds for result in results)
    print(f"{len(results)} runs, median {seconds[len(seconds) // 2]:.2f} s, longest {seconds[-1]:.2f} s")
    return accused


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("codes")
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("-k", default="")
    parser.add_argument("--one-sided", action="store_true")
    parser.add_argument("--explore", action="store_true")
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--flags", default="")
    parser.add_argument("--watch", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    paths = [os.path.join(given.codes, name) for name in sorted(os.listdir(given.codes))
             if name.endswith(".c") and re.search(given.k, name)]
    if not given.one_sided:
        paths = [path for path in paths if not read_cases(path)[0].one_sided]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(given.j) as pool:
        options = ["--explore", "-j", "1"] if given.explore else []
        flags = given.flags.split() + ["--watch"] * given.watch
        results = sum(pool.map(lambda path: try_code(given.build, path, folder, flags, options),
                               paths[::given.sample]), [])
    for result in results:
        name, kinds = class_of(result.case.wrong)
        if result.unwritten:
            print(result.case.name, *result.case.lend, *result.case.arguments, "|", UNWRITTEN, *sorted(result.unwritten))
        bad = bool(result.kinds) != (name != "right") or not (result.kinds & kinds or name == "right")
        if bad or (name != "right" and not result.lines & result.case.lines) or given.verbose:
            print(result.case.name, *result.case.lend, *result.case.arguments, "|", result.case.wrong or "right", "|",
                  ",".join(sorted(result.kinds)) or "nothing", "| lines", *sorted(result.lines), "of",
                  *sorted(result.case.lines))
            if given.verbose:
                print(result.text)
    return 1 if table(results) else 0


sys.exit(main())
