#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that the JSON document on standard input has exactly the shape that is documented, and that its numbers agree with
one another.  Prints "ok", or the differences.

  peal run scatter --json | tests/cli/shape.py [--each COUNT] [EXPRESSION...]

Each EXPRESSION is Python about the document `d` and must be true.  --each: there are COUNT documents, one after another, and
`i` numbers them from 0; one line for each."""
import json
import sys

COST = {"alpha": int, "beta": int, "hop": int, "tau": int}
NUMBER = (int, float)
OPTIONAL_TEXT, OPTIONAL_INT = (str, type(None)), (int, type(None))

TRANSFER = {"from": int, "to": int, "words": int, "hops": int, "k": int}
WAITING = {"rank": int, "state": str, "for": OPTIONAL_TEXT, "peer": OPTIONAL_INT, "words": OPTIONAL_INT,
           "tag": OPTIONAL_INT, "file": OPTIONAL_TEXT, "line": OPTIONAL_INT, "collective": str, "box": str}
CUT = {"nodes": list, "into": bool, "words": int, "capacity": int}
RUN = {
    "schema": str, "collective": OPTIONAL_TEXT, "algorithm": OPTIONAL_TEXT, "alias": str, "program": str, "nodes": int,
    "block_words": OPTIONAL_INT, "vector_words": OPTIONAL_INT, "root": OPTIONAL_INT,
    "parameter": int, "op": str, "by": int, "to": list, "sizes": list, "topology": str, "routing": str,
    "ports": (int, str), "duplex": str, "switching": str, "congestion": str, "combining": bool, "delivery": str,
    "mailbox": int, "engine": str, "seed": int, "parameters": dict.fromkeys(COST, NUMBER), "rounds": list,
    "cost": {**COST, "time": NUMBER}, "critical_path": ({**COST, "time": NUMBER}, None),
    "closed_form": ({**COST, "text": OPTIONAL_TEXT, "source": str, "equal": bool}, None),
    "lower_bound": ({**COST, "time": NUMBER, "ratio": (int, float, type(None)), "source": str, "cut": CUT}, None),
    "data": ({"verified": bool, "nodes_correct": OPTIONAL_INT}, None),
    "failure": ({"kind": str, "severity": str, "message": str, "file": OPTIONAL_TEXT, "line": OPTIONAL_INT, "nodes": list,
                 "cycle": list, "fix": OPTIONAL_TEXT}, None),
    "through": list, "host": None,
}
OPTIONAL_KEYS = ("through", "cut", "alias", "parameter", "op", "by", "to", "sizes", "collective", "box")
IDENTICAL = (dict, type(None))
LIST = {"collective": str, "algorithm": str, "alias": str, "requires": str, "closed_form": OPTIONAL_TEXT, "optimal": OPTIONAL_TEXT,
        "source": str, "identical": IDENTICAL, "proved": str}
FINDING = {"name": str, "state": str, "text": str, "cure": OPTIONAL_TEXT}
PRICED = {**COST, "time": NUMBER}
FORM = {**PRICED, "text": OPTIONAL_TEXT, "equal": (bool, type(None))}
MACHINE = {"ports": (int, str), "duplex": str, "switching": str, "congestion": str, "combining": bool, "delivery": str,
           "mailbox": int, "engine": str, "seed": int, "parameters": dict.fromkeys(COST, NUMBER)}
COMPARE = {"schema": str, "collective": str, "nodes": int, "block_words": int, "vector_words": int, "root": int,
           "op": OPTIONAL_TEXT, "topology": str, "routing": str, **MACHINE, "lower_bound": (PRICED, None),
           "optimal": None, "optimal_missing": None, "algorithms": list, "excluded": list}
OPTIMAL = {"steps": int, "rounds": int, "chunks": int, "how": str, "most_chunks": int, "proofs": int, "cost": PRICED,
           "ratio": (int, float, type(None)), "reached_by": list}
TRIAL = {"algorithm": str, "alias": str, "rounds": int, "transfers": int, "words": int, "k": int, "cost": PRICED,
         "critical_path": PRICED, "closed_form": (FORM, None), "identical": IDENTICAL, "ratio": (int, float, type(None)),
         "verified": bool, "wrong": ({"kind": str, "message": str}, None), "seconds": NUMBER}
SWEEP = {"schema": str, "collective": str, "op": OPTIONAL_TEXT, "root": int, "topology": str, "routing": str, **MACHINE,
         "points": list, "crossovers": list, "not_crossed": list, "absent": list}
NOT_CROSSED = {"nodes": int, "algorithms": list}
ABSENT = {"nodes": int, "algorithm": str, "block_words": list, "vector_words": list, "everywhere": bool, "reason": str}
POINT = {"nodes": int, "block_words": int, "vector_words": int, "topology": str, "best": OPTIONAL_TEXT,
         "lower_bound": (PRICED, None), "algorithms": list}
ENTRY = {"algorithm": str, "executed": bool, "cost": (PRICED, None), "closed_form": (FORM, None), "wrong": OPTIONAL_TEXT}
MEETING = {"text": str, "alpha": list, "hop": list, "tau": list, "words": list, "size": NUMBER}
CROSSOVER = {"nodes": int, "unit": str, "before": str, "after": str, "last_before": int, "from": int,
             "meeting": (MEETING, None)}
FIT = {"schema": str, "file": str, "of": str, "measurements": int, "alpha": NUMBER, "beta": NUMBER,
       "alpha_half": (int, float, type(None)), "beta_half": (int, float, type(None)), "confidence": float,
       "deviation": (int, float, type(None)), "r_squared": (int, float, type(None)), "outliers": list}


SYNTHESIS = {"schema": str, "collective": str, "nodes": int, "root": int, "topology": str, "routing": str, "ports": (int, str),
             "duplex": str, "congestion": str, "direct": bool, "unpruned": bool, "interrupted": bool, "late": bool}
ANSWER = {"chunks": int, "steps": int, "rounds": (int, type(None)), "verdict": str, "found_steps": (int, type(None)),
          "found_rounds": (int, type(None)), "variables": int, "clauses": int, "formula": OPTIONAL_TEXT, "lemmas": int,
          "proof": OPTIONAL_TEXT, "encode_seconds": NUMBER, "solve_seconds": NUMBER, "check_seconds": NUMBER, "cut": None}


def check(value, shape, where):
    """Refuse a value of another shape: a dict's keys in order, a type, a tuple of types."""
    if isinstance(shape, tuple) and isinstance(shape[0], dict):
        if value is not None:
            check(value, shape[0], where)
    elif isinstance(shape, dict):
        assert isinstance(value, dict), f"{where} is not an object"
        shape = {key: inner for key, inner in shape.items() if key in value or key not in OPTIONAL_KEYS}
        assert list(value) == list(shape), f"{where} has the keys {list(value)}, not {list(shape)}"
        for key, inner in shape.items():
            if inner is not None:
                check(value[key], inner, f"{where}.{key}")
    else:
        assert isinstance(value, shape), f"{where} is {value!r}"
        types = shape if isinstance(shape, tuple) else (shape,)
        assert bool in types or not isinstance(value, bool), f"{where} is {value!r}"


