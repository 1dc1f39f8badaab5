#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Choose tests of a meson build, and count their results.

  tests/tally.py choose BUILD [+SUITE|-SUITE|NAME]...
        print the tests of suite SUITE only, or not of it, whose name or suite has a NAME in it; one per line
  tests/tally.py targets BUILD <NAMES
        print the files that the tests of these names, one per line, need built, as ninja names them; one per line
  tests/tally.py count BUILD
        print "PASSED FAILED SKIPPED" of the last `meson test`
  tests/tally.py failed BUILD
        print the names of the tests that failed in it, one per line
  tests/tally.py output BUILD NAME
        print the last lines that this test wrote

A Criterion program counts as many tests as it says it ran; everything else counts one.  A test in which a process has reported
a leak has failed: each test of Criterion is a process, whose exit code is not looked at once the test has passed.
"""
import json
import os
import re
import subprocess
import sys

SYNTHESIS = re.compile(r"Synthesis: Tested: (\d+) \| Passing: (\d+) \| Failing: (\d+) \| Crashing: (\d+)")

LEAKED = "ERROR: LeakSanitizer: detected memory leaks"


def introspect(what, build):
    """What meson knows of the build: its "--tests" or "--targets"."""
    listed = subprocess.run(["meson", "introspect", what, build], check=True, capture_output=True, text=True).stdout
    return json.loads(listed)


def choose(build, words):
    """The tests that match any of the names (all without names), of these suites only, not of those."""
    only = {word[1:] for word in words if word.startswith("+")}
    without = {word[1:] for word in words if word.startswith("-")}
    names = [word for word in words if word[0] not in "+-"]
    for test in introspect("--tests", build):
        suites = {suite.split(":")[-1] for suite in test["suite"]}  # "peal:stress"
        if (not only or suites & only) and not suites & without:
            if not names or any(name in text for name in names for text in [test["name"], *suites]):
                yield test


def targets(build, names):
    """The files that the tests of these names need built, relative to the build."""
    files = {target["id"]: target["filename"] for target in introspect("--targets", build)}
    needed = {name for test in introspect("--tests", build) if test["name"] in names for name in test["depends"]}
    return sorted(os.path.relpath(file, build) for name in needed for file in files[name])


def count_one(result):
    """(passed, failed, skipped) of one line of meson's log."""
    said = re.sub(r"\x1b\[[0-9;]*m", "", result.get("stdout", "") + result.get("stderr", ""))
    good, skipped = result["result"] in ("OK", "EXPECTEDFAIL") and LEAKED not in said, result["result"] == "SKIP"
    found = SYNTHESIS.search(said)
    if skipped or not found:
        return (int(good), int(not good and not skipped), int(skipped))
    tested, passing = int(found.group(1)), int(found.group(2))
    failing = tested - passing
    if good != (failing == 0):  # it says that all is well and exits with an error (a leak, say), or the reverse
        failing = max(failing, 1)
    return (passing, failing, 0)


def results(build):
    """What meson logged of each test of the last run; nothing when none ran."""
    path = os.path.join(build, "meson-logs", "testlog.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as lines:
            yield from map(json.loads, lines)


def count(build):
    """The sum over the last run, 0 when nothing ran."""
    total = (0, 0, 0)
    for result in results(build):
        total = tuple(a + b for a, b in zip(total, count_one(result)))
    return total


def name_of(result):
    """The name that "choose" prints of a test that is logged as "peal:suite / name", by newer mesons as "suite - peal:name"."""
    return re.sub(r"^(\w+:\S+ / |\S+ - \w+:)", "", result["name"])


def failed(build):
    """The names of the tests of the last run that failed."""
    return [name_of(result) for result in results(build) if count_one(result)[1]]


def output(build, name):
    """The last 60 lines that a test of the last run wrote, with how it ended."""
    for result in results(build):
        if name_of(result) == name:
            said = result.get("stdout", "") + result.get("stderr", "")
            yield f"{result['result']} after {result['duration']:.0f} s, exit code {result['returncode']}"
            yield from said.splitlines()[-60:]


def main():
    what, build, *words = sys.argv[1:]
    if what == "choose":
        for name in dict.fromkeys(test["name"] for test in choose(build, words)):  # two suites may have tests of one name
            print(name)
    elif what == "targets":
        for file in targets(os.path.realpath(build), sys.stdin.read().splitlines()):
            print(file)
    elif what == "failed":
        for name in failed(build):
            print(name)
    elif what == "output":
        print(*output(build, words[0]), sep="\n")
    else:
        print(*count(build))


if __name__ == "__main__":
    main()
