// SPDX-License-Identifier: MIT
// View 2, the network: its wires, and on them the links that the round uses, as wide as there are transfers on them.

const MAX_DRAWN_WIRES = 24000, MAX_FULL_NODES = 32, MAX_LAID_OUT = 4096;
const STRETCHED = ['mesh', 'torus', 'hypercube', 'tree', 'fattree', 'butterfly']; // may be wider than high

const networkView = {
  id: 'network', name: 'Network', key: '2', steps: true,

  why(model) {
    if (!model.run) return absentRun(model, 'network');
    if (!model.network) return 'The network ' + (model.run.topology || '') + ' cannot be drawn: ' + (model.page.network_absent || 'the document does not contain it') + '.';
    if (model.network.nodes + model.network.switches > MAX_LAID_OUT) {
      return model.network.name + ' has ' + count(model.network.nodes + model.network.switches, 'vertex', 'vertices') + '; up to ' + number(MAX_LAID_OUT) +
             ' are drawn. The table below and view 4 tell what each round costs.';
    }
    return null;
  },

  note(model, state) {
    const notes = [], network = model.network, round = model.rounds[state.round - 1];
    if (network.kind === 'full') notes.push('Every two nodes have a wire' + (network.nodes > MAX_FULL_NODES ? '; those in use are drawn.' : '.'));
    else if (!network.wires) notes.push('The wires are too many to draw; those in use are drawn.');
    if (model.page.reduced) notes.push(capital(model.page.reduced) + ', so links in use are not drawn.');
    else if (round && round.transfers === null) notes.push('The document holds the sums of rounds only, so links in use are not drawn.');
    if (network.kind === 'debruijn' || network.kind === 'file') notes.push('Laid out by forces; only who is joined to whom has a meaning.');
    if (round && round.transfers && round.k > 1) notes.push(hottestText(model, round));
    return notes.join(' ');
  },

  controls() {
    return [];
  },

  layout(model) {
    if (!model.layout) model.layout = layoutOf(model.network);
    return model.layout;
  },

  // Placed twice: once to see how far the wires that go round in a bend reach, then with room for them.
  size(model, state, width, height) {
    const layout = this.layout(model), base = 42, plain = {left: base, right: base, top: base, bottom: base};
    const placed = placeVertices(model, layout, width, height, plain), over = overshoot(model, placed, base);
    if (state.asking && state.round === 1 && model.network.kind === 'line') { // room for the arcs
      const goes = way => model.rounds[0].transfers.some(t => way * (t.to - t.from) > 0) ? 0.16 * width : 0;
      return placeVertices(model, layout, width, height, {left: base, right: base, top: base + goes(1), bottom: base + goes(-1)});
    }
    return over ? placeVertices(model, layout, width, height, over) : placed;
  },

  marks(model) {
    const wires = model.network.wires ? model.network.wires.length / 2 : model.nodes <= MAX_FULL_NODES ? model.nodes * model.nodes / 2 : 0;
    const busiest = model.rounds.reduce((most, round) => Math.max(most, (round.transfers || []).reduce((sum, t) => sum + t.path.length, 0)), 0);
    return wires + 2 * (model.nodes + model.network.switches) + 2 * busiest;
  },

  draw(pen, model, state, size) {
    const round = model.rounds[state.round - 1], loads = linkLoads(model, round);
    const chosen = round && round.transfers && state.transfer !== null ? round.transfers[state.transfer] : null;
    this.drawWires(pen, model, size);
    if (state.asking) {
      this.drawAsked(pen, size, round);
      this.drawVertices(pen, model, size, null, null);
      return;
    }
    const links = Array.from(loads.values()).sort((a, b) => a.k - b.k);
    for (const link of links) this.drawLink(pen, model, size, link, round, chosen);
    if (chosen) this.drawRoute(pen, size, chosen);
    if (round === model.rounds[model.rounds.length - 1] && model.failure) this.drawWaits(pen, model, size);
    this.drawVertices(pen, model, size, round, chosen);
    if (size.radius >= 6) this.drawLoads(pen, model, size, round, links, chosen);
  },

  drawWires(pen, model, size) {
    const network = model.network, many = (network.wires || []).length / 2 > 1500;
    const style = {stroke: 'line', width: size.radius < 5 || many ? 0.5 : 1.4, opacity: many ? 0.45 : 1, means: 'wire'};
    // A wire of more capacity is wider, and the most are drawn alike.
    const draw = (u, v, capacity = 1) => {
      const bend = size.bend(u, v), wide = style.width * Math.min(capacity, 4);
      const own = capacity === 1 ? style : Object.assign({}, style, {width: wide, data: {capacity}, title: 'capacity ' + number(capacity)});
      if (!bend) pen.line(size.x[u], size.y[u], size.x[v], size.y[v], own);
      else pen.path(curve(size, u, v, bend), own);
    };
    if (network.kind === 'full' && network.nodes <= MAX_FULL_NODES) {
      const at = hostVertices(network);
      for (let u = 0; u < network.nodes; u++) for (let v = u + 1; v < network.nodes; v++) if (at(u) === u && at(v) === v) draw(u, v);
    }
    const wires = network.wires || [];
    if (wires.length / 2 <= MAX_DRAWN_WIRES) for (let i = 0; i < wires.length; i += 2) draw(wires[i], wires[i + 1], network.capacities ? network.capacities[i / 2] : 1);
  },

  // A directed link beside the middle of its wire, so that the opposite link has room.
  drawLink(pen, model, size, link, round, chosen) {
    const k = link.k, on = !chosen || link.transfers.includes(chosen.index);
    const at = ends(size, link.from, link.to);
    const names = link.transfers.slice(0, 12).map(i => transferText(model, round.transfers[i])).join('\n');
    drawArrow(pen, at.x1, at.y1, at.x2, at.y2, {
      stroke: kInk(k), width: size.radius < 5 ? 0.8 + Math.min(k - 1, 3) * 0.6 : kWidth(k) + 0.4, opacity: on ? 1 : 0.3,
      title: 'link ' + vertexName(model, link.from) + ' → ' + vertexName(model, link.to) + ': ' + count(link.transfers.length, 'transfer') + ', ' + words(link.words) + '\n' + names,
      pick: 'link:' + link.from + ':' + link.to, data: {link: link.from + ',' + link.to, k}, means: kMeans(k)}, at.bend);
  },

  // The subject of a question: from whom to whom, without the routes and what they share.
  drawAsked(pen, size, round) {
    for (const t of (round && round.transfers) || []) {
      const x1 = size.x[t.from], y1 = size.y[t.from], x2 = size.x[t.to], y2 = size.y[t.to], length = Math.hypot(x2 - x1, y2 - y1) || 1, r = size.radius / length;
      const bend = 0.3, dx = (x2 - x1) * r, dy = (y2 - y1) * r, aside = 2 * bend; // the arc begins and ends at the circles
      drawArrow(pen, x1 + (dx + aside * dy), y1 + (dy - aside * dx), x2 - (dx - aside * dy), y2 - (dy + aside * dx), {stroke: 'k1', width: 2.5, data: {asked: t.from + ',' + t.to}}, bend);
    }
  },

  drawRoute(pen, size, t) {
    for (let i = 0; i + 1 < t.path.length; i++) {
      const at = ends(size, t.path[i], t.path[i + 1]);
      drawArrow(pen, at.x1, at.y1, at.x2, at.y2, {stroke: 'chosen', width: size.radius < 5 ? 2.5 : 5, data: {route: t.path[i] + ',' + t.path[i + 1]}, means: 'chosen'}, at.bend);
    }
  },

  // For a failed run: an arrow from each unfinished node to the node it waited for; the edges of a cycle are thicker.
  drawWaits(pen, model, size) {
    if (size.radius < 5) return;
    for (const {from, to, cycle} of waitsOf(model.failure, model.nodes)) {
      const x1 = size.x[from], y1 = size.y[from], x2 = size.x[to], y2 = size.y[to], length = Math.hypot(x2 - x1, y2 - y1) || 1;
      const r = size.radius + 3, dx = (x2 - x1) / length, dy = (y2 - y1) / length, aside = size.radius * 0.75;
      const node = model.failure.nodes.find(each => each.rank === from);
      drawArrow(pen, x1 + dx * r + dy * aside, y1 + dy * r - dx * aside, x2 - dx * r + dy * aside, y2 - dy * r - dx * aside,
                {stroke: 'bad', width: cycle ? 2.2 : 1.4, dash: '5 4', title: 'node ' + from + (node && node.peer === to ? ' ' + stateText(node) : ' waits for node ' + to),
                 data: {waits: from + ',' + to}, means: cycle ? 'cycle' : 'waits'}, 0.12);
    }
  },

  // How many transfers are on each link, or the words of the one, as a number beside it where no other label or vertex is.
  drawLoads(pen, model, size, round, links, chosen) {
    const places = makePlaces();
    if (round && round.each !== null) pen.text(14, 24, words(round.each) + ' each', {size: 13, fill: 'soft', data: {each: round.each}});
    if (round && round.each !== null) places.take(50, 24, '99999 words each', 13);
    for (let v = 0; v < size.x.length; v++) places.block(size.x[v], size.y[v], size.radius);
    const order = links.slice().sort((a, b) => b.k - a.k);
    for (const link of order) this.drawLoad(pen, size, link, round, links.length, chosen, places);
  },

  drawLoad(pen, size, link, round, links, chosen, places) {
    const k = link.k;
    if (k < 2 && (links > 40 || size.radius < 8 || round.each !== null)) return;
    if (chosen && !link.transfers.includes(chosen.index)) return;
    const at = ends(size, link.from, link.to), dx = at.x2 - at.x1, dy = at.y2 - at.y1, length = Math.hypot(dx, dy) || 1;
    const text = k > 1 ? '×' + k : number(link.words), font = k > 1 ? 14 : 12;
    const aside = 9 + kWidth(k) / 2 + Math.abs(dy) / length * textWidth(text, 12) / 2 + 3 * Math.abs(dx) / length;
    for (const part of at.bend ? [0.5] : [0.5, 0.36, 0.64, 0.25, 0.75]) {
      const off = at.bend ? at.bend * length / 2 + Math.sign(at.bend) * (link.from < link.to ? -aside : aside) : -aside;
      const x = at.x1 + part * dx + off * dy / length, y = at.y1 + part * dy - off * dx / length;
      if (!places.take(x, y + 4.5, text, font)) continue;
      pen.text(x, y + 4.5, text, {anchor: 'middle', size: font, weight: k > 1 ? 700 : 500, fill: kInk(k), halo: 'bg', title: k > 1 ? 'k = ' + k : words(link.words)});
      return;
    }
  },

  drawVertices(pen, model, size, round, chosen) {
    const sends = new Set(), receives = new Set(), failed = new Map((model.failure ? model.failure.nodes : []).map(node => [node.rank, node]));
    for (const t of (round && round.transfers) || []) {
      sends.add(t.from);
      receives.add(t.to);
    }
    const at = hostVertices(model.network), names = model.network.names;
    for (let v = 0; v < size.x.length; v++) {
      if (at(v) !== v) continue;
      const here = names ? d3.range(v, model.nodes).filter(u => at(u) === v) : [v], isHost = v >= model.nodes && names && names[v].startsWith('host');
      const isSwitch = v >= model.nodes && !isHost, busy = here.some(u => sends.has(u) || receives.has(u)), end = chosen && (here.includes(chosen.from) || here.includes(chosen.to));
      const stuck = here.some(u => failed.has(u)) && round === model.rounds[model.rounds.length - 1];
      const style = {fill: end ? 'chosen' : busy ? 'wash' : 'bg', stroke: stuck ? 'bad' : end ? 'chosen' : busy ? 'k1' : 'line', width: stuck ? 3 : busy ? 2 : 1.3,
                     dash: stuck ? '4 3' : isHost ? '2 3' : undefined, title: here.length ? here.map(u => vertexTitle(model, u, sends, receives, stuck ? failed.get(u) : null)).join('\n') : vertexTitle(model, v, sends, receives),
                     data: {vertex: v}, means: stuck ? 'failed' : isHost ? 'host' : isSwitch ? 'switch' : undefined};
      const r = size.radius;
      if (isSwitch) pen.rect(size.x[v] - r * 0.8, size.y[v] - r * 0.8, 1.6 * r, 1.6 * r, Object.assign(style, {radius: 2}));
      else pen.circle(size.x[v], size.y[v], r, style);
      if (r >= 8) pen.text(size.x[v], size.y[v] + 4.5, isHost ? '' : isSwitch ? 's' + (names ? names[v].slice(7) : v - model.nodes) : here.length > 1 ? rankList(here) : String(v), {anchor: 'middle', size: r >= 12 && here.length < 2 ? 13 : 10, weight: busy ? 700 : 500, fill: end ? 'bg' : isSwitch ? 'soft' : 'ink'});
    }
  },

  hit(model, state, size, px, py) {
    const round = model.rounds[state.round - 1];
    let best = null, near = 10;
    for (const link of linkLoads(model, round).values()) {
      const at = ends(size, link.from, link.to), away = distanceToSegment(px, py, at);
      if (away < near) {
        near = away;
        best = link;
      }
    }
    return best ? 'link:' + best.from + ':' + best.to : null;
  },

  legend() {
    return [['line', 'k1', 2.2, 'a link with one transfer', 'k1'], ['line', 'k2', 3.3, '×2: two share it', 'k2'], ['line', 'k3', 5, '×k: k share it', 'k3'],
            ['line', 'chosen', 5, 'the chosen transfer’s route', 'chosen'], ['line', 'line', 1.4, 'a wire', 'wire'], ['box', 'line', 1.3, 'a switch', 'switch'], ['dash', 'line', 1.3, 'a host without a node', 'host'],
            ['box', 'bad', 3, 'had not finished', 'failed'], ['dash', 'bad', 1.4, 'waits for', 'waits'], ['dash', 'bad', 2.2, 'waits for, on the cycle', 'cycle']];
  },

  summary(model, state) {
    const network = model.network, round = model.rounds[state.round - 1];
    return 'Network ' + network.name + ', routing ' + network.routing + ': ' + count(network.nodes, 'node') + (network.hosts ? ' on ' + count(network.hosts.nodes, 'host') : network.switches ? ', ' + count(network.switches, 'switch', 'switches') : '') +
           ', ' + count(network.links, 'link') + '. ' + roundText(model, state.round) + (round && round.transfers && round.k > 0 ? ' ' + hottestText(model, round) : '');
  },

  table(model, state) {
    return transferTable(model, state, [num('k'), 'route'], (round, t) => [t.k, t.routed ? t.path.map(v => vertexName(model, v)).join(' → ') : 'not known']);
  },
};

