#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare peal's files for other tools with their formats, and with the document of the same run.

  tests/record/traces.py PEAL FILES        (FILES: tests/cli/files)

Traces are read as the Trace Event Format has them (Google, "Trace Event Format": JSON Object Format; Complete, Instant,
Counter, Flow and Metadata Events), more strictly than any viewer does: no field that the format lacks, every thread named,
slices of a thread nested, every arrow from one slice to one other.  Schedules are read by the grammar of LogGOPSim's reader
(txt2bin.re in spcl/LogGOPSim), and then carried out: a send is done only when its receive is there."""
import collections
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

FIELDS = {  # of each phase: the members that an event must have, and those that it may have
    "X": ({"ph", "pid", "tid", "name", "cat", "ts", "dur"}, {"args"}),
    "i": ({"ph", "pid", "tid", "name", "cat", "ts", "s"}, {"args"}),
    "C": ({"ph", "pid", "tid", "name", "ts", "args"}, set()),
    "s": ({"ph", "pid", "tid", "name", "cat", "id", "ts"}, set()),
    "f": ({"ph", "pid", "tid", "name", "cat", "id", "ts", "bp"}, set()),
    "M": ({"ph", "pid", "tid", "name", "args"}, set()),
}
METADATA = {"process_name": str, "process_sort_index": int, "thread_name": str, "thread_sort_index": int}
NS = 1000


def once(pairs):
    """An object without duplicate keys."""
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"a key twice: {keys}"
    return dict(pairs)


def number(text):
    """A time in microseconds as nanoseconds: at most three decimals, so it is a whole number."""
    assert re.fullmatch(r"\d+(\.\d{3})?", text), text
    return int(text.replace(".", "")) if "." in text else int(text) * NS


def strict(text):
    return json.loads(text, object_pairs_hook=once, parse_float=lambda t: ("float", t), parse_int=lambda t: ("int", t),
                      parse_constant=lambda t: sys.exit(f"{t} is not JSON"))


def plain(value):
    """What strict has read, with whole numbers as such."""
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, tuple):
        return int(value[1]) if value[0] == "int" else float(value[1])
    return value


def read_trace(text):
    """The events, with ts and dur in nanoseconds; asserts that they are as the format has them."""
    document = strict(text)
    assert set(document) == {"displayTimeUnit", "traceEvents", "otherData"}, set(document)
    assert document["displayTimeUnit"] in ("ns", "ms")
    events = []
    for raw in document["traceEvents"]:
        times = {key: number(raw[key][1]) for key in ("ts", "dur") if key in raw}
        event = {**plain(raw), **times}
        needed, allowed = FIELDS[event["ph"]]
        assert needed <= set(event) <= needed | allowed, event
        assert isinstance(event["pid"], int) and isinstance(event["tid"], int) and event["pid"] > 0, event
        assert 0 <= event["tid"] < 1 << 32 and isinstance(event["name"], str) and event["name"], event
        if event["ph"] == "M":
            kind = event["name"].split("_", 1)[1]
            assert set(event["args"]) == {kind} and isinstance(event["args"][kind], METADATA[event["name"]]), event
        elif event["ph"] == "C":
            assert event["args"] and all(isinstance(v, int) for v in event["args"].values()), event
        elif event["ph"] == "i":
            assert event["s"] in ("g", "p", "t"), event
        elif event["ph"] == "f":
            assert event["bp"] == "e", event
        events.append(event)
    check_threads(events)
    check_slices(events)
    check_arrows(events)
    return events


def check_threads(events):
    names = collections.defaultdict(dict)
    for event in events:
        if event["ph"] == "M":
            names[event["name"]].setdefault((event["pid"], event["tid"]), []).append(event)
    assert all(len(found) == 1 for kind in names.values() for found in kind.values()), "named twice"
    for event in events:
        if event["ph"] not in "MC":
            assert (event["pid"], event["tid"]) in names["thread_name"], f"a thread without a name: {event}"
        assert any(pid == event["pid"] for pid, _ in names["process_name"]), f"a process without a name: {event}"


def check_slices(events):
    threads = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            threads[event["pid"], event["tid"]].append((event["ts"], -event["dur"], event["name"]))
    for thread, slices in threads.items():
        ends = []
        for begin, length, name in sorted(slices):
            while ends and ends[-1] <= begin:
                ends.pop()
            assert not ends or begin - length <= ends[-1], f"thread {thread}: {name} at {begin} overlaps"
            ends.append(begin - length)


def check_arrows(events):
    open_arrows, slices = {}, collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            slices[event["pid"], event["tid"]].append(event)
        elif event["ph"] == "s":
            assert event["id"] not in open_arrows, event
            open_arrows[event["id"]] = event
        elif event["ph"] == "f":
            start = open_arrows.pop(event["id"])
            assert start["ts"] <= event["ts"] and (start["name"], start["cat"]) == (event["name"], event["cat"])
            for end in (start, event):
                last = slices[end["pid"], end["tid"]][-1]
                assert last["ts"] <= end["ts"] <= last["ts"] + last["dur"], f"an arrow without a slice: {end}"
    assert not open_arrows, "arrows that lead nowhere"


def time_of(cost, parameters):
    return sum(cost[key] * parameters[key] for key in ("alpha", "beta", "hop", "tau"))


def hold_trace(events, run):
    """The trace has the rounds of the document, at their times."""
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    rounds = [e for e in events if e["ph"] == "X" and e["cat"] == "round"]
    written = {"send": collections.defaultdict(list), "receive": collections.defaultdict(list)}
    for event in events:
        if event["ph"] != "X" or event["cat"] not in written:
            continue
        here = int(re.match(r"node (\d+) (sends|receives)", names[event["pid"], event["tid"]])[1])
        there = int(event["name"].split()[1])
        ends = (here, there) if event["cat"] == "send" else (there, here)
        args = event["args"]
        written[event["cat"]][args["round"]].append((*ends, args["words"], args["hops"], args["k"], event["ts"], event["dur"]))
    assert len(rounds) == len(run["rounds"]), (len(rounds), len(run["rounds"]))
    clock, loads = 0, collections.defaultdict(list)
    for event in events:
        if event["ph"] == "C":
            loads[event["name"]].append((event["ts"], event["args"]["k"]))
    for index, (slice_, round_) in enumerate(zip(rounds, run["rounds"])):
        charge, parameters = round_["charge"], run["parameters"]
        begin = clock
        clock += time_of(charge, parameters)
        assert abs(slice_["ts"] - begin * NS) < 2 and abs(slice_["ts"] + slice_["dur"] - clock * NS) < 2, slice_
        expected = [(t["from"], t["to"], t["words"], t["hops"], t["k"]) for t in round_["transfers"]]
        for found in written.values():
            assert [t[:5] for t in found[index + 1]] == expected, (index, found[index + 1], expected)
        if not expected:
            continue
        starts = {t[5] for t in written["send"][index + 1]}
        assert starts == {t[5] for t in written["receive"][index + 1]} and len(starts) == 1
        start = starts.pop()
        assert abs(start - (begin + charge["tau"] * parameters["tau"]) * NS) < 2
        if start > begin * NS + 2:
            assert not any(value_at(changes, start - 1) for changes in loads.values()), (index, "a link is loaded while nodes compute")
        # The round lasts as long as its longest transfer (where distance and volume are of one transfer).
        longest = max(t[6] for t in written["send"][index + 1])
        if run["switching"] != "wormhole":
            assert abs(start + longest - clock * NS) < 3, (index, start, longest, clock)
        assert start + longest < clock * NS + 2
        k = max([v for changes in loads.values() for at, v in changes if at == start and v] +
                [k for changes in loads.values() for k in [value_at(changes, start)] if k], default=0)
        assert k == max((t[4] for t in expected if t[3]), default=0), (index, k, expected)
    assert all(changes[-1][1] == 0 for changes in loads.values()), "a link that stays loaded"
    assert abs(clock - run["cost"]["time"]) < 1e-6 * max(clock, 1)


def value_at(changes, time):
    """The value of a counter that changed so, just after `time`."""
    value = 0
    for at, new in changes:
        if at <= time:
            value = new
    return value


STEP = re.compile(r"l(\d+): (?:(send|recv) (\d+)b (to|from) (\d+)(?: tag (\d+))?(?: cpu \d+)?(?: nic \d+)?|calc (\d+)(?: cpu \d+)?)")


def read_goal(text):
    """Of each rank a list of (kind, bytes, peer, tag) and a list of the sets of those that each needs."""
    lines = [line for line in text.split("\n") if not line.startswith("//")]
    assert text.endswith("\n") and re.fullmatch(r"num_ranks [1-9]\d*", lines[0]), lines[0]
    ranks, steps, labels = {}, None, {}
    for line in lines[1:]:
        if match := re.fullmatch(r"rank (\d+) \{", line):
            assert steps is None and int(match[1]) not in ranks, line
            steps, needs, labels = [], [], {}
            ranks[int(match[1])] = (steps, needs)
        elif match := re.fullmatch(STEP, line):
            assert match[1] not in labels and (match[2] is None or (match[2] == "send") == (match[4] == "to")), line
            labels[match[1]] = len(steps)
            steps.append((match[2] or "calc", int(match[3] or match[7]), int(match[5] or 0), int(match[6] or 0)))
            needs.append(set())
        elif match := re.fullmatch(r"l(\d+) requires l(\d+)", line):
            needs[labels[match[1]]].add(labels[match[2]])
        elif line == "}":
            assert steps is not None and steps
            steps = None
        else:
            assert line == "", f"not GOAL: {line!r}"
    assert steps is None and sorted(ranks) == list(range(int(lines[0].split()[1])))
    return ranks


def carry_out(ranks):
    """Do the steps; a send and its receive are done together, when both may.  Gives the transfers (from, to, bytes)."""
    done = {rank: set() for rank in ranks}
    ready = {rank: set() for rank in ranks}
    carried, waiting = [], collections.defaultdict(collections.deque)
    work = list(ranks)
    while work:
        rank = work.pop()
        steps, needs = ranks[rank]
        for i, (kind, size, peer, tag) in enumerate(steps):
            if i in ready[rank] or not needs[i] <= done[rank]:
                continue
            ready[rank].add(i)
            if kind == "calc":
                done[rank].add(i)
                work.append(rank)
                continue
            ends = (rank, peer) if kind == "send" else (peer, rank)
            other = waiting[kind == "recv", *ends, tag]
            if not other:
                waiting[kind == "send", *ends, tag].append((rank, i, size))
                continue
            partner, j, other_size = other.popleft()
            assert size == other_size, "a message that is not as long as its receive"
            carried.append((*ends, size))
            done[rank].add(i)
            done[partner].add(j)
            work += [rank, partner]
    for rank, (steps, _) in ranks.items():
        assert len(done[rank]) == len(steps), f"rank {rank} cannot complete"
    return carried


def hold_goal(text, run):
    """The schedule has the messages of the document's rounds, and of a rank never a round before an earlier one."""
    ranks = read_goal(text)
    expected = collections.Counter((t["from"], t["to"], 8 * t["words"]) for r in run["rounds"] for t in r["transfers"])
    assert collections.Counter(carry_out(ranks)) == expected
    for rank, (steps, needs) in ranks.items():
        assert [len([1 for kind, *_ in steps if kind == "send"])] == [sum(n for (f, _, _), n in expected.items() if f == rank)]
        before = [set() for _ in steps]
        for i, need in enumerate(needs):
            before[i] = need.union(*(before[j] for j in need))
        moves = [(i, step[3]) for i, step in enumerate(steps) if step[0] != "calc"]
        for i, tag in moves:
            assert all(j in before[i] for j, other in moves if other < tag), f"rank {rank}: step {i} may come too early"
            assert not any(j in before[i] for j, other in moves if other >= tag), f"rank {rank}: step {i} waits for its own"


