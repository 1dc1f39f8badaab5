// SPDX-License-Identifier: MIT
// Where the vertices of a network are drawn, as people draw them.  Each gives {x, y, bend}: coordinates in any unit, y
// downwards, and how far the wire from u to v is bent to its left (in its lengths), so that it does not run through others.

const MAX_FORCED = 600; // vertices for which forces are computed

function layoutOf(network) {
  if (network.hosts) return hostsLayout(network);
  const makers = {full: circleLayout, ring: circleLayout, star: starLayout, line: lineLayout, mesh: gridLayout, torus: gridLayout,
                  hypercube: cubeLayout, tree: treeLayout, fattree: fatTreeLayout, dragonfly: dragonflyLayout,
                  butterfly: butterflyLayout, debruijn: forceLayout, file: forceLayout,
                  dgx1: circleLayout, 'dgx-a100': circleLayout};
  return (makers[network.kind] || forceLayout)(network);
}

// Nodes that are placed: each where its host is, in the picture of the network of hosts.
function hostsLayout(network) {
  const hosts = network.hosts.nodes, inside = network.names.map(name => name.startsWith('host ') ? +name.slice(5) : hosts + +name.slice(7));
  const whole = layoutOf({kind: network.kind, extents: network.extents, nodes: hosts, switches: network.hosts.switches,
                          wires: network.wires && network.wires.map(v => inside[v])});
  return {x: inside.map(v => whole.x[v]), y: inside.map(v => whole.y[v]), bend: (u, v) => whole.bend(inside[u], inside[v])};
}

function straight() {
  return 0;
}

// The nodes on a circle, node 0 on top, clockwise.
function circleLayout(network) {
  const x = [], y = [], n = network.nodes;
  for (let i = 0; i < n; i++) {
    const angle = 2 * Math.PI * i / n - Math.PI / 2;
    x.push(Math.cos(angle) * Math.max(n, 6) / 5);
    y.push(Math.sin(angle) * Math.max(n, 6) / 5);
  }
  return {x, y, bend: n === 2 ? () => 0.15 : straight};
}

function starLayout(network) {
  const round = circleLayout({nodes: Math.max(network.nodes - 1, 1)});
  return {x: [0].concat(round.x).slice(0, network.nodes), y: [0].concat(round.y).slice(0, network.nodes), bend: straight};
}

// In one row; a long line turns at the end of each row, as a snake does.
function lineLayout(network) {
  const n = network.nodes, wide = n <= 32 ? n : Math.ceil(Math.sqrt(n * 2));
  const x = [], y = [];
  for (let i = 0; i < n; i++) {
    const row = Math.floor(i / wide), column = i % wide;
    x.push(row % 2 ? wide - 1 - column : column);
    y.push(row);
  }
  return {x, y, bend: straight};
}

// The coordinates of a rank in row-major order.
function coordinates(rank, extents) {
  const made = [];
  for (let i = extents.length - 1; i >= 0; i--) {
    made[i] = rank % extents[i];
    rank = Math.floor(rank / extents[i]);
  }
  return made;
}

// Rows and columns for the last two dimensions; the third last goes diagonally behind, further ones lay these pictures
// side by side and one below the other.  A wire that closes a ring goes round in a bend.
function gridLayout(network) {
  const extents = network.extents, d = extents.length, x = [], y = [];
  const columns = extents[d - 1], rows = d > 1 ? extents[d - 2] : 1, deep = d > 2 ? extents[d - 3] : 1, [askewX, askewY] = askew(columns, rows, deep);
  const wide = columns + askewX * (deep - 1) + 0.8, high = rows + askewY * (deep - 1) + 0.8;
  for (let i = 0; i < network.nodes; i++) {
    const c = coordinates(i, extents), depth = d > 2 ? c[d - 3] : 0;
    let px = c[d - 1] + askewX * depth, py = (d > 1 ? c[d - 2] : 0) - askewY * depth;
    let stepX = wide, stepY = high;
    for (let k = d - 4; k >= 0; k--) {
      if ((d - 4 - k) % 2 === 0) {
        px += stepX * c[k];
        stepX *= extents[k];
      } else {
        py += stepY * c[k];
        stepY *= extents[k];
      }
    }
    x.push(px);
    y.push(py);
  }
  const bend = (u, v) => {
    const a = coordinates(u, extents), b = coordinates(v, extents);
    for (let k = 0; k < d; k++) {
      const apart = Math.abs(a[k] - b[k]);
      if (apart > 1) return (a[k] > b[k] ? 1 : -1) * (k === d - 1 ? 1 : -1) * Math.min(0.34, 0.7 / apart);
    }
    return 0;
  };
  return {x, y, bend};
}

// How far behind and above one layer the next is drawn, so that no vertex hides one of another layer.
function askew(columns, rows, deep) {
  let best = [0.42, 0.42], most = 0;
  if (deep <= 2) return best;
  for (let x = 0.24; x <= 0.5; x += 0.02) {
    for (let y = 0.2; y <= 0.44; y += 0.02) {
      let least = 1;
      for (let k = 1; k < deep; k++) {
        const dx = k * x - Math.min(Math.round(k * x), columns - 1), dy = k * y - Math.min(Math.round(k * y), rows - 1);
        least = Math.min(least, Math.hypot(1.5 * dx, dy));
      }
      if (least > most + 1e-9) [best, most] = [[x, y], least];
    }
  }
  return best;
}