// Where the vertices are on a picture of that width, with the margins given: {left, right, top, bottom}.
function placeVertices(model, layout, width, height, margins) {
  const minX = Math.min(...layout.x), maxX = Math.max(...layout.x), minY = Math.min(...layout.y), maxY = Math.max(...layout.y);
  const wide = Math.max(maxX - minX, 0.001), high = Math.max(maxY - minY, 0.001), aside = margins.left + margins.right, above = margins.top + margins.bottom;
  const most = Math.max(height, layout.x.length > 300 ? 620 : 0);
  let scale = Math.min((width - aside) / wide, (most - above) / high, 200);
  if (wide < 0.01 && high < 0.01) scale = 1;
  const tall = Math.max(high * scale + above, 160), stretched = STRETCHED.includes(model.network.kind) ? Math.max(scale, Math.min((width - aside) / wide, scale * 1.7, 200)) : scale;
  const left = margins.left + (width - aside - wide * stretched) / 2, top = margins.top + (tall - above - high * scale) / 2;
  const apart = {x: layout.x.map(x => x * stretched), y: layout.y.map(y => y * scale)};
  const radius = Math.max(1.2, Math.min(19, nearest(apart) * 0.3));
  return {width: Math.floor(width), height: Math.ceil(tall), radius,
          x: layout.x.map(x => left + (x - minX) * stretched), y: layout.y.map(y => top + (y - minY) * scale), bend: layout.bend};
}

