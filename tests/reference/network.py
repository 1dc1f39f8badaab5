# SPDX-License-Identifier: MIT
"""What a machine of the model is made of, its network, and its costs and clocks."""

import re
from functools import cmp_to_key

NO_COST = (0, 0, 0, 0)


class Options:
    """What a machine is made of; the names are the command's."""

    def __init__(self, nodes, topology='full', routing='', ports=1, half_duplex=False, switching='ideal',
                 congestion='count', parameters=(1000, 1, 0, 0), eager=None, mailbox=65536,
                 groups=None, lend=0):
        self.nodes, self.topology, self.routing = nodes, topology, routing
        self.ports, self.half_duplex = ports, half_duplex  # ports: a number or 'all'
        self.switching, self.congestion, self.parameters = switching, congestion, parameters
        self.eager, self.mailbox = eager, mailbox          # eager: None for rendezvous, else W
        self.lend = lend      # words
        self.groups = groups  # None, or a list of (color, key), one per node


# ---------------------------------------------------------------------------------------------------- costs and clocks

def add(a, b):
    return tuple(x + y for x, y in zip(a, b))


class Clockwork:
    """The order of times: "larger in time at the run's parameters, then in (alpha, beta, hop, tau)"."""

    def __init__(self, parameters):
        self.parameters = parameters

    def time(self, cost):
        alpha, beta, hop, tau = self.parameters
        return alpha * cost[0] + beta * cost[1] + hop * cost[2] + tau * cost[3]

    def compare(self, a, b):
        difference = self.time([x - y for x, y in zip(a, b)])
        return (difference > 0) - (difference < 0) or (a > b) - (a < b)

    def latest(self, *costs):
        return max(costs, key=cmp_to_key(self.compare))

    def earliest(self, costs):
        return min(costs, key=cmp_to_key(self.compare))


# ---------------------------------------------------------------------------------------------------- networks

# GPUs and the NVLinks between each two: row = from, as its makers draw it.
DGX1 = """0 2 1 1 2 0 0 0
          2 0 1 2 0 1 0 0
          1 1 0 2 0 0 2 0
          1 2 2 0 0 0 0 1
          2 0 0 0 0 2 1 1
          0 1 0 0 2 0 1 2
          0 0 2 0 1 1 0 2
          0 0 0 1 1 2 2 0"""


def place(text, nodes, hosts):
    """The host of each node: text is "N:ORDER", what follows the @ of a network."""
    number, order = re.fullmatch(r'(?:(\d+):)?(.*)', text).groups()
    each = int(number or 1)
    used = -(-nodes // each)
    kind, _, rest = order.partition(':')
    if kind == 'map':
        return [int(host) for host in rest.split(',')]
    if kind == 'cyclic':
        return [node % used for node in range(nodes)]
    names = list(range(hosts or used))
    if kind == 'random':  # each place in turn is exchanged with one from there on, by SplitMix64
        state = int(rest)
        for i in range(used):
            state = (state + 0x9E3779B97F4A7C15) % 2**64
            x = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
            x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
            j = i + (x ^ x >> 31) % (len(names) - i)
            names[i], names[j] = names[j], names[i]
    return [names[node // each] for node in range(nodes)]


class Network:
    """Routes as lists of links; a link is a pair of neighbours, one direction of the wire between them.  A network of
    listed wires has `capacity`: that of each link; every other link has 1."""

    def __init__(self, topology, routing, nodes):
        topology, at, placement = topology.partition('@')
        kind, _, numbers = topology.partition(':')
        self.host = list(range(nodes))  # of each node
        if at:
            self.host = place(placement, nodes, self.size(kind, numbers))
            nodes = self.size(kind, numbers) or max(self.host) + 1
        self.kind, self.routing, self.nodes = kind, routing, nodes  # from here on, hosts
        self.capacity = self.listed(kind, numbers)
        if self.capacity is not None:
            self.distances = [self.search(dest) for dest in range(nodes)]
            return
        if kind == 'hypercube':
            self.extents = [2] * (nodes.bit_length() - 1)
        elif numbers and kind in ('mesh', 'torus'):
            self.extents = [int(n) for n in numbers.split('x')]
        else:
            self.extents = [nodes]
        product = 1
        for extent in self.extents:
            product *= extent
        assert product == nodes, topology

    @staticmethod
    def size(kind, numbers):
        """The hosts of a network, as its numbers say; 0: they say nothing."""
        if kind in ('dgx1', 'dgx-a100'):
            return 8
        if kind == 'file':
            with open(numbers) as file:
                return 1 + max(int(node) for line in file for node in line.split()[:2])
        if kind == 'hypercube':
            return 2 ** int(numbers)
        product = 1
        for number in numbers.split('x') if numbers else [0]:
            product *= int(number)
        return product

    @staticmethod
    def listed(kind, path):
        """The capacity of every link of a network that is a list of wires; None for the others."""
        if kind == 'dgx1':
            rows = [[int(n) for n in row.split()] for row in DGX1.splitlines()]
            return {(a, b): c for a, row in enumerate(rows) for b, c in enumerate(row) if c}
        if kind == 'dgx-a100':
            return {(a, b): 12 for a in range(8) for b in range(8) if a != b}
        if kind != 'file':
            return None
        capacity = {}
        with open(path) as file:
            for a, b, c in (map(int, line.split()) for line in file):
                capacity[a, b] = capacity[b, a] = c
        return capacity

    def search(self, dest):
        """How many hops it is from each node to `dest`."""
        hops, frontier = {dest: 0}, [dest]
        while frontier:
            frontier = [u for u in range(self.nodes) if u not in hops and any((u, v) in self.capacity for v in frontier)]
            reached = max(hops.values()) + 1
            hops.update((u, reached) for u in frontier)
        return hops

    def wires(self, link):
        return self.capacity[link] if self.capacity else 1

    def coordinates(self, rank):
        where = []
        for extent in reversed(self.extents):
            where.insert(0, rank % extent)
            rank //= extent
        return where

    def rank(self, where):
        rank = 0
        for extent, x in zip(self.extents, where):
            rank = rank * extent + x
        return rank

    def steps(self, dimension, here, there):
        """The coordinates after `here` on the way to `there`: the shortest way round a ring, upwards in a tie."""
        extent = self.extents[dimension]
        wraps = self.kind in ('ring', 'torus')
        up = (there - here) % extent if wraps else there - here
        step = 1 if (2 * up <= extent if wraps else up > 0) else -1
        while here != there:
            here = (here + step) % extent
            yield here

    def together(self, source, dest):
        return self.host[source] == self.host[dest]

    def route(self, source, dest):
        return self.route_of_hosts(self.host[source], self.host[dest])

    def route_of_hosts(self, source, dest):
        if source == dest:
            return []
        if self.kind == 'full':
            return [(source, dest)]
        if self.capacity is not None:  # at each step the lowest next rank that is nearer
            links, hops = [], self.distances[dest]
            while source != dest:
                to = min(v for v in range(self.nodes) if (source, v) in self.capacity and hops[v] == hops[source] - 1)
                links.append((source, to))
                source = to
            return links
        # Mesh and torus: the last coordinate first (xy), or the first one first (yx).  Hypercube: the lowest dimension
        # first, which is the lowest bit of the rank, the last coordinate.
        dimensions = list(range(len(self.extents)))
        if self.routing != 'yx':
            dimensions.reverse()
        here, there = self.coordinates(source), self.coordinates(dest)
        links, at = [], source
        for d in dimensions:
            for x in self.steps(d, here[d], there[d]):
                here[d] = x
                links.append((at, self.rank(here)))
                at = links[-1][1]
        assert at == dest
        return links