PRICED = [  # with every member of the document that describes the run
    "broadcast/chain:5 -p 4 -n 13", "reduce -p 4 --op max", "shift -p 5 --by -1", "multicast -p 6 --to 2,3,5",
    "multicast -p 4 --to none", "gather -p 5 --sizes 3,0,5", "alltoall -p 3 --sizes 1,2", "allreduce -p 4 --op affine",
]

RUNS = [
    "run scatter -p 1",
    "run scatter -p 8 -t hypercube:3",
    "run scatter/linear -p 9 -t mesh:3x3 -m 5 --switching wormhole --hop 3",
    "run alltoall/linear -p 6 -t line --ports 3 -m 2",
    "run alltoall -p 8 -t torus:2x4 --ports all -m 0",
    "run allgather/ring -p 5 -t ring --switching store-forward --alpha 0.1 --beta 0.0007",
    "run alltoall/shift -p 9 -t mesh:3x3 --switching store-forward",
    "run alltoall/shift -p 9 -t mesh:3x3 --congestion volume",
    "run allgather -p 16 -t fattree:4 --routing dmodk --sizes 3,0,5",
    "run alltoall/shift -p 16 -t fattree:4",
    "run alltoall/shift -p 9 -t mesh:3x3 --routing best",
    "run barrier -p 7 --delivery eager:4 --engine fibers",
    "run broadcast/chain:5 -p 4 -n 13 --alpha 0 --beta 0",
    "run gather/linear -p 5 -t star --half-duplex",
    "app jacobi -p 4 -n 16 --tau 2",
    "run FILES/deadlock.c -p 3",
    "run paused.c -p 2 --tau 3",
]