// The margins that bent wires, with the links and labels beside them, need beyond `base`; null where it is enough.
function overshoot(model, size, base) {
  const wires = model.network.wires || [], beside = 16, over = {left: 0, right: 0, top: 0, bottom: 0};
  for (let i = 0; i < wires.length; i += 2) {
    const u = Math.min(wires[i], wires[i + 1]), v = Math.max(wires[i], wires[i + 1]), bend = size.bend(u, v) * 1.12 / 2;
    if (!bend) continue;
    const x = (size.x[u] + size.x[v]) / 2 + bend * (size.y[v] - size.y[u]), y = (size.y[u] + size.y[v]) / 2 - bend * (size.x[v] - size.x[u]);
    over.left = Math.max(over.left, beside + textWidth('10 000') - x);
    over.right = Math.max(over.right, beside + textWidth('10 000') - (size.width - x));
    over.top = Math.max(over.top, beside + 16 - y);
    over.bottom = Math.max(over.bottom, beside + 16 - (size.height - y));
  }
  if (Object.values(over).every(more => more <= 0)) return null;
  return {left: base + over.left, right: base + over.right, top: base + over.top, bottom: base + over.bottom};
}

// The distance of the nearest vertices, from a sample when there are many.
function nearest(layout) {
  const n = layout.x.length, step = n > 600 ? Math.ceil(n / 200) : 1;
  let best = Infinity;
  for (let i = 0; i < n; i += step) {
    for (let j = 0; j < n; j++) {
      if (layout.x[i] !== layout.x[j] || layout.y[i] !== layout.y[j]) best = Math.min(best, Math.hypot(layout.x[i] - layout.x[j], layout.y[i] - layout.y[j]));
    }
  }
  return Number.isFinite(best) ? best : 1;
}

