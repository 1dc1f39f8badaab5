// SPDX-License-Identifier: MIT
// View 1, space-time: a line for every node, a band for every round, an arrow for every transfer.

const MAX_ARROWS = 20000; // beyond, arrows join groups of nodes
const MAX_BANDS = 400; // of one picture; of more rounds those around the cursor are shown
const MAX_LINES = 2048; // of nodes; beyond too
const GROUPS = 64;

const spaceTimeView = {
  id: 'time', name: 'Space-time', key: '1', steps: true,

  why(model) {
    return model.run ? null : absentRun(model, 'rounds');
  },

  note(model, state) {
    const notes = [];
    if (model.page.reduced) notes.push(capital(model.page.reduced) + '.');
    if (!model.known && model.rounds.length) notes.push('Single transfers are not in the document: a bar is as high as the round has transfers.');
    const bands = this.bands(model, state);
    if (bands.first > 0 || bands.end < model.rounds.length) {
      notes.push('Rounds ' + (bands.first + 1) + ' to ' + bands.end + ' of ' + number(model.rounds.length) + ' are shown, those around the cursor.');
    }
    if (groupSize(model) > 1) {
      notes.push('Many transfers: each arrow joins groups of ' + count(groupSize(model), 'node') + ', as wide as there are transfers between them.');
    } else if (model.nodes > 128) {
      notes.push('With so many nodes lines and arrows overlap; the table and view 2 tell them apart.');
    }
    if (model.critical.why) notes.push(capital(model.critical.why) + '.');
    if (!model.observed.waits) notes.push('The document does not say which nodes waited or computed in a round; a thin line has no transfer.');
    return notes.join(' ');
  },

  controls(state) {
    return [
      {label: 'Width of a round', key: 'width', values: [['equal', 'equal'], ['charge', 'by charge']], value: state.width},
      {label: 'Critical path', key: 'critical', values: [['on', 'on'], ['off', 'off']], value: state.critical},
    ];
  },

  // Which rounds have a band, [first, end), with their places and widths.
  bands(model, state) {
    const all = model.rounds.length;
    let first = 0, end = all;
    if (all > MAX_BANDS) {
      first = state.round === 'all' ? 0 : Math.max(0, Math.min(state.round - MAX_BANDS / 2, all - MAX_BANDS));
      end = first + MAX_BANDS;
    }
    return {first, end};
  },

  size(model, state, width, height) {
    const bands = this.bands(model, state), shown = bands.end - bands.first;
    const failed = model.failure ? Math.max(...model.failure.nodes.map(node => textWidth(failureText(node, model.failure), 12)), 150) + 24 : 0;
    const waits = model.failure ? waitsOf(model.failure, model.nodes).filter(each => each.cycle) : [];
    const cycle = waits.length ? 16 + bulge(height) : 0, lines = headLines(model);
    const left = 26 + textWidth(model.nodes - 1) + textWidth('node '), right = 24 + failed + cycle, works = (model.observed.compute || []).some(round => round.length), top = (lines <= 3 ? 68 : 83) + (works ? 12 : 0), bottom = 20;
    const room = Math.max(width - left - right - 2, 200);
    const row = Math.max(Math.min((height - top - bottom - 10) / model.nodes, 60), model.nodes <= 32 ? 16 : model.nodes <= 128 ? 8 : 700 / model.nodes);
    const total = model.rounds.slice(bands.first, bands.end).reduce((sum, round) => sum + round.time, 0);
    const least = !model.known ? 3 : shown > 60 ? 16 : 74, starts = [];
    let x = left;
    for (let i = bands.first; i < bands.end; i++) {
      let wide = Math.max(room / Math.max(shown, 1), least);
      if (state.width === 'charge') {
        const scaled = room * model.rounds[i].time / (total || 1);
        wide = Math.max(scaled, shown > 60 ? 4 : 16);
      } else {
        wide = Math.min(wide, 380);
      }
      starts.push({x, wide});
      x += wide;
    }
    return {width: Math.max(Math.ceil(x + right), 320), height: Math.ceil(top + row * Math.max(model.nodes - 1, 0.5) + bottom + row / 2),
            left, top, row, right: x, starts, first: bands.first, end: bands.end, failed, waits};
  },

  marks(model) {
    return model.nodes * 2 + Math.min(model.transferCount * 3, MAX_ARROWS * 3);
  },

  draw(pen, model, state, size) {
    const y = node => size.top + node * size.row;
    const bottom = y(model.nodes - 1) + Math.max(size.row / 2, 10);
    for (let i = size.first; i < size.end; i++) this.drawBand(pen, model, state, size, model.rounds[i], bottom);
    for (let i = size.first; i < size.end; i++) this.drawBandHead(pen, model, state, size, model.rounds[i]);
    this.drawNodes(pen, model, size, y);
    for (let i = size.first; i < size.end; i++) this.drawRound(pen, model, state, size, model.rounds[i], y);
    if (model.rounds.length === 0 && !model.failure) pen.text(size.left + 12, size.top - 14, 'No round: nothing was sent.', {fill: 'soft', size: 14});
    if (model.failure) this.drawFailure(pen, model, size, y, bottom);
  },

  drawBand(pen, model, state, size, round, bottom) {
    const at = size.starts[round.number - 1 - size.first], here = round.number === state.round;
    const top = 6;
    pen.rect(at.x, top, at.wide, bottom - top, {fill: here ? 'wash' : 'bg', pick: 'round:' + round.number, title: roundText(model, round.number),
                                                data: {round: round.number}});
    pen.line(at.x, top, at.x, bottom, {stroke: 'faint'});
    if (round.number === size.end) pen.line(at.x + at.wide, top, at.x + at.wide, bottom, {stroke: 'faint'});
    if (here) pen.rect(at.x, top, Math.max(at.wide, 2), 4, {fill: 'accent'});
  },

  // Above the band of a round: number, charge, k.
  drawBandHead(pen, model, state, size, round) {
    const at = size.starts[round.number - 1 - size.first], here = round.number === state.round, middle = at.x + at.wide / 2, top = 6;
    const need = textWidth(model.rounds.length, 14) + 12, every = [1, 2, 5, 10, 20, 50, 100, 200].find(step => step * at.wide >= need) || 500;
    if (!here && round.number % every !== 0 && every > 1) return;
    if (!here && every > 1 && Math.abs(round.number - state.round) < every * 0.8) return;
    pen.text(middle, top + 20, (at.wide > 90 ? 'Round ' : '') + round.number, {anchor: 'middle', weight: here ? 700 : 600, size: 14, halo: here ? 'wash' : 'bg'});
    const charge = formula(round.charge);
    if (textWidth(charge, 12) < at.wide + 4) pen.text(middle, top + 37, charge, {anchor: 'middle', size: 12, fill: 'soft'});
    let line = top + 52;
    if (round.each !== null && named(round, size, at)) {
      const texts = [words(round.each) + ' each', 'each ' + number(round.each), number(round.each)].find(each => textWidth(each, 12) < at.wide - 2);
      if (texts) {
        pen.text(middle, line, texts, {anchor: 'middle', size: 12, fill: 'soft', data: {each: round.each}});
        line += 15;
      }
    }
    if (round.k > 1 && at.wide > 30) pen.text(middle, line, 'k = ' + round.k, {anchor: 'middle', size: 12, weight: 700, fill: kInk(round.k)});
    else if (round.transfers === null && at.wide > 100) pen.text(middle, line, count(round.count, 'transfer'), {anchor: 'middle', size: 12, fill: 'soft'});
  },

  drawNodes(pen, model, size, y) {
    const every = Math.max(1, 2 ** Math.ceil(Math.log2(15 / Math.max(size.row, 0.01))));
    for (let node = 0; node < model.nodes; node++) {
      if (node % every === 0) pen.text(size.left - 12, y(node) + 4.5, (node === 0 ? 'node ' : '') + node, {anchor: 'end', size: 13});
      if (size.row >= 2 || node % every === 0) pen.line(size.left - 6, y(node), size.right + 6, y(node), {stroke: size.row < 2 ? 'faint' : 'line'});
    }
  },

  drawRound(pen, model, state, size, round, y) {
    const at = size.starts[round.number - 1 - size.first];
    const past = round.number < state.round, future = round.number > state.round;
    const opacity = past ? 0.8 : future ? 0.3 : 1;
    if (round.transfers === null) {
      // only sums are known: a bar, as high as the round has transfers
      const most = Math.max(...model.rounds.map(each => each.count), 1), span = (model.nodes - 1) * size.row, high = span * round.count / most;
      pen.rect(at.x + at.wide * 0.15, y(0) + span - high, at.wide * 0.7, high, {fill: kInk(round.k), opacity: opacity * 0.6, pick: 'round:' + round.number, title: roundText(model, round.number), data: {sum: round.count}, means: kMeans(round.k)});
      return;
    }
    const group = groupSize(model);
    if (group > 1) {
      drawGroups(pen, model, round, at, y, group, opacity);
      return;
    }
    const places = makePlaces(), gap = Math.min(10, at.wide * 0.1);
    this.drawWork(pen, model, round, at, y, size, opacity, places);
    if (state.critical === 'on') {
      for (const t of round.transfers) {
        if (isCritical(model, round, t)) {
          pen.line(at.x + gap, y(t.from), at.x + at.wide - gap, y(t.to), {stroke: 'critical', width: kWidth(t.k) + 7, cap: 'round', opacity: future ? 0.4 : 0.85, means: 'critical',
                                                                       data: {critical: (round.number - 1) + ',' + t.index}});
        }
      }
    }
    for (const t of round.transfers) {
      const chosen = !past && !future && state.transfer === t.index;
      const style = {stroke: chosen ? 'chosen' : kInk(t.k), width: size.row < 4 ? (size.row < 1.5 ? 0.3 : 0.7) + (t.k > 1 ? 0.5 : 0) : kWidth(t.k) + (chosen ? 2 : 0), opacity: chosen ? 1 : opacity,
                     title: 'round ' + round.number + ': ' + transferText(model, t), pick: 'transfer:' + round.number + ':' + t.index,
                     data: {transfer: round.number + ':' + t.index}, means: kMeans(t.k)};
      if (t.from === t.to) {
        pen.path('M' + fixed(at.x + gap) + ',' + fixed(y(t.from)) + 'q' + fixed(at.wide / 2 - gap) + ',' + fixed(-size.row * 0.9) + ' ' + fixed(at.wide - 2 * gap) + ',0', style);
      } else if (size.row < 4) {
        pen.line(at.x + gap, y(t.from), at.x + at.wide - gap, y(t.to), style);
      } else {
        drawArrow(pen, at.x + gap, y(t.from), at.x + at.wide - gap, y(t.to), style);
      }
    }
    if (named(round, size, at)) this.drawWords(pen, state, size, round, at, gap, y, opacity, places);
  },

  // The words of each transfer on its arrow, where they differ, and its k, where not all have the same.  The free place
  // nearest to the sender is taken, so that the labels of crossing arrows stay apart.
  drawWords(pen, state, size, round, at, gap, y, opacity, places) {
    const here = round.number === state.round, isChosen = t => here && state.transfer === t.index;
    const sameK = round.transfers.every(t => t.k === round.k), wide = at.wide - 2 * gap;
    const order = round.transfers.slice().sort((a, b) => isChosen(b) - isChosen(a) || b.k - a.k || a.index - b.index);
    for (const t of order) {
      const text = [round.each === null ? number(t.words) : '', t.k > 1 && !(sameK && round.count > 1) ? '×' + t.k : ''].filter(part => part).join(' ');
      if (!text || textWidth(text, 12) > wide * 0.6) continue;
      const part = [0.27, 0.2, 0.34, 0.13, 0.42, 0.5, 0.6, 0.7, 0.8].find(each =>
        places.take(at.x + gap + each * wide, y(t.from) + each * (y(t.to) - y(t.from)) - 5, text, 12));
      if (part === undefined) continue;
      pen.text(at.x + gap + part * wide, y(t.from) + part * (y(t.to) - y(t.from)) - 5, text, {anchor: 'middle', size: 12, weight: t.k > 1 ? 700 : 500, fill: isChosen(t) ? 'chosen' : kInk(t.k),
        halo: here ? 'wash' : 'bg', opacity: Math.max(opacity, 0.45), data: {words: round.number + ':' + t.index}});
    }
  },

  // Who waited, and who computed, where an observer saw it.
  drawWork(pen, model, round, at, y, size, opacity, places) {
    const thick = Math.min(6, size.row * 0.5);
    for (const [rank, what, peer] of (model.observed.waits || [])[round.number - 1] || []) {
      pen.line(at.x + 2, y(rank), at.x + at.wide - 2, y(rank), {stroke: 'k2', width: Math.max(thick * 0.6, 0.8), dash: '3 3', opacity,
                                                               title: 'node ' + rank + ' waits' + (what === 'rest' ? '' : ' to ' + what) + (peer >= 0 ? ', node ' + peer : ''), data: {waits: rank}, means: 'waits'});
    }
    for (const [rank, operations] of (model.observed.compute || [])[round.number - 1] || []) {
      const wide = Math.min(30, at.wide * 0.3);
      pen.rect(at.x + at.wide - wide - 2, y(rank) - thick / 2, wide, Math.max(thick, 1), {fill: 'good', opacity, title: 'node ' + rank + ' computes ' + count(operations, 'operation'), data: {compute: rank}, means: 'compute'});
      const text = number(operations) + 'τ';
      if (size.row >= 20 && at.wide >= 100 && textWidth(text, 11) < at.wide * 0.4 && places.take(at.x + at.wide - 4 - textWidth(text, 11) / 2, y(rank) - thick, text, 11)) pen.text(at.x + at.wide - 4, y(rank) - thick, text, {anchor: 'end', size: 11, fill: 'good', halo: 'bg', opacity});
    }
  },

  // Behind the last round: what the unfinished nodes were doing, and where.
  drawFailure(pen, model, size, y, bottom) {
    const x = size.right + 12, stuck = new Set(model.failure.cycle || []);
    pen.text(x, size.top - 36, model.failure.kind, {size: 14, weight: 700, fill: 'bad'});
    pen.text(x, size.top - 19, count(model.failure.nodes.length, 'node') + ' had not finished' + (model.rounds.length ? '' : ', in no round'), {size: 12, fill: 'soft'});
    const high = Math.min(size.row - 4, 26), every = Math.max(1, Math.ceil(14 / size.row));
    model.failure.nodes.forEach((node, i) => {
      if (size.row < 3) {
        pen.line(x, y(node.rank), x + 40, y(node.rank), {stroke: 'bad', width: 1, means: 'failed'});
        return;
      }
      const wide = size.failed - 24;
      if (high >= 12) {
        pen.rect(x, y(node.rank) - high / 2, wide, high, {fill: 'bg', stroke: 'bad', width: stuck.has(node.rank) ? 2.5 : 1.2, dash: stuck.has(node.rank) ? undefined : '4 3', radius: 4, title: 'node ' + node.rank + ' ' + stateText(node), data: {failed: node.rank}, means: 'failed'});
        pen.text(x + 8, y(node.rank) + 4, failureText(node, model.failure), {size: 12});
      } else {
        pen.rect(x, y(node.rank) - 2, 8, 4, {fill: 'bad', title: 'node ' + node.rank + ' ' + stateText(node), data: {failed: node.rank}, means: 'failed'});
        if (i % every === 0) pen.text(x + 14, y(node.rank) + 4, failureText(node, model.failure), {size: 11});
      }
    });
    for (const wait of size.waits) this.drawWait(pen, size, wait, x + size.failed - 22, y);
  },

  // An edge of the cycle of a deadlock: from the node that waits, outside round the boxes, to the one it waits for.
  drawWait(pen, size, wait, x, y) {
    const down = wait.to > wait.from ? 1 : -1, aside = Math.min(4, size.row * 0.2) * down;
    const y1 = y(wait.from) + aside, y2 = y(wait.to) - aside, away = Math.abs(y2 - y1);
    drawArrow(pen, x, y1, x, y2, {stroke: 'bad', width: size.row < 8 ? 1.2 : 2.2, dash: '5 4', title: 'node ' + wait.from + ' waits for node ' + wait.to,
                                  data: {cycle: wait.from + ',' + wait.to}, means: 'cycle'}, 2 * down * bulge(away) / Math.max(away, 1));
  },

  hit(model, state, size, px, py) {
    const i = size.starts.findIndex(at => px >= at.x && px < at.x + at.wide);
    if (i < 0) return null;
    const round = model.rounds[size.first + i], at = size.starts[i];
    let best = null, near = 8;
    for (const t of round.transfers || []) {
      const part = (px - at.x) / at.wide, y = size.top + (t.from + part * (t.to - t.from)) * size.row;
      if (Math.abs(y - py) < near) {
        near = Math.abs(y - py);
        best = t;
      }
    }
    return best && groupSize(model) === 1 ? 'transfer:' + round.number + ':' + best.index : 'round:' + round.number;
  },

  legend(model) {
    const cycle = model.failure && model.failure.cycle && model.failure.cycle.length;
    return [['line', 'k1', 1.8, model.known ? 'a transfer' : 'the transfers of a round', 'k1'], ['line', 'k2', 2.9, 'two share a link (×2)', 'k2'], ['line', 'k3', 4, 'three or more share a link (×k)', 'k3'],
            ['line', 'critical', 8, 'critical path', 'critical'], ['dash', 'k2', 3, 'waits', 'waits'], ['line', 'good', 5, 'computes', 'compute'],
            ['box', 'bad', 2, 'had not finished' + (cycle ? '; on the cycle: thick' : ''), 'failed'], ['dash', 'bad', 2.2, 'waits for, on the cycle', 'cycle']];
  },

  summary(model, state) {
    return 'Space-time diagram of ' + titleOf(model) + ': ' + count(model.nodes, 'node') + ', ' + count(model.rounds.length, 'round') + ', ' +
           count(model.transferCount, 'transfer') + ', largest k ' + model.largestK + '. ' + roundText(model, state.round) +
           (model.failure ? ' The run failed: ' + model.failure.message : '');
  },

  table(model, state) {
    return transferTable(model, state, [num('k'), 'critical'], (round, t) => [t.k, isCritical(model, round, t) ? 'critical' : '']);
  },
};