# One link in two rounds, and computing between them.
PAUSED = """#include <peal/peal.h>
void peal_main(struct peal_node *me, int argc, char **argv)
{
    double x = 0;
    (void)argc, (void)argv;
    for (int i = 0; i < 2; i++) {
        peal_compute(me, 5);
        if (peal_rank(me) == 0)
            peal_send(me, &x, 1, 1);
        else
            peal_recv(me, &x, 1, 0);
    }
}
"""


def play(peal, arguments, folder, expected=(0,)):
    done = subprocess.run([peal, *arguments.replace("FILES", folder["files"]).split()], cwd=folder["work"],
                          capture_output=True, check=False, text=True)
    assert done.returncode in expected, f"{arguments}: {done.returncode}: {done.stderr}"
    return done.stdout


def check_run(peal, command, folder):
    out = os.path.join(folder["work"], "trace.json")
    document = play(peal, f"{command} --json --trace {out}", folder, expected=(0, 1))
    run = plain(strict(document))
    run = run.get("run", run)
    with open(out, encoding="utf-8") as file:
        events = read_trace(file.read())
    hold_trace(events, run)
    if run["failure"]:
        assert [e for e in events if e["ph"] == "i" and e["s"] == "g" and run["failure"]["kind"] in e["name"]], "no failure"
        assert len([e for e in events if e["ph"] == "i" and e["s"] == "t"]) == len(run["failure"]["nodes"])
    if "app" in command:
        operations = sum(e["args"]["operations"] for e in events if e.get("cat") == "compute")
        assert operations > 0 and sum(r["charge"]["tau"] for r in run["rounds"]) <= operations, "no computing"
    # The record has the same, except for members that only a watched run knows.
    with open(os.path.join(folder["work"], "run.json"), "w", encoding="utf-8") as file:
        file.write(document)
    if command.startswith("run"):
        again = read_trace(play(peal, "export --format chrome run.json", folder))
        hold_trace(again, run)
        same = [{k: e.get(k) for k in ("ph", "name", "ts", "dur", "args")} for e in events if e.get("cat") not in
                ("wait", "failure", "compute") and e["ph"] not in "M"]
        assert same == [{k: e.get(k) for k in ("ph", "name", "ts", "dur", "args")} for e in again if e["ph"] not in "Mi"]
        hold_goal(play(peal, "export --format goal run.json", folder), run)
        if not run["failure"]:
            hold_goal(play(peal, command.replace("run ", "export --format goal ", 1), folder), run)
    return run