// Where a link begins and ends on the page: at the rims of its vertices, to the right of its wire in its direction.
function ends(size, u, v) {
  const dx = size.x[v] - size.x[u], dy = size.y[v] - size.y[u], length = Math.hypot(dx, dy) || 1;
  const bend = size.bend(u, v) * (u < v ? 0.9 : 1.12), aside = bend ? 0 : Math.min(4.5, size.radius * 0.4), r = size.radius + 1.5;
  // a bent wire leaves at an angle
  const cos = 1 / Math.hypot(1, 2 * bend), sin = 2 * bend * cos, ux = dx / length, uy = dy / length;
  const ax = ux * cos + uy * sin, ay = uy * cos - ux * sin, bx = ux * cos - uy * sin, by = uy * cos + ux * sin;
  return {x1: size.x[u] + ax * r - uy * aside, y1: size.y[u] + ay * r + ux * aside, x2: size.x[v] - bx * r - uy * aside, y2: size.y[v] - by * r + ux * aside, bend};
}

function curve(size, u, v, bend) {
  const x1 = size.x[u], y1 = size.y[u], x2 = size.x[v], y2 = size.y[v];
  return 'M' + fixed(x1) + ',' + fixed(y1) + 'Q' + fixed((x1 + x2) / 2 + bend * (y2 - y1)) + ',' + fixed((y1 + y2) / 2 - bend * (x2 - x1)) + ' ' + fixed(x2) + ',' + fixed(y2);
}

