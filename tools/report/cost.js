// SPDX-License-Identifier: MIT
// View 4, cost: what each round is charged and for what; the sum so far beside closed form, critical path and bound.

const MAX_BARS = 200;

// What a round's charge is made of: {key, name, unit, ink, hatch}.  The unit is what one is worth.
const PARTS = [
  {key: 'startups', name: 'start-ups α', unit: 'alpha', ink: 'c0'},
  {key: 'volume', name: 'volume β', unit: 'beta', ink: 'c2'},
  {key: 'longer', name: 'longer routes β', unit: 'beta', ink: 'c4'},
  {key: 'congestion', name: 'congestion β', unit: 'beta', ink: 'c1'},
  {key: 'distance', name: 'distance t_d', unit: 'hop', ink: 'c5'},
  {key: 'compute', name: 'computing τ', unit: 'tau', ink: 'c3'},
];

const costView = {
  id: 'cost', name: 'Cost', key: '4', steps: true,

  why(model) {
    return model.run ? null : absentRun(model, 'costs');
  },

  note(model, state) {
    const notes = [], run = model.run;
    if (state.prices === 'rest') notes.push('Start-ups are left out, so that the rest can be seen.');
    if (!run.closed_form) notes.push('No closed form is known here.');
    if (!run.lower_bound) notes.push('No lower bound is known here.');
    if (!model.page.breakdown) notes.push('The document holds sums of rounds only: volume and congestion are one.');
    const group = barGroup(model);
    if (group > 1) notes.push('Each bar is the sum of ' + count(group, 'round') + '.');
    return notes.join(' ');
  },

  controls(state) {
    return [{label: 'Costs', key: 'prices', values: [['all', 'everything'], ['rest', 'without α']], value: state.prices}];
  },

  size(model, state, width, height) {
    const lines = costLines(model, state), bars = Math.max(Math.ceil(model.rounds.length / barGroup(model)), 1);
    const plot = Math.max(130, Math.min(320, (height - 160) / 2));
    const left = 30 + textWidth(number(Math.round(model.run.cost.time)), 12), right = Math.min(330, Math.max(...lines.map(line => textWidth(line.label, 13)), 60) + 30);
    return {width: Math.max(Math.floor(width), 640), left, right, bars, barTop: 34, barBottom: 34 + plot, lineTop: 118 + plot, lineBottom: 118 + 2 * plot, height: 160 + 2 * plot};
  },

  marks(model) {
    return Math.min(model.rounds.length, MAX_BARS) * 8;
  },

  draw(pen, model, state, size) {
    const group = barGroup(model), sums = [];
    for (let i = 0; i < model.rounds.length; i += group) sums.push(barOf(model, i, Math.min(i + group, model.rounds.length), state));
    const plot = {x1: size.left, x2: size.width - size.right};
    const x = i => plot.x1 + (plot.x2 - plot.x1) * i / size.bars;
    this.drawBars(pen, model, state, size, sums, x);
    this.drawSum(pen, model, state, size, x, group);
  },

  drawBars(pen, model, state, size, sums, x) {
    const most = Math.max(...sums.map(sum => sum.time), 0) || 1;
    const y = d3.scaleLinear().domain([0, most * 1.1]).range([size.barBottom, size.barTop]).nice(5);
    pen.text(size.left, 20, 'What each round is charged' + (state.prices === 'rest' ? ', without α' : ''), {size: 14, weight: 600});
    drawYAxis(pen, y, size.left, size.width - size.right, sums.length > 0);
    sums.forEach((sum, i) => this.drawBar(pen, state, sum, x(i), x(i + 1), y));
    drawXNumbers(pen, sums.map(sum => sum.first === sum.last ? String(sum.first) : sum.first + '–' + sum.last), x, size.barBottom + 18);
    pen.text((x(0) + x(size.bars)) / 2, size.barBottom + 38, 'round', {anchor: 'middle', size: 12, fill: 'soft'});
    const used = PARTS.filter(part => sums.some(sum => sum.parts[part.key] > 0));
    used.forEach((part, i) => {
      const top = size.barTop + 10 + i * 24, at = size.width - size.right + 20;
      pen.rect(at, top, 16, 16, {fill: part.ink});
      if (part.key === 'congestion') hatch(pen, at, top, 16, 16);
      pen.text(at + 24, top + 13, part.name, {size: 13});
    });
    if (sums.length === 0) pen.text(size.left + 12, size.barBottom - 12, 'No round was charged.', {fill: 'soft', size: 14});
  },

  drawBar(pen, state, sum, x1, x2, y) {
    const here = state.round >= sum.first && state.round <= sum.last, wide = Math.min((x2 - x1) * 0.72, 90), left = (x1 + x2 - wide) / 2;
    let at = 0;
    if (here) pen.rect(x1, y.range()[1] - 6, x2 - x1, y.range()[0] - y.range()[1] + 6, {fill: 'wash'});
    pen.rect(x1, y.range()[1] - 6, x2 - x1, y.range()[0] - y.range()[1] + 6, {fill: 'none', pick: 'round:' + sum.first, title: sum.title});
    for (const part of PARTS) {
      const value = sum.parts[part.key];
      if (!value) continue;
      const top = y(at + value), high = y(at) - top;
      pen.rect(left, top, wide, high, {fill: part.ink, title: sum.title + '\n' + part.name + ': ' + number(value), pick: 'round:' + sum.first, data: {part: part.key, bar: sum.first, value}});
      if (part.key === 'congestion') hatch(pen, left, top, wide, high);
      at += value;
    }
    if (textWidth(sum.label, 12) < x2 - x1 + 2) pen.text((x1 + x2) / 2, y(at) - 5, sum.label, {anchor: 'middle', size: 12, weight: here ? 700 : 500, halo: here ? 'wash' : 'bg'});
    if (here) pen.line(x1, y.range()[0] + 1.5, x2, y.range()[0] + 1.5, {stroke: 'accent', width: 3});
  },

  // The time so far as steps, and level lines for the values to compare it with.
  drawSum(pen, model, state, size, x, group) {
    const lines = costLines(model, state), end = lines[0].time, kept = keptPart(state);
    const y = d3.scaleLinear().domain([0, Math.max(end, ...lines.map(line => line.time)) || 1]).range([size.lineBottom, size.lineTop]).nice(5);
    const right = size.width - size.right;
    pen.text(size.left, size.lineTop - 20, 'The time so far' + (state.prices === 'rest' ? ', without α' : ''), {size: 14, weight: 600});
    drawYAxis(pen, y, size.left, right, end > 0 || lines.some(line => line.time > 0));
    const placed = spread(lines.map(line => y(line.time) + 4.5), 17, size.lineTop + 4, size.lineBottom + 6);
    lines.forEach((line, i) => {
      pen.line(size.left, y(line.time), right, y(line.time), {stroke: line.ink, width: BOUND.width, dash: line.dash, title: line.label, data: {line: line.key, time: line.time}});
      pen.line(right, y(line.time), right + 14, placed[i] - 4.5, {stroke: line.ink, width: 1});
      pen.text(right + 18, placed[i], line.label, {size: 13, fill: line.ink});
    });
    let path = 'M' + fixed(size.left) + ',' + fixed(y(0));
    model.rounds.forEach((round, i) => {
      path += 'L' + fixed(x((i + 0.5) / group)) + ',' + fixed(y(timeOf(kept(round.total), model.prices)));
    });
    if (model.rounds.length) pen.path(path, {stroke: 'accent', width: 2});
    const here = model.rounds[state.round - 1];
    const at = {x: here ? x((state.round - 0.5) / group) : size.left, y: y(here ? timeOf(kept(here.total), model.prices) : 0), total: here ? kept(here.total) : null};
    pen.circle(at.x, at.y, 6, {fill: 'accent', stroke: 'bg', width: 2});
    const text = at.total ? formula(at.total) + ' = ' + number(timeOf(at.total, model.prices)) : '0', early = at.x < (size.left + right) / 2, low = at.y + 22 > size.lineBottom;
    const last = model.rounds.findLast((round, i) => x((i + 0.5) / group) < at.x + 10 + 8 * text.length); // the curve below the text
    pen.text(at.x + (early ? 10 : -10), early && low && last ? y(timeOf(kept(last.total), model.prices)) - 14 : at.y + (early && !low ? 18 : -10), text, {anchor: early ? 'start' : 'end', size: 13, weight: 700, fill: 'accent', halo: 'bg'});
    pen.text((size.left + right) / 2, size.lineBottom + 34, 'after the round', {anchor: 'middle', size: 12, fill: 'soft'});
    drawXNumbers(pen, d3.range(size.bars).map(i => String(Math.min((i + 1) * group, model.rounds.length))).slice(0, model.rounds.length), x, size.lineBottom + 17);
  },

  hit(model, state, size, px) {
    const i = Math.floor((px - size.left) / (size.width - size.right - size.left) * size.bars);
    return i >= 0 && i < model.rounds.length ? 'round:' + (i * barGroup(model) + 1) : null;
  },

  legend() {
    return [];
  },

  summary(model, state) {
    const run = model.run, parts = ['Cost of ' + titleOf(model) + ': ' + formula(run.cost) + ' = ' + number(run.cost.time) + '.'];
    for (const line of costLines(model, state).slice(1)) parts.push(capital(line.label) + '.');
    return parts.join(' ') + ' ' + roundText(model, state.round);
  },

  table(model, state) {
    const used = PARTS.filter(part => model.rounds.some(round => round.parts && round.parts[part.key] > 0));
    return {caption: 'The charges of all rounds, in units of α, β, t_d, τ. ' + costLines(model, state).map(line => line.label).join('; '),
            head: ['round', num('transfers'), num(unit + 's'), num('largest k')].concat(used.map(part => num(part.name)), ['charge', num('time'), 'total', num('time so far')]),
            rows: model.rounds.map(round => ({
              cells: [String(round.number), round.count, round.words, round.k].concat(used.map(part => round.parts[part.key]), [formula(round.charge), round.time, formula(round.total), round.totalTime]),
              pick: 'round:' + round.number, current: round.number === state.round}))};
  },
};

