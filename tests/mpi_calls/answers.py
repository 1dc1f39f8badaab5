#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares `pealrun --explore` with a model that goes through every order of single steps, on random MPI programs.

    answers.py BUILD [FIRST LAST]

The programs send, receive from one or any source, and complete receives by Waitany, Waitsome, Waitall, Test, Testall, and loops that
call Test or Iprobe a few times; each node prints its results.  The explorer has to find each output of the model once, and a deadlock if and only if the model has one.
FIRST and LAST are seeds.
"""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

ANY, PENDING = -1, -1
MAX_STATES, MAX_OUTPUTS = 40000, 400

# Of all nodes: how far they are, messages on their way by sender and receiver, senders of messages that have come and are not
# received, receives that wait as (request, source), requests as (number, sender or PENDING), its output.
State = collections.namedtuple("State", "at flying come posted requests printed")


def receives(random_, sources):
    """Receive from these sources, one by one or several at once."""
    made, number = [], 0
    while sources:
        if random_.random() < .25:
            source = sources.pop()
            made.append(("receive", (), source if random_.random() < .5 else ANY))
            continue
        numbers = range(number, number + random_.randint(1, min(3, len(sources))))
        number = numbers[-1] + 1
        for one in numbers:
            source = sources.pop()
            made.append(("post", (one,), source if random_.random() < .7 else ANY))
        if random_.random() < .3:
            made.append(("test", (random_.choice(numbers),), ANY))
        if random_.random() < .3:
            one, looks = random_.choice(numbers), random_.randint(2, 3)
            made += [("looks" if left == looks else "look", (one,), left) for left in range(looks, 0, -1)]
        call = random_.choice(["any", "any", "some", "testall"])
        made += [(call, tuple(numbers), ANY)] * random_.randint(0, len(numbers) if call == "any" else 2)
        made.append(("all", tuple(numbers), ANY))
    return made


def program(random_):
    """The calls of each node, as (what, requests, other node)."""
    size = random_.choice([2, 3, 3, 4])
    pairs = [random_.sample(range(size), 2) for _ in range(random_.randint(2, 5))]
    calls = []
    for node in range(size):
        sources = [a for a, b in pairs if b == node]
        random_.shuffle(sources)
        first, second = [("send", (), b) for a, b in pairs if a == node], receives(random_, sources)
        merged = []
        while first or second:
            chosen = first if not second or first and random_.random() < .6 else second
            merged.append(chosen.pop(0))
            while chosen and chosen[0][0] == "look":  # the rest of the loop
                merged.append(chosen.pop(0))
        calls.append(merged)
    return calls, pairs


def is_connected(calls, pairs):
    """Choices of nodes that exchange no messages are explored apart."""
    group = list(range(len(calls)))
    for a, b in pairs:
        group = [group[a] if one == group[b] else one for one in group]
    return len({group[node] for pair in pairs for node in pair}) == 1


def put(values, index, value):
    return values[:index] + (value,) + values[index + 1:]


def arrive(state, sender, node):
    """A message comes: the first receive that waits for it has it."""
    state = state._replace(flying=put(state.flying, sender * len(state.at) + node,
                                      state.flying[sender * len(state.at) + node] - 1))
    for i, (number, source) in enumerate(state.posted[node]):
        if source in (ANY, sender):
            requests = dict(state.requests[node], **{number: sender})
            return state._replace(posted=put(state.posted, node, state.posted[node][:i] + state.posted[node][i + 1:]),
                                  requests=put(state.requests, node, tuple(sorted(requests.items()))))
    return state._replace(come=put(state.come, node, state.come[node] + (sender,)))


def post(state, node, number, source):
    requests = dict(state.requests[node])
    for i, sender in enumerate(state.come[node]):
        if source in (ANY, sender):
            requests[number] = sender
            state = state._replace(come=put(state.come, node, state.come[node][:i] + state.come[node][i + 1:]))
            break
    else:
        requests[number] = PENDING
        state = state._replace(posted=put(state.posted, node, state.posted[node] + ((number, source),)))
    return state._replace(requests=put(state.requests, node, tuple(sorted(requests.items()))))


def answers(what, active, done):
    """What a call may return of the active requests, of which those are complete."""
    whole = [active] if active == done else []
    if not active and what != "all":
        return [[]]
    return {"all": whole, "any": [[one] for one in done], "test": [[]] + whole, "look": [[]] + whole, "testall": [[]] + whole,
            "some": [[one for i, one in enumerate(done) if bits >> i & 1] for bits in range(1, 1 << len(done))]}[what]


def step(state, node, call):
    """The states after the next step of the node."""
    what, numbers, other = call
    moved = state._replace(at=put(state.at, node, state.at[node] + 1))
    if what == "send":
        link = node * len(state.at) + other
        return [moved._replace(flying=put(state.flying, link, state.flying[link] + 1))]
    if what == "post":
        return [post(moved, node, str(numbers[0]), other)]
    looks, what = what.startswith("look"), "look" if what == "looks" else what
    names = ["r"] if what == "receive" else [str(number) for number in numbers]
    requests = dict(state.requests[node])
    if what == "receive" and "r" not in requests:
        return [post(state, node, "r", other)]
    active = [one for one in names if one in requests]
    done = [one for one in active if requests[one] != PENDING]
    after = []
    for taken in answers("all" if what == "receive" else what, active, done):
        left = tuple(sorted((one, sender) for one, sender in requests.items() if one not in taken))
        text = (what,) + tuple((one, requests[one]) for one in taken)
        on = other if looks and (taken or not active) else 1  # past the loop
        after.append(state._replace(at=put(state.at, node, state.at[node] + on),
                                    requests=put(state.requests, node, left),
                                    printed=put(state.printed, node, state.printed[node] + (text,))))
    return after


def model(calls):
    """The number of outputs, and whether there is a deadlock; None: too many."""
    size, outputs, deadlock = len(calls), set(), False
    none = ((),) * size
    seen = {State((0,) * size, (0,) * size**2, none, none, none, none)}
    stack = list(seen)
    while stack:
        state = stack.pop()
        after = [arrive(state, *divmod(link, size)) for link in range(size**2) if state.flying[link]]
        for node in range(size):
            if state.at[node] < len(calls[node]):
                after += step(state, node, calls[node][state.at[node]])
        if not after and all(state.at[node] == len(calls[node]) for node in range(size)):
            outputs.add(state.printed)
        elif not after:
            deadlock = True
        new = set(after) - seen
        seen |= new
        stack += new
        if len(seen) > MAX_STATES or len(outputs) > MAX_OUTPUTS:
            return None
    return len(outputs), deadlock


HEAD = """#include <mpi.h>
#include <stdio.h>
static int v[20], rank, flag, n, at[20], used;
static char text[4000];
static MPI_Request q[20];
static MPI_Status s[20];
#define SAY(...) (used += sprintf(text + used, __VA_ARGS__))
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20; i++)
        q[i] = MPI_REQUEST_NULL;