function distanceToSegment(px, py, at) {
  const dx = at.x2 - at.x1, dy = at.y2 - at.y1, squared = dx * dx + dy * dy || 1;
  const part = Math.max(0, Math.min(1, ((px - at.x1) * dx + (py - at.y1) * dy) / squared));
  return Math.hypot(px - at.x1 - part * dx, py - at.y1 - part * dy);
}

// The nodes of a host: "0–3", "0, 4, 8", "0, 4, …".
function rankList(ranks) {
  const last = ranks[ranks.length - 1];
  if (last - ranks[0] === ranks.length - 1) return ranks[0] + '–' + last;
  return ranks.length > 3 ? ranks[0] + ', ' + ranks[1] + ', …' : ranks.join(', ');
}

function vertexTitle(model, v, sends, receives, failed) {
  if (v >= model.nodes) return vertexName(model, v) + (model.network.names && model.network.names[v].startsWith('host') ? ', without a node' : '');
  if (failed) return 'node ' + v + ' ' + stateText(failed);
  return 'node ' + v + (sends.has(v) && receives.has(v) ? ' sends and receives' : sends.has(v) ? ' sends' : receives.has(v) ? ' receives' : '');
}

function hottestText(model, round) {
  let hot = null;
  for (const link of linkLoads(model, round).values()) {
    if (!hot || link.k > hot.k || (link.k === hot.k && link.words > hot.words)) hot = link;
  }
  if (!hot) return '';
  return 'Hottest link: ' + vertexName(model, hot.from) + ' → ' + vertexName(model, hot.to) + ' carries ' + count(hot.transfers.length, 'transfer') + ', ' + words(hot.words) + '.';
}