// Dimension 0 to the right, 1 down, 2 diagonally; further ones lay these cubes side by side and one below the other.
function cubeLayout(network) {
  const d = network.extents.length, x = [], y = [];
  for (let i = 0; i < network.nodes; i++) {
    let px = (i & 1) + (i & 4 ? 0.45 : 0), py = (i & 2 ? 1 : 0) - (i & 4 ? 0.4 : 0), stepX = 2.1, stepY = 2;
    for (let k = 3; k < d; k++) {
      const bit = i >> k & 1;
      if (k % 2) {
        px += bit * stepX;
        stepX *= 2;
      } else {
        py += bit * stepY;
        stepY *= 2;
      }
    }
    x.push(px);
    y.push(py);
  }
  // The wires of dimensions from 3 on would run through nodes between.
  const bend = (u, v) => {
    const k = Math.log2(u ^ v);
    return k < 3 ? 0 : (u < v ? 1 : -1) * (k % 2 ? 1 : -1) * 0.14;
  };
  return {x, y, bend};
}

// Level by level, each node above the middle of its children.
function treeLayout(network) {
  const arity = network.extents[0], n = network.nodes, x = new Array(n), y = new Array(n);
  const levels = [];
  for (let first = 0, wide = 1; first < n; first += wide, wide *= arity) levels.push([first, wide]);
  const last = levels[levels.length - 1][1];
  levels.forEach(([first, wide], level) => {
    for (let i = 0; i < wide && first + i < n; i++) {
      x[first + i] = (i + 0.5) * last / wide;
      y[first + i] = level * Math.max(1, last / levels.length / 2.2);
    }
  });
  return {x, y, bend: straight};
}

// Nodes below, then edge, aggregation and core switches.
function fatTreeLayout(network) {
  const k = network.extents.length === 1 && network.extents[0] !== network.nodes ? network.extents[0] : Math.round(Math.cbrt(4 * network.nodes));
  const nodes = network.nodes, edge = k * k / 2, core = k * k / 4, x = [], y = [], gap = Math.max(1.2, nodes / 9);
  const row = (wide, level) => {
    for (let i = 0; i < wide; i++) {
      x.push((i + 0.5) * nodes / wide);
      y.push(level * gap);
    }
  };
  row(nodes, 3);
  row(edge, 2);
  row(edge, 1);
  row(core, 0);
  return {x, y, bend: straight};
}

// Groups on a circle, the routers of each on a smaller one, the nodes outside of their routers.
function dragonflyLayout(network) {
  const wires = network.wires || [], nodes = network.nodes, switches = network.switches, x = [], y = [];
  const home = new Array(nodes).fill(nodes);
  for (let i = 0; i < wires.length; i += 2) {
    const low = Math.min(wires[i], wires[i + 1]), high = Math.max(wires[i], wires[i + 1]);
    if (low < nodes && high >= nodes) home[low] = high;
  }
  const perRouter = Math.max(1, Math.round(nodes / switches));
  // a·h + 1 groups of a routers: the extents give a; without them, the wires of the first router do
  const a = network.extents.length === 3 ? network.extents[0] : switches;
  const groups = Math.max(1, Math.round(switches / a)), large = Math.max(groups, 3) * 0.9 * Math.max(1, a / 4), small = Math.max(0.9, a / 4);
  const place = [];
  for (let s = 0; s < switches; s++) {
    const group = Math.floor(s / a), turn = 2 * Math.PI * group / groups - Math.PI / 2;
    const angle = turn + 2 * Math.PI * ((s % a) + 0.5) / a;
    place.push({x: large * Math.cos(turn) + small * Math.cos(angle), y: large * Math.sin(turn) + small * Math.sin(angle), angle});
  }
  const seen = new Array(switches).fill(0);
  for (let i = 0; i < nodes; i++) {
    const s = home[i] - nodes, at = place[s], nth = seen[s]++;
    const angle = at.angle + (nth - (perRouter - 1) / 2) * 0.55;
    x.push(at.x + 0.85 * Math.cos(angle));
    y.push(at.y + 0.85 * Math.sin(angle));
  }
  for (const at of place) {
    x.push(at.x);
    y.push(at.y);
  }
  return {x, y, bend: straight};
}

// Levels from left to right, rows from top to bottom.
function butterflyLayout(network) {
  const n = network.nodes;
  let d = 0;
  while ((d + 1) * 2 ** d < n) d++;
  const rows = 2 ** d, x = [], y = [];
  for (let i = 0; i < n; i++) {
    x.push(Math.floor(i / rows) * Math.max(1.6, rows / 5));
    y.push(i % rows);
  }
  return {x, y, bend: straight};
}

// Wires pull, vertices push: for networks from files and those without a picture of their own.  The same every time.
function forceLayout(network) {
  const vertices = network.nodes + network.switches, wires = network.wires || [];
  if (vertices > MAX_FORCED) return circleLayout({nodes: vertices});
  const points = [], links = [];
  for (let i = 0; i < vertices; i++) {
    points.push({x: Math.cos(2 * Math.PI * i / vertices) * vertices, y: Math.sin(2 * Math.PI * i / vertices) * vertices});
  }
  for (let i = 0; i < wires.length; i += 2) if (wires[i] !== wires[i + 1]) links.push({source: wires[i], target: wires[i + 1]});
  const simulation = d3.forceSimulation(points).stop()
    .force('links', d3.forceLink(links).distance(20).strength(0.7))
    .force('charge', d3.forceManyBody().strength(-60))
    .force('x', d3.forceX().strength(0.03)).force('y', d3.forceY().strength(0.04));
  for (let i = 0; i < (vertices > 200 ? 120 : 300); i++) simulation.tick();
  return {x: points.map(p => p.x / 20), y: points.map(p => p.y / 20), bend: straight};
}
