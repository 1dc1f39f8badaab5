#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Evaluate the text of every closed form: texts.py TEXTS KEPT [--update]

TEXTS is the program that prints, for the whole catalogue on many machines, the number of each closed form and the text
that is shown beside it there.  This reader of the texts (algorithms/README.md has the language) shares nothing with the
library that makes the numbers: a text whose value is another number is wrong.  KEPT has, for each algorithm, how many of
its closed forms have no text: no more of them may be without one.  Where the source of a formula is not "derived here",
its value is that of CITED, which is written as the source has it."""
import collections
import fractions
import functools
import math
import operator
import os
import pathlib
import re
import subprocess
import sys

TOKEN = re.compile(r"\s*(?:(?P<number>\d+)|(?P<word>popcount|necklaces|min|max|mod|by|log|t_d)"
                   r"|(?P<name>[A-Za-zα-ωΑ-ΠΤ-Ω](?:[₀-₉]+|[ᵢⱼ])?)|(?P<sign>.))")
SUBSCRIPT = re.compile(r"_(?:\{([^}]*)\}|(\w))|([₀-₉]+)")
SMALL = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
BEGINS = {"(", "⌈", "⌊", "[", "√", "Σ"}
RELATIONS = {"=": "==", "≠": "!=", "<": "<", "≤": "<=", ">": ">", "≥": ">="}
# The value of a sum in which α, β and t_d are these is the sum of no other coefficients below a million million.
UNITS = {"α": 1, "β": 10 ** 15, "t_d": 10 ** 30}


class Unreadable(Exception):
    pass


def log(base, x):
    """Exact where it is whole."""
    whole = round(math.log(x) / math.log(base))
    return whole if fractions.Fraction(base) ** whole == x else math.log(x) / math.log(base)


def whole(x, rounded):
    return round(x) if isinstance(x, float) and abs(x - round(x)) < 1e-9 else rounded(x)


def necklaces(q):
    """The circles of q beads of two colours, by Burnside's lemma."""
    return sum(2 ** math.gcd(i, q) for i in range(q)) // q if q > 0 else 1


FUNCTIONS = {"log": log, "floor": lambda x: whole(x, math.floor), "ceil": lambda x: whole(x, math.ceil),
             "least": min, "most": max, "popcount": lambda x: bin(x).count("1"), "necklaces": necklaces,
             "root": lambda x: math.isqrt(x) if math.isqrt(x) ** 2 == x else math.sqrt(x),
             "over": lambda a, b: a // b if isinstance(a, int) and isinstance(b, int) and a % b == 0
             else a / b if isinstance(a, float) or isinstance(b, float) else fractions.Fraction(a) / b}