def check_time(d, part):
    cost, parameters = d[part], d["parameters"]
    time = sum(cost[name] * parameters[name] for name in COST)
    assert abs(cost["time"] - time) <= 1e-9 * max(1, time), f"{part}.time is {cost['time']}, not {time}"
    assert cost["time"] != int(cost["time"]) or isinstance(cost["time"], int), f"{part}.time has a needless fraction"


def check_run(d):
    shape = dict(RUN)
    if d["collective"] is not None:
        del shape["program"]
    check(d, shape, "document")
    assert d["ports"] == "all" or (isinstance(d["ports"], int) and d["ports"] > 0), "ports"
    assert d["duplex"] in ("full", "half") and d["switching"] in ("ideal", "wormhole", "store-forward"), "machine"
    assert d["congestion"] in ("count", "volume"), "congestion"
    assert d["host"]["seconds"] >= 0 and isinstance(d["host"]["peak_bytes"], int), "host"
    total = dict.fromkeys(COST, 0)
    for i, entry in enumerate(d["rounds"]):
        if isinstance(entry["transfers"], list):
            check(entry, {"transfers": list, "charge": COST}, f"rounds[{i}]")
            for transfer in entry["transfers"]:
                check(transfer, TRANSFER, f"rounds[{i}].transfers")
                assert 0 <= transfer["from"] < d["nodes"] and 0 <= transfer["to"] < d["nodes"], f"rounds[{i}]"
        else:
            check(entry, {"transfers": int, "words": int, "k": int, "charge": COST}, f"rounds[{i}]")
        for name in COST:
            total[name] += entry["charge"][name]
    if d["rounds"]:
        assert total == {name: d["cost"][name] for name in COST}, f"the rounds' charges sum up to {total}"
    check_time(d, "cost")
    if d["critical_path"]:
        check_time(d, "critical_path")
    if d["failure"]:
        for node in d["failure"]["nodes"]:
            check(node, WAITING, "failure.nodes")
    if d["closed_form"] and not d["failure"]:
        same = all(d["closed_form"][name] == d["cost"][name] for name in COST)
        assert d["closed_form"]["equal"] == same, "closed_form.equal"
    if d["data"]:
        assert d["data"]["verified"] == (d["data"]["nodes_correct"] == d["nodes"]), "data"