def check_price(peal, command, folder):
    """A run priced where it was recorded is the same document."""
    with open(os.path.join(folder["work"], "run.json"), "w", encoding="utf-8") as file:
        file.write(play(peal, f"run {command} --json", folder))
    with open(file.name, encoding="utf-8") as file:
        assert plain(strict(file.read())) == plain(strict(play(peal, "price run.json --json", folder))), command


def check_memory(peal, folder):
    """A trace of two hundred times as many rounds takes no more memory, when the rounds are not kept."""
    peaks = []
    for pieces in (100, 20000):
        process = subprocess.Popen([peal, "run", f"broadcast/chain:{pieces}", "-p", "4", "-n", "20000", "--rounds", "none",
                                    "--trace", "/dev/null"], cwd=folder["work"], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0
        peaks.append(usage.ru_maxrss)
    assert peaks[1] < peaks[0] + 4096, f"peak KiB: {peaks}"


def check_checker(peal, folder):
    """What is wrong is found: a trace and a schedule, each spoiled in one place."""
    trace = play(peal, "export --format chrome scatter -p 4", folder)
    goal = play(peal, "export --format goal scatter -p 4", folder)
    run = plain(strict(play(peal, "run scatter -p 4 --json", folder)))

    def hold_both(trace, goal):
        hold_trace(read_trace(trace), run)
        hold_goal(goal, run)

    hold_both(trace, goal)
    for old, new in [('"ph": "f"', '"ph": "t"'), ('"dur": 1008', '"dur": 9008'), ('"words": 8', '"words": 7'),
                     ('"bp": "e", ', ""), ('"name": "node 2 receives"', '"nam": ""'), ('"k": 0', '"k": 1'),
                     ('"ts": 1008', '"ts": 1007.5'), ('"ts": 0,', '"ts": -1,'), ('"id": 2', '"id": 1'), ("}}\n]", "}},\n]")]:
        assert old in trace, old
        spoiled(lambda: hold_both(trace.replace(old, new, 1), goal), f"{old} -> {new}")
    for old, new in [("l2 requires l1\n", ""), ("send 64b", "send 63b"), ("recv 32b from 0", "recv 32b from 3"),
                     ("num_ranks 4", "num_ranks 5"), ("rank 3 {", "rank 3"), ("l1:", "l9:"), ("tag 1", "tagged 1")]:
        assert old in goal, old
        spoiled(lambda: hold_both(trace, goal.replace(old, new, 1)), f"{old} -> {new}")


def spoiled(check, what):
    try:
        check()
    except (AssertionError, KeyError, IndexError, ValueError, TypeError):
        return
    raise AssertionError(f"not found: {what}")


def main():
    peal = os.path.abspath(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as work:
        folder = {"work": work, "files": os.path.abspath(sys.argv[2])}
        with open(os.path.join(work, "paused.c"), "w", encoding="utf-8") as file:
            file.write(PAUSED)
        for command in RUNS:
            try:
                check_run(peal, command, folder)
            except AssertionError as error:
                raise AssertionError(f"peal {command}: {error}") from error
        for command in PRICED:
            check_price(peal, command, folder)
        check_checker(peal, folder)
        if not any(name in os.environ for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS")):
            check_memory(peal, folder)
    print(f"{len(RUNS)} runs")


if __name__ == "__main__":
    main()