class Reader:
    """Reads one expression; gives it as Python."""

    def __init__(self, text, names):
        self.text, self.at, self.names = text, 0, names

    def peek(self):
        found = TOKEN.match(self.text, self.at)
        return (found.lastgroup, found[found.lastgroup]) if found else (None, None)

    def take(self, wanted=None):
        found = TOKEN.match(self.text, self.at)
        if not found or (wanted and found[found.lastgroup] != wanted):
            raise Unreadable(f"expected {wanted or 'more'} at '{self.text[self.at:]}'")
        self.at = found.end()
        return found[found.lastgroup]

    def whole(self):
        made = self.sum()
        if self.text[self.at:].strip():
            raise Unreadable(f"what is '{self.text[self.at:]}'?")
        return made

    def sum(self):
        negative = self.peek()[1] == "−" and self.take()
        made = f"(-{self.product()})" if negative else self.product()
        while self.peek()[1] in ("+", "−"):
            made = f"({made} {'+' if self.take() == '+' else '-'} {self.product()})"
        return made

    def begins(self):
        kind, token = self.peek()
        return kind in ("number", "name") or (kind == "word" and token != "mod") or token in BEGINS

    def product(self):
        made = self.power()
        while self.begins() or self.peek()[1] in ("·", "/", "mod"):
            sign = "·" if self.begins() else self.take()
            other = self.power()
            made = f"over({made}, {other})" if sign == "/" else f"({made} {'*' if sign == '·' else '%'} {other})"
        return made

    def power(self):
        made = self.atom()
        while self.peek()[1] in ("^", "²", "³"):
            sign = self.take()
            made = f"({made} ** {self.power() if sign == '^' else '23'['²³'.index(sign)]})"
        return made

    def subscript(self):
        """What follows a Σ or a log at once: as text."""
        found = SUBSCRIPT.match(self.text, self.at)
        if not found:
            return None
        self.at = found.end()
        return found[1] or found[2] or found[3].translate(SMALL)

    def inner(self, text):
        return Reader(text, self.names).whole()

    def total(self):
        bounds = self.subscript()
        if not bounds:
            body = self.product()
            if "_i" not in body:
                raise Unreadable("a Σ over the dimensions without a zᵢ")
            return f"sum({body} for z_i, s_i, r_i in dimensions)"
        name, first, last = re.fullmatch(r"(\w)=(.*)\.\.(.*)", bounds).groups()
        first, last = self.inner(first), self.inner(last)
        outer, self.names = self.names, {**self.names, name: name + "_"}
        body = self.product()
        self.names = outer
        return f"sum({body} for {name}_ in range({first}, {last} + 1))"

    def atom(self):
        kind, token = self.peek()
        self.take()
        if kind == "number":
            return token
        if token == "(":
            made = self.sum()
            self.take(")")
            return made
        if token in ("⌈", "⌊"):
            made = self.sum()
            self.take("⌉" if token == "⌈" else "⌋")
            return f"{'ceil' if token == '⌈' else 'floor'}({made})"
        if token == "[":
            left = self.sum()
            relation = RELATIONS.get(self.take())
            made = f"int({left} {relation} {self.sum()})"
            self.take("]")
            return made
        if token == "√":
            return f"root({self.power()})"
        if token == "Σ":
            return self.total()
        if token == "log":
            base = self.inner(self.subscript() or "")
            return f"log({base}, {self.power()})"
        if token in ("min", "max", "popcount", "necklaces"):
            self.take("(")
            made = [self.sum()]
            while self.peek()[1] == ",":
                self.take()
                made.append(self.sum())
            self.take(")")
            return f"{ {'min': 'least', 'max': 'most'}.get(token, token) }({', '.join(made)})".replace(" ", "", 1)
        if kind in ("name", "word") and token in self.names:
            return self.names[token]
        raise Unreadable(f"'{token}' is not known")


SITUATION = {"zᵢ": "z_i", "sᵢ": "s_i", "rᵢ": "r_i",
             **{name: name for name in ("P", "m", "n", "r", "k", "by", "d", "α", "β", "t_d")}}


@functools.lru_cache(maxsize=None)
def read(text):
    """The formula, compiled; its names are those of the situation, or defined after it: "α + βH, H = ⌊log₂P⌋"."""
    formula, *definitions = re.split(r", (?=[A-Za-z][₀-₉ᵢ]? = )", text)
    names = dict(SITUATION)
    for definition in definitions:
        name, value = definition.split(" = ", 1)
        names[name] = f"({Reader(value, names).whole()})"
    return compile(Reader(formula, names).whole(), text, "eval")


def extents(kind, name, nodes):
    if kind in ("line", "ring"):
        return [nodes]
    if kind == "hypercube":
        return [2] * (nodes.bit_length() - 1)
    return [int(z) for z in name.split(":")[1].split("x")] if kind in ("mesh", "torus") else []