// Behind the name of a failed node.
// What a node was doing; for a node of the cycle that waits for two, also the other one, to which its arrow leads.
function failureText(node, failure) {
  const text = node.for || node.file ? stateText(node) : node.state, cycle = (failure && failure.cycle) || [], at = cycle.indexOf(node.rank);
  const next = at < 0 ? node.peer : cycle[(at + 1) % cycle.length];
  return node.for && node.peer >= 0 && next !== node.peer ? text + ', and for node ' + next : text;
}

// How far from the boxes an edge of the cycle runs if it spans `away` pixels.
function bulge(away) {
  return Math.min(12 + away * 0.14, 70);
}

// Whether a round's transfers are labelled, on their arrows or once in the head.
function named(round, size, at) {
  return round.transfers !== null && round.count <= 16 && size.row >= 16 && at.wide >= 70;
}

// The most lines that the head of a band has: number, charge, words of each, k.
function headLines(model) {
  return 2 + (model.rounds.some(round => round.each !== null) ? 1 : 0) + (model.rounds.some(round => round.k > 1) ? 1 : 0);
}

// How many nodes an arrow's end stands for.
function groupSize(model) {
  const many = model.transferCount > MAX_ARROWS || model.nodes > MAX_LINES;
  return model.known && many && model.nodes > GROUPS ? Math.ceil(model.nodes / GROUPS) : 1;
}

