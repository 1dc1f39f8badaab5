#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare the picture in the head of each algorithm with the rounds of a run: heads.py PEAL ALGORITHMS

The first line of a picture gives the run: "P = 6, line, root 2".  A picture may leave out later rounds ("rounds 4 to 6: ..."),
and messages, where it names its part ("even ranks", "from node 0's side", "..")."""
import json
import pathlib
import re
import subprocess
import sys

NETWORKS = ["full", "line", "ring", "mesh", "hypercube"]
OTHERS = {"shift": ["--by", "2"], "multicast": ["--to", "0,3,5"]}


def arguments(head, first):
    """The options of the run that the picture shows."""
    words = ["-p", (re.search(r"P = (\d+)", first) or ["", "6"])[1]]
    if re.search(r"[Rr]oot (\d+)", first):
        words += ["--root", re.search(r"[Rr]oot (\d+)", first)[1]]
    if re.search(r"\b2 ports|\bk = 2\b", first) or re.search(r"⌉ with two ports|with two ports if", head):
        words += ["--ports", "2"]
    return words


def networks(first):
    """The networks to try: the one that the picture names, or the first on which the algorithm runs."""
    grid = re.search(r"mesh (\d+x\d+)|(\d+x\d+) mesh", first)
    if grid:
        rows, columns = (grid[1] or grid[2]).split("x")
        return [["-t", f"mesh:{rows}x{columns}", "-p", str(int(rows) * int(columns))]]
    if re.search(r"P = \d+ as (\d+x\d+)", first):
        return [["-t", "full"], ["-t", "mesh:" + re.search(r"as (\d+x\d+)", first)[1]]]
    for name in NETWORKS[1:]:
        if re.search(rf"\b{name}\b", first):
            return [["-t", name], ["-t", name, "--ports", "all"]]
    return [["-t", name] for name in NETWORKS]


def pictured(lines, nodes, both):
    """The messages of each round, as pairs, and whether the round leaves some out; of two side by side the left one."""
    rounds = {}
    for line in lines:
        found = re.match(r" \*\s+round (\d+)\s+(.*)", line)
        if not found:
            continue
        text = re.split(r"\s{3,}round \d", re.sub(r"\{[^}]*\}", "", found[2]))[0]
        pairs = [(r, (r + int(by)) % nodes) for by in re.findall(r"\br -> r([+-]\d+)", text) for r in range(nodes)]
        for source, arrow, dest in re.findall(r"\b(\d+) (->|<->) (\d+)", text):
            pairs.append((int(source), int(dest)))
            if arrow == "<->" or both:
                pairs.append((int(dest), int(source)))
        rounds[int(found[1])] = (sorted(pairs), ".." in text)
    return rounds


def run(peal, name, words):
    done = subprocess.run([peal, "run", name, *words, "--json"], capture_output=True, text=True)
    return json.loads(done.stdout)["rounds"] if done.returncode == 0 else None


def compare(peal, path):
    """What differs; None: no picture."""
    text = path.read_text()
    name = re.search(r'\.name\s*=\s*"([^"]+)"', text)
    head = re.search(r"\n/\* .*?\*/", text, re.S)[0]
    start = max(head.rfind("\n *   P = "), head.rfind("\n *   Root "))
    if not name or start < 0 or "round 1 " not in head:
        return None
    lines = head[start + 1:].split("\n")
    first = lines[0].split("         P = ")[0]
    number = re.search(r"\b[ABKQRSb] = (\d+)", first)
    which = f"{path.parent.name.replace('_', '-')}/{name[1]}" + (":" + number[1] if number else "")
    words = arguments(head, first)
    words += OTHERS.get(path.parent.name, [])
    if path.parent.name == "shift" and "by 3" in first:
        words[-1] = "3"
    if path.parent.name == "multicast" and "to 1 2 4 6 8" in first:
        words[-1] = "1,2,4,6,8"
    for more in networks(first) + [["-t", "hypercube", "--ports", "all"]]:
        real = run(peal, which, words + more)
        if real:
            break
    else:
        return f"{which} {' '.join(words)}: no run"
    words += more
    nodes = int(words[len(words) - words[::-1].index("-p")])
    shown = pictured(lines, nodes, "odd ones send back" in first or "even ranks" in first)
    part = "side" in first
    whole = not any(re.search(r"rounds? \d+ (to|and)|\.\. +and", line) for line in lines)
    real = [sorted((t["from"], t["to"]) for t in made["transfers"]) for made in real]
    if whole and len(shown) != len(real):
        return f"{which} {' '.join(words)}: {len(shown)} rounds are drawn, {len(real)} are made"
    for index, (pairs, some) in shown.items():
        made = real[index - 1] if index <= len(real) else []
        if not (set(pairs) <= set(made) if some or part else pairs == made):
            return f"{which} {' '.join(words)}: round {index} is {made}, drawn {pairs}"
    return ""


peal, algorithms = sys.argv[1:]
wrong, drawn = [], 0
for path in sorted(pathlib.Path(algorithms).glob("*/*.c")):
    if path.parent.name not in ("lessons", "applications", "patterns"):
        said = compare(peal, path)
        drawn += said is not None
        wrong += [said] if said else []
print("\n".join(wrong + [f"{drawn} heads"]))
sys.exit(1 if wrong or drawn < 100 else 0)