def check_time_of(entry, d):
    time = sum(entry["cost"][name] * d["parameters"][name] for name in COST)
    assert abs(entry["cost"]["time"] - time) <= 1e-9 * max(1, time), f"{entry['algorithm']}: time"


def check_optimal(d):
    """The front beside the algorithms: no algorithm has fewer steps than it, or is below a cut."""
    if d["optimal"] is None:
        check(d["optimal_missing"], {"reason": str, "command": OPTIONAL_TEXT}, "optimal_missing")
        return
    assert d["optimal_missing"] is None, "a front, and none"
    best = min((entry["cost"]["time"] for entry in d["algorithms"] if entry["wrong"] is None), default=None)
    for point in d["optimal"]:
        check(point, OPTIMAL, "optimal")
        check_time_of({**point, "algorithm": "optimal"}, d)
        words = d["vector_words"] if d["collective"] == "broadcast" else d["block_words"]
        assert (point["cost"]["alpha"], point["cost"]["beta"]) == (point["steps"], -(-words // point["chunks"]) * point["rounds"]), point
        assert best is None or abs(point["ratio"] - best / point["cost"]["time"]) < 1e-9, "ratio"
        assert point["reached_by"] == [
            entry["algorithm"] for entry in d["algorithms"]
            if entry["wrong"] is None and all(entry["cost"][name] <= point["cost"][name] for name in COST)], "reached_by"
    for entry in d["algorithms"]:
        assert entry["cost"]["alpha"] >= d["optimal"][0]["steps"], f"{entry['algorithm']} has fewer steps than the front"
        for point in d["optimal"]:
            assert point["how"] != "cut" or entry["cost"]["beta"] * point["chunks"] >= words * point["rounds"], entry["algorithm"]


def check_compare(d):
    given = "optimal" in d
    check(d, {key: shape for key, shape in COMPARE.items() if given or not key.startswith("optimal")}, "document")
    if given:
        check_optimal(d)
    times = []
    for entry in d["algorithms"]:
        check({key: value for key, value in entry.items() if key != "parameter"}, TRIAL, "algorithms")
        check_time_of(entry, d)
        if entry["wrong"] is None:
            times.append(entry["cost"]["time"])
            assert entry["verified"], entry["algorithm"]
            assert not entry["closed_form"] or entry["closed_form"]["equal"] is True, entry["algorithm"]
            bound = d["lower_bound"]
            assert not bound or all(entry["cost"][name] >= bound[name] for name in COST), entry["algorithm"]
    assert times == sorted(times), "the cheapest is not first"
    for entry in d["excluded"]:
        check(entry, {"algorithm": str, "reason": str}, "excluded")


def check_sweep(d):
    several = len({point["nodes"] for point in d["points"]}) > 1
    check(d, {key: value for key, value in SWEEP.items() if not several or key not in ("topology", "routing")}, "document")
    for point in d["points"]:
        check(point, POINT, "points")
        times = {}
        for entry in point["algorithms"]:
            check({key: value for key, value in entry.items() if key != "parameter"}, ENTRY, "points.algorithms")
            if entry["cost"] and entry["wrong"] is None:
                check_time_of(entry, d)
                times[entry["algorithm"]] = entry["cost"]["time"]
        assert (point["best"] is None) == (not times), "best"
        assert not times or times[point["best"]] == min(times.values()), f"{point['best']} is not the best"
    for entry in d["crossovers"]:
        check(entry, CROSSOVER, "crossovers")
        assert entry["last_before"] < entry["from"], "crossovers"
    for entry in d["not_crossed"]:
        check(entry, NOT_CROSSED, "not_crossed")
        assert not any(crossing["nodes"] == entry["nodes"] and {crossing["before"], crossing["after"]} & set(entry["algorithms"])
                       for crossing in d["crossovers"]), "not_crossed"
    for entry in d["absent"]:
        check(entry, ABSENT, "absent")
        first, last = entry["block_words"]
        at = [point for point in d["points"] if point["nodes"] == entry["nodes"] and first <= point["block_words"] <= last]
        assert at and not any(own["cost"] and own["wrong"] is None for point in at for own in point["algorithms"]
                              if own["algorithm"] == entry["algorithm"]), "absent"


def check_document(d):
    """What its schema says."""
    if d["schema"] == "peal/list/1":
        check(d, {"schema": str, "algorithms": list}, "document")
        for entry in d["algorithms"]:
            check(entry, LIST, "algorithms")
    elif d["schema"] == "peal/doctor/1":
        check(d, {"schema": str, "version": str, "findings": list}, "document")
        for entry in d["findings"]:
            check(entry, FINDING, "findings")
    elif d["schema"] == "peal/compare/2":
        check_compare(d)
    elif d["schema"] == "peal/sweep/1":
        check_sweep(d)
    elif d["schema"] == "peal/fit/2":
        check(d, FIT, "document")
        for entry in d["outliers"]:
            check(entry, {"line": int, "size": NUMBER, "time": NUMBER}, "outliers")
    elif d["schema"] == "peal/synthesis/2":
        front = {"most_chunks": int, "from": OPTIONAL_TEXT, "cut": None, "front": list, "searches": list}
        check(d, {**SYNTHESIS, **(front if "front" in d else {**ANSWER, "moves": list})}, "document")
        for point in d.get("front", []):
            check(point, {"chunks": int, "steps": int, "rounds": int, "closed": bool, "reaches_cut": bool, "moves": list}, "front")
        for entry in d.get("searches", []):
            check(entry, ANSWER, "searches")
    else:
        assert d["schema"] == "peal/run/1", d["schema"]
        check_run(d)


def documents(text):
    """The JSON documents of the text, one after another."""
    decoder, text, at = json.JSONDecoder(), text.rstrip(), 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        d, at = decoder.raw_decode(text, at)
        yield d


def say(d, i, expressions):
    """Print "ok" or the mistake; return whether all is well."""
    try:
        check_document(d)
        for expression in expressions:
            assert eval(expression, {"d": d, "i": i}), expression  # pylint: disable=eval-used
        print("ok")
        return True
    except (AssertionError, ValueError, KeyError) as wrong:
        print(f"wrong: {wrong!r}")
        return False


def main():
    count, expressions = None, sys.argv[1:]
    if expressions[:1] == ["--each"]:
        count, expressions = int(expressions[1]), expressions[2:]
    try:
        if count is None:
            return say(json.load(sys.stdin), 0, expressions)
        found = [say(d, i, expressions) for i, d in enumerate(documents(sys.stdin.read()))]
        assert len(found) == count, f"{len(found)} documents, not {count}"
        return all(found)
    except (AssertionError, ValueError) as wrong:
        print(f"wrong: {wrong!r}")
        return False


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