function barGroup(model) {
  return Math.max(1, Math.ceil(model.rounds.length / MAX_BARS));
}

// The sum of the rounds [first, end), by parts, in time.
function barOf(model, first, end, state) {
  const parts = {}, prices = model.prices;
  let cost = {alpha: 0, beta: 0, hop: 0, tau: 0};
  for (const part of PARTS) parts[part.key] = 0;
  for (let i = first; i < end; i++) {
    const round = model.rounds[i];
    cost = addCosts(cost, round.charge);
    const found = round.parts || {startups: round.charge.alpha, volume: round.charge.beta, longer: 0, congestion: 0, distance: round.charge.hop, compute: round.charge.tau};
    for (const part of PARTS) parts[part.key] += found[part.key] * prices[part.unit];
  }
  if (state.prices === 'rest') parts.startups = 0;
  cost = keptPart(state)(cost);
  const time = PARTS.reduce((sum, part) => sum + parts[part.key], 0);
  return {first: first + 1, last: end, parts, time, label: formula(cost), title: (end - first > 1 ? 'rounds ' + (first + 1) + ' to ' + end : 'round ' + (first + 1)) + ': ' + formula(cost) + ' = ' + number(time)};
}

// The part of a cost that is kept: all, or all but the start-ups.
function keptPart(state) {
  return state.prices === 'rest' ? cost => Object.assign({}, cost, {alpha: 0}) : cost => cost;
}

