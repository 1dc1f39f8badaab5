// SPDX-License-Identifier: MIT
// The picture of a network, out of the document of a report: layoutOf is tools/report/layout.js.

const MAX_PICTURED = 256, SVG = 'http://www.w3.org/2000/svg';

function makeElement(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return made;
}

// Fill the box with the network's picture, and with the cycle in which nodes wait for each other; gives its description in words.
function drawNetwork(box, network, cycle) {
  const vertices = network.nodes + network.switches, wires = network.wires || [];
  const words = `${network.name}: ${network.nodes} nodes` + (network.switches ? `, ${network.switches} switches` : '') + `, ${network.links} links`;
  box.replaceChildren();
  box.setAttribute('aria-label', words);
  if (vertices > MAX_PICTURED || (network.kind === 'full' && network.nodes > 48)) return words + ' (too many to draw)';
  const {x, y, bend} = layoutOf(network);
  const left = Math.min(...x), top = Math.min(...y), wide = Math.max(...x) - left, high = Math.max(...y) - top;
  const unit = 36, radius = vertices > 64 ? 7 : 11, margin = radius + 14;
  const svg = makeElement('svg', {viewBox: `0 0 ${wide * unit + 2 * margin} ${high * unit + 2 * margin}`}, box);
  const at = v => [(x[v] - left) * unit + margin, (y[v] - top) * unit + margin];
  for (let i = 0; i + 1 < wires.length; i += 2) {
    const [ax, ay] = at(wires[i]), [bx, by] = at(wires[i + 1]), turn = 2 * bend(wires[i], wires[i + 1]);
    makeElement('path', {class: 'wire', d: `M${ax} ${ay}Q${(ax + bx) / 2 + (by - ay) * turn} ${(ay + by) / 2 - (bx - ax) * turn} ${bx} ${by}`}, svg);
  }
  for (let v = 0; v < vertices; v++) {
    const [cx, cy] = at(v);
    if (v >= network.nodes) {
      makeElement('rect', {class: 'switch', x: cx - radius / 2, y: cy - radius / 2, width: radius, height: radius}, svg);
      continue;
    }
    makeElement('circle', {class: 'vertex', cx, cy, r: radius}, svg);
    if (vertices <= 64) makeElement('text', {x: cx, y: cy, 'font-size': v > 9 ? 10 : 12}, svg).textContent = v;
  }
  if (cycle.length < 2 || cycle.some(v => v >= network.nodes)) return words;
  const marker = makeElement('marker', {id: 'waits', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 3.5, markerHeight: 3.5, orient: 'auto-start-reverse'}, svg);
  makeElement('path', {class: 'head', d: 'M0 0L8 4L0 8z'}, marker);
  const behind = makeElement('g', {}, svg); // the nodes stay legible
  svg.insertBefore(behind, svg.querySelector('.vertex'));
  for (let i = 0; i + 1 < cycle.length; i++) {
    const [ax, ay] = at(cycle[i]), [bx, by] = at(cycle[i + 1]), long = Math.hypot(bx - ax, by - ay) || 1, cut = (radius + 2) / long;
    makeElement('path', {class: 'waits', 'marker-end': 'url(#waits)', d: `M${ax + (bx - ax) * cut} ${ay + (by - ay) * cut}Q${(ax + bx) / 2 + (by - ay) * 0.22} ${(ay + by) / 2 - (bx - ax) * 0.22} ${bx - (bx - ax) * cut} ${by - (by - ay) * cut}`}, behind);
  }
  const told = words + ', in a deadlock: ' + cycle.join(' → ') + ', each waits for the next';
  box.setAttribute('aria-label', told);
  return told;
}