@functools.lru_cache(maxsize=None)
def dimensions(network, nodes, root):
    """(zᵢ, sᵢ, rᵢ) of each dimension of more than one node, the slowest first."""
    made, stride = [], 1
    for z in reversed(extents(network.split(":")[0], network, nodes)):
        if z > 1:
            made.insert(0, (z, stride, root // stride % z))
        stride *= z
    return made


@functools.lru_cache(maxsize=None)
def value_at(text, network, nodes, size, words, root, by, ports):
    nodes, root = int(nodes), int(root)
    dims = dimensions(network, nodes, root)
    names = dict(FUNCTIONS, **UNITS, P=nodes, r=root, by=int(by), d=len(dims), dimensions=dims,
                 k=max(1, nodes - 1) if ports == "all" else int(ports))
    names["m" if size == "m" else "n"] = int(words)
    return eval(read(text), names)


def value_of(text, line):
    return value_at(text, *(line[field] for field in ("network", "P", "size", "words", "root", "by", "ports")))


# What the reader makes of texts, on a 2 x 4 mesh from node 5, with 10 words and two ports: (α, β, t_d).
READ = {
    "α⌈log₂P⌉ + βm(P−1)": (3, 70, 0),
    "αΣ(zᵢ−1) + βmΣsᵢ(zᵢ−1)² + t_dΣrᵢ": (4, 130, 2),
    "2α⌈log_{k+1}P⌉ + βm(P−1)/k · 2": (4, 70, 0),
    "αH + β min(m, H^2) + t_d√(P+8)[P ≠ 2^q], q = ⌊log₂P⌋, H = max(q, 2)": (3, 9, 0),
    "αΣ_{j=0..2}2^j + β(Σ_{x=1..P−1}popcount(x) + P mod 3) + t_d necklaces(4)": (7, 14, 6),
}


def test_the_reader():
    line = {"network": "mesh:2x4", "P": "8", "size": "m", "words": "10", "root": "5", "by": "0", "ports": "2"}
    for text, terms in READ.items():
        value = value_of(text, line)
        assert value == sum(term * unit for term, unit in zip(terms, UNITS.values())), f"{text} is read as {value}"
        assert value_of("β + " + text, line) != value, "another text has another value"


FIELDS = ["algorithm", "network", "routing", "P", "size", "words", "root", "by", "receivers", "parameter", "ports",
          "duplex", "switching", "congestion", "alpha", "beta", "hop", "source", "text"]
READ_OF = operator.itemgetter(*(i for i, field in enumerate(FIELDS)
                                if field not in ("routing", "duplex", "switching", "congestion")))  # no text names these


def is_cited_value(line):
    """Whether the source's formula has this value; the letters of parameters are its own."""
    names = line["parameter"]
    text = re.sub("B", names, CITED[line["algorithm"]]) if "B" in CITED[line["algorithm"]] else CITED[line["algorithm"]]
    if names != "0" and "{k+1}" in text:
        line = dict(line, ports=names)
    expected = sum(int(line[term]) * unit for term, unit in zip(("alpha", "beta", "hop"), UNITS.values()))
    return value_of(text, line) == expected


# The formulas that the sources have, each in Peal's letters.
CITED = {
    "scatter/binomial": "α log₂P + βm(P−1)",  # equation 4.6
    "gather/binomial": "α log₂P + βm(P−1)",
    "scatter/rda": "α⌈log₂P⌉ + βm(P−1)",
    "gather/rda": "α⌈log₂P⌉ + βm(P−1)",
    "scatter/k-port": "α⌈log_{k+1}P⌉ + βm⌈(P−1)/k⌉",  # Lemma 7
    "gather/k-port": "α⌈log_{k+1}P⌉ + βm⌈(P−1)/k⌉",
    "broadcast/binomial": "(α + βn)log₂P",
    "broadcast/binomial-near": "(α + βn)log₂P",
    "broadcast/mesh": "(α + βn)log₂P",
    "broadcast/rda": "(α + βn)⌈log₂P⌉",
    "broadcast/scatter-allgather": "α(log₂P+P−1) + 2βn(P−1)/P",
    "broadcast/scatter-doubling": "2α log₂P + 2βn(P−1)/P",
    "broadcast/circulant": "(α+βn/B)(⌈log₂P⌉−1+B)",
    "reduce/binomial": "(α + βn)log₂P",
    "reduce/mesh": "(α + βn)log₂P",
    "reduce/circulant": "(α+βn/B)(⌈log₂P⌉−1+B)",
    "reduce/rabenseifner": "2α log₂P + 2βn(P−1)/P",
    "allgather/ring": "(α + βm)(P−1)",
    "allgather/recursive-doubling": "α log₂P + βm(P−1)",
    "allgather/circulant": "α⌈log₂P⌉ + βm(P−1)",
    "reduce-scatter/ring": "(α + βm)(P−1)",
    "reduce-scatter/halving": "α log₂P + βm(P−1)",
    "reduce-scatter/circulant": "α⌈log₂P⌉ + βm(P−1)",
    "reduce-scatter/recursive-doubling": "α log₂P + βmP(log₂P−(P−1)/P)",
    "allreduce/reduce-scatter-allgather": "2α(P−1) + 2βn(P−1)/P",
    "allreduce/recursive-doubling": "(α + βn)log₂P",
    "allreduce/rabenseifner": "2α log₂P + 2βn(P−1)/P",
    "alltoall/xor": "(α + βm)(P−1)",
    "alltoall/store-forward": "(α + βmP/2)log₂P",
    "alltoall/ring": "(α + βmP/2)(P−1)",
    "scan/shift-doubling": "(α + βn)log₂P",
    "shift/direct": "α + βn",
    "barrier/dissemination": "α⌈log₂P⌉",
}


def main():
    update = "--update" in sys.argv
    test_the_reader()
    kept = pathlib.Path(sys.argv[2])
    wrong, none, shown, false, unused, right = {}, collections.Counter(), collections.Counter(), {}, set(CITED), set()
    # The name, the machine and the call, the number, the text.
    dump = subprocess.Popen([sys.argv[1]], stdout=subprocess.PIPE, text=True)
    for row in dump.stdout:
        fields = row.rstrip("\n").split("|")
        name, text = fields[0], fields[-1]
        (shown if text else none)[name] += 1
        if READ_OF(fields) in right:
            continue
        line = dict(zip(FIELDS, fields))
        if line["source"] != "derived here":
            unused.discard(name)
            if name not in CITED or not text or not is_cited_value(line):
                false.setdefault((name, line["network"].split(":")[0], line["switching"]), line)
                continue
        if not text:
            continue
        try:
            value = value_of(text, line)
        except (Unreadable, NameError, ZeroDivisionError, ValueError, TypeError) as why:
            value = why
        expected = sum(int(line[term]) * unit for term, unit in zip(("alpha", "beta", "hop"), UNITS.values()))
        if value != expected:
            wrong.setdefault((name, line["network"].split(":")[0], line["switching"], text), []).append((line, value))
        else:
            right.add(READ_OF(fields))
    assert dump.wait() == 0, "the program that prints the texts failed"
    for (name, kind, switching, text), lines in wrong.items():
        line, value = lines[0]
        terms = value
        if isinstance(value, int) and value >= 0:
            terms = f"{value % 10 ** 15}α + {value // 10 ** 15 % 10 ** 15}β + {value // 10 ** 30}t_d"
        where = ", ".join(f"{field} {line[field]}" for field in FIELDS[1:-5])
        print(f"{name} on {where} shows {text}, which is {terms}, beside "
              f"{line['alpha']}α + {line['beta']}β + {line['hop']}t_d ({len(lines)} such)")
    for (name, kind, switching), line in false.items():
        print(f"{name} on {line['network']} with {switching} switching: {line['text'] or 'no text'} is said to be of "
              f"{line['source']}, which has {CITED.get(name, 'no formula here')}")
    if "PEAL_TEST_ALGORITHM" in os.environ:
        unused.clear()
    for name in sorted(unused):
        print(f"{name}: {CITED[name]} is shown nowhere as its source's")
    was = dict(line.rsplit(" ", 1) for line in kept.read_text().splitlines() if not line.startswith("#"))
    names = sorted(none.keys() | shown.keys())
    print(f"{sum(shown.values())} closed forms with a text, {sum(none.values())} without")
    if update:
        kept.write_text("# How many of the closed forms that texts.c asks for have no text: texts.py --update writes it.\n"
                        + "".join(f"{name} {none[name]}\n" for name in names if none[name]))
        return 1 if wrong or false or unused else 0
    changed = [name for name in names if none[name] != int(was.get(name, 0))]
    for name in changed:
        fewer = none[name] < int(was.get(name, 0))
        print(f"{name}: {none[name]} of {none[name] + shown[name]} without a text, {was.get(name, 0)} in {kept.name}"
              + (": fewer, so --update" if fewer else ""))
    if not names:
        print("expected an algorithm with a closed form, got PEAL_TEST_ALGORITHM=" + os.environ["PEAL_TEST_ALGORITHM"])
    return 1 if wrong or false or unused or changed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