// What the run is compared with: {key, label, time, ink, dash}, the run itself first.
function costLines(model, state) {
  const kept = keptPart(state);
  const run = model.run, lines = [], add = (key, name, cost, after, style) => lines.push(Object.assign({key, label: name + ' ' + formula(kept(cost)) + after, time: timeOf(kept(cost), model.prices)}, style));
  add('run', 'this run', run.cost, '', {ink: 'accent', dash: '1 3'});
  if (run.closed_form) add('closed_form', 'closed form', run.closed_form, run.failure ? '' : run.closed_form.equal ? ', equal' : ', not equal', {ink: run.failure ? 'soft' : run.closed_form.equal ? 'good' : 'bad', dash: '10 4'});
  if (run.critical_path) add('critical_path', 'critical path', run.critical_path, '', {ink: 'c4', dash: '2 4'});
  if (run.lower_bound) add('lower_bound', 'lower bound', run.lower_bound, '', {ink: BOUND.stroke, dash: BOUND.dash});
  return lines;
}

function hatch(pen, x, y, width, height) {
  let path = '';
  for (let at = -height; at < width; at += 8) {
    const from = Math.max(at, 0), to = Math.min(at + height, width);
    if (to > from) path += 'M' + fixed(x + from) + ',' + fixed(y + height - (from - at)) + 'L' + fixed(x + to) + ',' + fixed(y + height - (to - at));
  }
  if (path) pen.path(path, {stroke: 'bg', width: 1.5});
}

function drawYAxis(pen, y, x1, x2, any) {
  for (const tick of any ? y.ticks(5) : [0]) {
    pen.line(x1, y(tick), x2, y(tick), {stroke: 'faint'});
    pen.text(x1 - 8, y(tick) + 4, number(tick), {anchor: 'end', size: 12, fill: 'soft'});
  }
}

// Numbers below the bars, as many as there is room for.
function drawXNumbers(pen, labels, x, y) {
  const widest = Math.max(...labels.map(label => textWidth(label, 12)), 1), every = Math.max(1, Math.ceil((widest + 8) / (x(1) - x(0))));
  const last = labels.length - 1, full = last % every === 0 || last % every >= every * 0.7; // the last has its number, too
  labels.forEach((label, i) => {
    if (i === last || (i % every === 0 && (full || i + every <= last))) pen.text((x(i) + x(i + 1)) / 2, y, label, {anchor: 'middle', size: 12, fill: 'soft'});
  });
}

// Move labels apart that are nearer than `gap`, keeping their order, between top and bottom.
function spread(wanted, gap, top, bottom) {
  const order = wanted.map((y, i) => i).sort((a, b) => wanted[a] - wanted[b]), placed = wanted.slice();
  let last = top - gap;
  for (const i of order) last = placed[i] = Math.max(placed[i], last + gap);
  last = bottom + gap;
  for (const i of order.reverse()) last = placed[i] = Math.min(placed[i], last - gap);
  return placed;
}