function drawGroups(pen, model, round, at, y, group, opacity) {
  const between = new Map();
  for (const t of round.transfers) {
    const key = Math.floor(t.from / group) * GROUPS * 2 + Math.floor(t.to / group);
    const sum = between.get(key) || {count: 0, k: 0};
    sum.count++;
    sum.k = Math.max(sum.k, t.k);
    between.set(key, sum);
  }
  for (const [key, sum] of between) {
    const from = Math.floor(key / (GROUPS * 2)) * group + group / 2, to = key % (GROUPS * 2) * group + group / 2;
    pen.line(at.x + 4, y(from), at.x + at.wide - 4, y(to), {stroke: kInk(sum.k), width: Math.min(1 + 3 * sum.count / group, 5), opacity: opacity * 0.8, means: kMeans(sum.k)});
  }
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// Why there is nothing to draw in a view of rounds.
function absentRun(model, what) {
  const doc = model.doc;
  const hint = doc.collective ? ' One algorithm run by itself has them: peal run ' + doc.collective + '/ALGORITHM -p ' + (doc.nodes || 8) + ' --json=run.json, then peal report run.json -o run.html.' : '';
  return 'This page was made from a document ' + doc.schema + ', which holds no ' + what + ' of a single run.' + hint;
}

// "Round 2 of 3: 2 transfers of 8 words, largest k 1, charge α + 8β, total 2α + 24β."; of transfers that differ their sum.
function roundText(model, at) {
  const all = model.rounds.length;
  if (at === 'all') return '';
  if (at === 0) return all === 0 ? 'No round' : 'Before round 1 of ' + number(all);
  const round = model.rounds[at - 1];
  return 'Round ' + number(at) + ' of ' + number(all) + ': ' + count(round.count, 'transfer') + (round.count ? wordsText(round) + ', largest k ' + round.k : '') +
         ', charge ' + formula(round.charge) + ', total ' + formula(round.total) + '.';
}

function wordsText(round) {
  if (round.count === 1 || round.each !== null) return ' of ' + words(round.each === null ? round.words : round.each);
  return ', ' + words(round.words) + ' in all';
}

// "0 → 5: 4 words, 3 hops, k = 2".
function transferText(model, t) {
  return t.from + ' → ' + t.to + ': ' + words(t.words) + ', ' + count(t.hops, 'hop') + ', k = ' + t.k + (t.call ? ', ' + t.call : '');
}

// A table of the round's transfers, with further columns of the view.
function transferTable(model, state, head, cells) {
  const round = model.rounds[state.round - 1];
  if (!round || round.transfers === null) {
    return {caption: 'The rounds of the run', head: ['round', num('transfers'), num(unit + 's'), num('largest k'), 'charge', 'total'],
            rows: model.rounds.map(each => ({cells: [String(each.number), each.count, each.words, each.k, formula(each.charge), formula(each.total)],
                                             pick: 'round:' + each.number, current: each.number === state.round}))};
  }
  const called = round.transfers.some(t => t.call);
  return {caption: 'The transfers of round ' + round.number,
          head: ['transfer', num('from'), num('to'), num(unit + 's'), num('hops')].concat(head, called ? ['calls'] : []),
          rows: round.transfers.map(t => ({cells: [String(t.index + 1), String(t.from), String(t.to), t.words, t.hops].concat(cells(round, t), called ? [t.call] : []),
                                           pick: 'transfer:' + round.number + ':' + t.index, current: state.transfer === t.index}))};
}
