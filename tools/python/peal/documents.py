# SPDX-License-Identifier: MIT
"""The command's documents as objects.  What they hold is described in peal-json(5); all of it is in `json`."""
import html
import json
import os
import tempfile

from .command import Error, start


class Cost:
    """A cost: coefficients of α, β, t_d and τ, integers, and its time in the unit of the prices, or None."""

    def __init__(self, document):
        self.alpha, self.beta = document["alpha"], document["beta"]
        self.hop, self.tau = document["hop"], document["tau"]
        self.time = document.get("time")

    @property
    def coefficients(self):
        """(α, β, t_d, τ)"""
        return self.alpha, self.beta, self.hop, self.tau

    def __eq__(self, other):
        return isinstance(other, Cost) and self.coefficients == other.coefficients

    def __hash__(self):
        return hash(self.coefficients)

    def __str__(self):
        terms = [(name if number == 1 else f"{number}{name}")
                 for number, name in zip(self.coefficients, ("α", "β", "t_d", "τ")) if number]
        return " + ".join(terms) or "0"

    def __repr__(self):
        return str(self) if self.time is None else f"{self} = {self.time:g}"


def cost_of(document):
    """The Cost of a part of a document; None of null."""
    return None if document is None else Cost(document)


class Table:
    """Rows of values under names: `columns`, a list of names; `rows`, a list of dicts, as pandas.DataFrame takes them."""

    def __init__(self, columns, rows):
        self.columns, self.rows = list(columns), list(rows)

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def __getitem__(self, index):
        return self.rows[index]

    def texts(self):
        """The cells as texts, a list a row; "-" for None."""
        return [["-" if row[name] is None else f"{row[name]:.4g}" if isinstance(row[name], float) else str(row[name])
                 for name in self.columns] for row in self.rows]

    def __repr__(self):
        lines = [self.columns, *self.texts()]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)

    def _repr_html_(self):
        def row(cells, tag):
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        return ("<table><thead>" + row(self.columns, "th") + "</thead><tbody>" +
                "".join(row(line, "td") for line in self.texts()) + "</tbody></table>")