"""

CALLS = {
    "send": "MPI_Send(&rank, 1, MPI_INT, {other}, 0, MPI_COMM_WORLD);",
    "receive": 'MPI_Recv(v, 1, MPI_INT, {other}, 0, MPI_COMM_WORLD, s); SAY("r%d ", s->MPI_SOURCE);',
    "post": "MPI_Irecv(&v[{first}], 1, MPI_INT, {other}, 0, MPI_COMM_WORLD, &q[{first}]);",
    "test": 'MPI_Test(&q[{first}], &flag, s); SAY(flag ? "t%d " : "no ", v[{first}]);',
    "looks": 'for (int i = 0, flag = 0; i < {other} && !flag; i++) {{ MPI_Test(&q[{first}], &flag, s);'
             ' SAY(flag ? "l%d " : "no ", v[{first}]); }}',
    "testall": 'MPI_Testall({count}, &q[{first}], &flag, s); SAY(flag ? "T " : "no ");'
               ' for (int i = {first}; flag && i < {end}; i++) SAY("%d ", v[i]);',
    "all": 'MPI_Waitall({count}, &q[{first}], s); SAY("w "); for (int i = {first}; i < {end}; i++) SAY("%d ", v[i]);',
    "any": 'MPI_Waitany({count}, &q[{first}], &n, s); SAY("a%d ", n); if (n >= 0) SAY("=%d ", v[{first} + n]);',
    "some": 'MPI_Waitsome({count}, &q[{first}], &n, at, s); SAY("s ");'
            ' for (int i = 0; i < n; i++) SAY("%d=%d ", at[i], v[{first} + at[i]]);',
}


def source(calls):
    lines = [HEAD]
    for node, own in enumerate(calls):
        lines.append(f"    if (rank == {node}) {{")
        for what, numbers, other in own:
            if what == "look":
                continue
            lines.append("        " + CALLS[what].format(
                other="MPI_ANY_SOURCE" if other == ANY else other, first=min(numbers, default=0), count=len(numbers),
                end=max(numbers, default=0) + 1))
        lines.append("    }")
    return "\n".join(lines + ['    printf("%d: %s\\n", rank, text);', "    MPI_Finalize();", "    return 0;", "}", ""])


def compare(tools, folder, seed):
    """What is wrong with the explorer on the program of this seed; None: the program was not used."""
    calls, pairs = program(random.Random(seed))
    expected = model(calls) if is_connected(calls, pairs) else None
    if not expected or expected == (1, False):
        return None
    path = os.path.join(folder, "program")
    with open(path + ".c", "w", encoding="utf-8") as out:
        out.write(source(calls))
    subprocess.run([os.path.join(tools, "pealcc"), "-w", "-O0", path + ".c", "-o", path], check=True)
    done = subprocess.run([os.path.join(tools, "pealrun"), "-n", str(len(calls)), "--explore", "--json", "-j", "2", path],
                          capture_output=True, text=True, check=False)
    came = json.loads(done.stdout[done.stdout.index("{"):])
    if came["not_yet"]:  # more runs than the explorer makes for repeated answers
        return None
    outputs, deadlock = expected
    fails = any(one["kind"] != "deadlock-if-unbuffered" for one in came["findings"])
    exact = came["outputs"] == outputs and (deadlock or came["orders"] == outputs)
    if exact and fails == deadlock and came["all"]:
        return ""
    return f"seed {seed}: the model has {outputs} outputs, deadlock {deadlock}; came {came}\n{calls}"


def main():
    first, last = map(int, sys.argv[2:4]) if len(sys.argv) > 2 else (0, 40)
    with tempfile.TemporaryDirectory() as folder:
        results = [compare(os.path.join(sys.argv[1], "tools"), folder, seed) for seed in range(first, last)]
    used = [result for result in results if result is not None]
    print("\n".join(filter(None, used)))
    print(f"{len(used)} programs")
    return 1 if any(used) or len(used) < (last - first) // 4 else 0


sys.exit(main())