class Document:
    """What a command wrote.

    json    the document, a dict
    code    the command's exit status: 0, or as in peal(1)
    output  what it printed besides, programs' output among it
    """

    def __init__(self, document, code=0, output=""):
        self.json, self.code, self.output = document, code, output

    def save(self, path):
        """Write the document into a file, for peal price, peal report and others."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.json, file)

    def report(self, path=None):
        """The page of peal-report(1), one HTML text that needs nothing else; also written to `path`.  Raises Error."""
        with tempfile.TemporaryDirectory(prefix="peal-") as folder:
            page = os.path.join(folder, "page.html")
            code, _, complaint = start(["report", "-", "-o", page], json.dumps(self.json))
            if code != 0:
                raise Error(complaint.strip().removeprefix("peal: "), code)
            with open(page, encoding="utf-8") as file:
                text = file.read()
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return text

    def _repr_html_(self):
        page = html.escape(self.report(), quote=True)
        return (f'<iframe sandbox="allow-scripts" srcdoc="{page}" title="{html.escape(repr(self), quote=True)}" '
                'style="width:100%;height:40em;border:0"></iframe>')


class Transfer:
    """A message that a round moved: from rank `source` to rank `to`, `words` words over `hops` links, `k` on the fullest."""

    def __init__(self, document):
        self.source, self.to, self.words = document["from"], document["to"], document["words"]
        self.hops, self.k = document["hops"], document["k"]

    def __repr__(self):
        return f"{self.source}→{self.to} ({self.words} words)"


class Round:
    """A round: `number`, from 1; `transfers`, a list, or None where only sums were recorded; `charge`, a Cost."""

    def __init__(self, number, document):
        whole = isinstance(document["transfers"], list)
        self.number, self.charge = number, Cost(document["charge"])
        self.transfers = [Transfer(transfer) for transfer in document["transfers"]] if whole else None

    def __repr__(self):
        return f"round {self.number}: {self.charge}"


class Run(Document):
    """A run: `nodes`, `algorithm`, `cost`, `critical_path`, `closed_form` and `lower_bound` (Cost or None), `rounds`.

    failure   None, or a dict: peal-json(5)
    verified  whether every node has the right data; None of a program
    """

    def __init__(self, document, code=0, output=""):
        super().__init__(document, code, output)
        self.nodes, self.algorithm, self.failure = document["nodes"], document["algorithm"], document["failure"]
        self.cost, self.critical_path = cost_of(document["cost"]), cost_of(document["critical_path"])
        self.closed_form, self.lower_bound = cost_of(document["closed_form"]), cost_of(document["lower_bound"])
        self.rounds = [Round(i + 1, part) for i, part in enumerate(document["rounds"] or [])]
        self.verified = document["data"]["verified"] if document["data"] else None

    @property
    def name(self):
        """"scatter/binomial", or the program."""
        document = self.json
        return f"{document['collective']}/{self.algorithm}" if document["collective"] else document["program"]

    @property
    def table(self):
        """The rounds: their number, messages, words of the longest, links shared by at most k, charge."""
        rows = []
        for each in self.rounds:
            moved = each.transfers or []
            rows.append({"round": each.number, "messages": " ".join(f"{t.source}→{t.to}" for t in moved),
                         "words": max((t.words for t in moved), default=0), "k": max((t.k for t in moved), default=0),
                         "charge": str(each.charge)})
        return Table(["round", "messages", "words", "k", "charge"], rows)

    def __repr__(self):
        end = f", {self.failure['kind']}" if self.failure else f", exit code {self.code}" if self.code else ""
        return f"{self.name} on {self.nodes} nodes: {self.cost!r}{end}"


class Comparison(Document):
    """All algorithms of a collective on one machine: `collective`, `nodes`, `lower_bound` (Cost or None), `table`, `best`."""

    def __init__(self, document, code=0, output=""):
        super().__init__(document, code, output)
        self.collective, self.nodes = document["collective"], document["nodes"]
        self.lower_bound = cost_of(document["lower_bound"])

    @property
    def table(self):
        """The algorithms, the cheapest first: name, rounds, cost, time, ratio to the bound, what is wrong."""
        rows = [{"algorithm": each["algorithm"], "rounds": each["rounds"], "cost": str(Cost(each["cost"])),
                 "time": each["cost"]["time"], "ratio": each["ratio"],
                 "wrong": each["wrong"] and each["wrong"]["message"]} for each in self.json["algorithms"]]
        return Table(["algorithm", "rounds", "cost", "time", "ratio", "wrong"], rows)

    @property
    def best(self):
        """The name of the cheapest algorithm with nothing wrong; None where there is none."""
        return next((row["algorithm"] for row in self.table if not row["wrong"]), None)

    def __repr__(self):
        return f"{self.collective} on {self.nodes} nodes: {len(self.table)} algorithms, the cheapest {self.best}"


class Sweep(Document):
    """The best algorithms over sizes or numbers of nodes: `collective`, `table`, `crossovers`."""

    def __init__(self, document, code=0, output=""):
        super().__init__(document, code, output)
        self.collective = document["collective"]

    @property
    def table(self):
        """A row for each point: nodes, words (of a block and of a vector), the best algorithm, its time, the bound's."""
        rows = []
        for point in self.json["points"]:
            times = {each["algorithm"]: each["cost"] and each["cost"]["time"] for each in point["algorithms"]}
            rows.append({"nodes": point["nodes"], "block": point["block_words"], "words": point["vector_words"],
                         "best": point["best"], "time": times.get(point["best"]),
                         "bound": point["lower_bound"] and point["lower_bound"]["time"]})
        return Table(["nodes", "block", "words", "best", "time", "bound"], rows)

    @property
    def crossovers(self):
        """Where the best algorithm changes: nodes, unit, before, after, and the least size at which the second is best."""
        names = ["nodes", "unit", "before", "after", "from"]
        return Table(names, [{name: each[name] for name in names} for each in self.json["crossovers"]])

    def __repr__(self):
        return f"{self.collective}: {len(self.json['points'])} points, {len(self.json['crossovers'])} crossovers"


class Check(Document):
    """Verdicts: `proved`, whether all are (a program: it has no failure in any order of arrival); `table`; `findings`, a list of dicts: peal-json(5)."""

    def __init__(self, document, code=0, output=""):
        super().__init__(document, code, output)
        self.proved, self.findings = document["proved"], document["findings"]

    @property
    def table(self):
        """A row for each algorithm or function: whether it is proved, for which P, runs, why not."""
        names = ["collective", "algorithm", "proved", "nodes", "runs", "reason"]
        return Table(names, [{name: each[name] for name in names} for each in self.json["checks"]])

    def __repr__(self):
        proved, first = sum(each["proved"] for each in self.json["checks"]), self.json["checks"][0]
        if first["collective"] is None:  # a whole program, of which nothing is proved
            right = f"no failure in any order of arrival, P = {first['nodes']}" if proved else first["reason"] or "wrong"
            return f"{self.json['file']}: {right}, {len(self.findings)} findings"
        return f"{proved} of {len(self.json['checks'])} proved, {len(self.findings)} findings"
