// SPDX-License-Identifier: MIT
// View 5, compare: for a comparison a bar for every algorithm; for a sweep a line for every algorithm on log-log axes, with
// the bound and the crossovers, and over sizes and nodes a map of the best algorithms.

const BLOCK_COLLECTIVES = ['scatter', 'gather', 'allgather', 'reduce-scatter', 'alltoall'];
const COST_PARTS = [['startups', 'alpha'], ['volume', 'beta'], ['distance', 'hop'], ['compute', 'tau']]; // of a whole run's cost
const COLOURS = 15; // c0 to c14 of page.css
const DASHES = [undefined, '8 3', '2 3', '10 3 2 3'];
const SYMBOLS = ['symbolCircle', 'symbolSquare', 'symbolTriangle', 'symbolDiamond', 'symbolCross', 'symbolStar', 'symbolWye'];

const compareView = {
  id: 'compare', name: 'Compare', key: '5', steps: true,

  why(model) {
    if (model.kind === 'compare' || model.kind === 'sweep') return null;
    if (model.kind === 'check') return 'This page was made from a document ' + model.doc.schema + '; see view 6, Check.';
    const run = model.run, size = run.block_words ? ' -m ' + run.block_words : run.vector_words ? ' -n ' + run.vector_words : '';
    const name = run.collective || 'COLLECTIVE';
    return 'This page shows one run. To compare the algorithms: peal compare ' + name + ' -p ' + run.nodes + size + (run.topology ? ' -t ' + placedNetwork(run) : '') +
           ' --json=compare.json, or over sizes: peal sweep ' + name + ' -p ' + run.nodes + ' --json=sweep.json; then peal report on that file.';
  },

  note(model, state) {
    const notes = [];
    if (measuredIn(model)) notes.push('The points with whiskers are the clock’s, in µs: the median, from the least to the most. The model’s times are in µs too where its α and β are (peal fit tells them).');
    if (model.kind === 'compare') {
      if (model.doc.excluded.length) notes.push('Excluded: ' + model.doc.excluded.map(each => each.algorithm + ' (' + each.reason + ')').join('; ') + '.');
      return notes.join(' ');
    }
    const sweep = sweepOf(model), doc = model.doc;
    if (!doc.lower_bound && !doc.points.some(point => point.lower_bound)) notes.push('No lower bound is known here.');
    if (sweep.map) notes.push('On the map the cursor is the number of nodes; below are the lines of that column.');
    notes.push(doc.crossovers.length ? 'Crossovers are solved in whole numbers from the closed forms.' : 'No crossover is solved here: one algorithm is best at all sizes, or a closed form is missing.');
    notes.push(...absentTexts(model, sweep, sweep.map ? sweep.nodes[state.round - 1] : null));
    return notes.join(' ');
  },

  controls() {
    return [];
  },

  size(model, state, width, height) {
    const wide = Math.max(Math.floor(width), 720);
    if (model.kind === 'compare') {
      const names = Math.max(...model.doc.algorithms.map(each => textWidth(compareName(each), 13)), 80);
      return {width: wide, height: 86 + Math.max(model.doc.algorithms.length, 1) * 34, left: names + 28, right: 290, top: 62, row: 34};
    }
    const sweep = sweepOf(model), labels = Math.max(...sweep.names.map(name => textWidth(name + ' (stops)', 13)), 60) + 44;
    const mapHeight = sweep.map ? 74 + sweep.sizes.length * mapRow(sweep) + 26 * Math.ceil(sweep.winners.length / 4) : 0;
    const plot = Math.max(height - 120, 17 * sweep.names.length + 20, 300);
    return {width: wide, height: mapHeight + plot + 134, left: 84, right: labels, top: mapHeight + 60, bottom: mapHeight + 60 + plot, mapHeight};
  },

  marks(model) {
    return model.kind === 'compare' ? model.doc.algorithms.length * 8 : model.doc.points.length * 16;
  },

  draw(pen, model, state, size) {
    if (model.kind === 'compare') {
      drawBarsOf(pen, model, state, size);
      return;
    }
    const sweep = sweepOf(model);
    if (sweep.map) drawMap(pen, model, state, size, sweep);
    drawLines(pen, model, state, size, sweep);
  },

  hit() {
    return null;
  },

  legend(model) {
    const parts = COST_PARTS.map(([key]) => PARTS.find(part => part.key === key)).map(part => ['fill', part.ink, 0, part.key === 'volume' ? 'words β, congestion included' : part.name, part.key]);
    return parts.concat([['dash', BOUND.stroke, BOUND.width, 'lower bound', BOUND.means], ['dash', 'accent', 1.5, 'where the best of the closed forms changes', 'crossover'], ['line', 'soft', 2.5, 'the line stops here: see below', 'stop'],
                         ['whisker', 'ink', 1.5, model.kind === 'compare' ? 'measured, µs' : 'measured, µs; hollow, with a dot in it', 'measured']]);
  },

  summary(model, state) {
    const doc = model.doc;
    if (model.kind === 'compare') {
      const best = doc.algorithms[0];
      return titleOf(model) + ': ' + (best ? 'best is ' + best.algorithm + ' with ' + formula(best.cost) + ' = ' + number(best.cost.time) : 'none fits') + '. ' + this.cursorText(model, state);
    }
    return titleOf(model) + ', ' + count(doc.points.length, 'point') + '. ' + crossoverTexts(model, null).join(' ') + ' ' + this.cursorText(model, state);
  },

  cursorText(model, state) {
    if (state.round === 'all') return '';
    if (model.kind === 'compare') {
      const each = model.doc.algorithms[state.round - 1];
      return each ? each.algorithm + ': ' + formula(each.cost) + ' = ' + number(each.cost.time) + ', ' + count(each.rounds, 'round') + ', largest k ' + each.k +
        (each.measured ? ', measured ' + measuredText(each) : '') + (each.ratio ? ', ' + ratioText(each.ratio) + ' times the bound' : '') + (each.wrong ? '; wrong: ' + each.wrong.message : '') : 'No algorithm';
    }
    const sweep = sweepOf(model);
    if (sweep.map) return 'P = ' + sweep.nodes[state.round - 1] + '. ' + crossoverTexts(model, sweep.nodes[state.round - 1]).join(' ');
    const point = sweep.columns[0].points[state.round - 1];
    if (!point) return '';
    const best = point.algorithms.find(each => each.algorithm === point.best);
    return sweep.unit + ' = ' + number(xOf(sweep, point)) + ': ' + (best ? 'best is ' + best.algorithm + ' with ' + formula(best.cost) + ' = ' + number(best.cost.time) + (best.measured ? ', measured ' + measuredText(best) : '') : 'no cost is known') + '.';
  },

  steps_(model) {
    if (model.kind === 'compare') return model.doc.algorithms.length;
    const sweep = sweepOf(model);
    return sweep.map ? sweep.nodes.length : sweep.columns[0].points.length;
  },

  table(model, state) {
    const doc = model.doc, measured = measuredIn(model);
    if (model.kind === 'compare') {
      return {caption: titleOf(model) + ', the cheapest first', head: ['algorithm', num('rounds'), num('transfers'), num('words'), num('largest k'), 'cost', num('time')].concat(measured ? [num('measured, µs')] : [], [num('times the bound'), 'closed form', 'data']),
              rows: doc.algorithms.map((each, i) => ({cells: [compareName(each), each.rounds, each.transfers, each.words, each.k, formula(each.cost), each.cost.time].concat(measured ? [measuredText(each)] : [], [each.ratio === null ? '–' : ratioText(each.ratio),
                each.closed_form ? (each.closed_form.text || 'round by round') + (each.closed_form.equal === false ? ', not equal' : each.closed_form.equal && !each.wrong ? ', equal' : '') : 'not known', each.wrong ? each.wrong.message : each.verified ? 'verified' : 'not verified']), pick: 'round:' + (i + 1), current: state.round === i + 1}))};
    }
    const sweep = sweepOf(model);
    return {caption: 'The times of all points; the best has a *. ' + crossoverTexts(model, null).join(' '),
            head: [num('P'), num('m'), num('n'), 'best'].concat(sweep.names.map(num), [num('bound')], measured ? sweep.names.map(name => num(name + ' measured, µs')) : []),
            rows: doc.points.map(point => ({cells: [String(point.nodes), point.block_words, point.vector_words, point.best || '–'].concat(
              sweep.names.map(name => timeCell(point, name)), [point.lower_bound ? point.lower_bound.time : '–'],
              measured ? sweep.names.map(name => measuredText(point.algorithms.find(other => other.algorithm === name))) : []),
              current: sweep.map ? point.nodes === sweep.nodes[state.round - 1] : point === sweep.columns[0].points[state.round - 1]}))};
  },
};

function compareName(each) {
  return each.algorithm + (each.parameter && !each.algorithm.includes(':') ? ':' + each.parameter : '');
}

function measuredIn(model) {
  return model.kind === 'compare' ? model.doc.algorithms.some(each => each.measured) : model.kind === 'sweep' && model.doc.points.some(point => point.algorithms.some(each => each.measured));
}

// The measured times, in µs.
function measuredOf(each) {
  const whole = each.measured.whole;
  return {median: whole.median * 1e6, minimum: whole.minimum * 1e6, maximum: whole.maximum * 1e6};
}

function measuredText(each) {
  if (!each || !each.measured) return '–';
  const own = measuredOf(each), short = x => number(x < 999.5 ? Number(x.toPrecision(3)) : Math.round(x));
  return short(own.median) + ' (' + short(own.minimum) + '–' + short(own.maximum) + ')';
}

// A hollow mark with a dot in it at the median, a whisker from the least to the most, with caps.
function drawMeasured(pen, at, low, high, across, shape, ink, title, data) {
  const line = (x1, y1, x2, y2) => across ? pen.line(y1, x1, y2, x2, {stroke: ink, width: 1.5}) : pen.line(x1, y1, x2, y2, {stroke: ink, width: 1.5});
  const [x, y] = across ? [at[1], at[0]] : at;
  line(x, low, x, high);
  line(x - 4, low, x + 4, low);
  line(x - 4, high, x + 4, high);
  pen.path(moved(d3.symbol().type(shape).size(80)(), at[0], at[1]), {fill: 'bg', stroke: ink, width: 1.8, title, data, means: 'measured'});
  pen.path(moved(d3.symbol().type(d3.symbolCircle).size(9)(), at[0], at[1]), {fill: ink, stroke: ink, width: 0.5});
}

function timeCell(point, name) {
  const each = point.algorithms.find(other => other.algorithm === name);
  if (!each) return 'does not fit';
  return each.cost ? number(each.cost.time) + (point.best === name ? ' *' : '') + (each.wrong ? ' wrong' : '') : '?';
}

// ---------------------------------------------------------------- a comparison

function drawBarsOf(pen, model, state, size) {
  const doc = model.doc, most = Math.max(...doc.algorithms.map(each => each.cost.time), doc.lower_bound ? doc.lower_bound.time : 0, ...doc.algorithms.filter(each => each.measured).map(each => measuredOf(each).median), 0) || 1;
  const x = d3.scaleLinear().domain([0, most]).range([size.left, size.width - size.right]).nice(5), bottom = size.top + doc.algorithms.length * 34;
  doc.algorithms.forEach((each, i) => pen.rect(0, size.top + i * 34, size.width, 34, {fill: state.round === i + 1 ? 'wash' : 'bg', pick: 'round:' + (i + 1)}));
  for (const tick of x.ticks(5)) {
    pen.line(x(tick), size.top - 6, x(tick), bottom, {stroke: 'faint', data: {tick}});
    pen.text(x(tick), size.top - 12, number(tick), {anchor: 'middle', size: 12, fill: 'soft'});
  }
  pen.text(size.left, 20, 'Time', {size: 14, weight: 600});
  doc.algorithms.forEach((each, i) => {
    const y = size.top + i * 34, here = state.round === i + 1, pick = 'round:' + (i + 1);
    if (here) pen.rect(0, y, 4, 34, {fill: 'accent'});
    pen.text(size.left - 10, y + 22, compareName(each), {anchor: 'end', size: 13, weight: here ? 700 : 500, fill: each.wrong ? 'bad' : 'ink', pick});
    let at = 0;
    for (const [key, unit] of COST_PARTS) {
      const part = PARTS.find(other => other.key === key), value = each.cost[unit] * doc.parameters[unit];
      if (value) pen.rect(x(at), y + 6, x(at + value) - x(at), 22, {fill: part.ink, stroke: 'bg', title: each.algorithm + ': ' + part.name + ' ' + number(value), pick, data: {algorithm: each.algorithm, part: key, value}, means: key});
      at += value;
    }
    const own = each.measured ? measuredOf(each) : null; // then the formulas are beside the whiskers, all in one column
    if (own) drawMeasured(pen, [x(own.median), y + 17], x(own.minimum), x(Math.min(own.maximum, most)), true, d3.symbolDiamond, 'ink', each.algorithm + ', measured, µs: ' + measuredText(each), {measured: each.algorithm});
    if (own && own.maximum > most) pen.text(x(most) + 1, y + 22, '→', {size: 12}); // it goes on
    pen.text(own ? size.width - size.right + 14 : x(at) + 8, y + 22, formula(each.cost) + ' = ' + number(each.cost.time) + (each.wrong ? ' ✗ ' + each.wrong.kind : ''), {size: 13, fill: each.wrong ? 'bad' : 'ink', halo: here ? 'wash' : 'bg', pick});
  });
  if (doc.lower_bound) {
    const at = x(doc.lower_bound.time);
    pen.line(at, size.top - 30, at, bottom + 6, Object.assign({data: {bound: doc.lower_bound.time}}, BOUND));
    pen.text(at + 6, size.top - 30, 'lower bound ' + formula(doc.lower_bound) + ' = ' + number(doc.lower_bound.time), {size: 12, halo: 'bg', anchor: at > size.width * 0.6 ? 'end' : 'start'});
  }
  if (doc.algorithms.length === 0) pen.text(size.left, size.top + 20, 'No algorithm fits.', {fill: 'soft', size: 14});
}

// ---------------------------------------------------------------- a sweep

// The points of a sweep in columns, one for each number of nodes (or one over nodes, where there is a single size).
function sweepOf(model) {
  if (model.sweep) return model.sweep;
  const points = model.doc.points, byBlocks = BLOCK_COLLECTIVES.includes(model.doc.collective);
  const unit = model.doc.crossovers.length ? model.doc.crossovers[0].unit : byBlocks ? 'm' : 'n', key = unit === 'm' ? 'block_words' : 'vector_words';
  const unique = list => Array.from(new Set(list)).sort((a, b) => a - b);
  const nodes = unique(points.map(point => point.nodes));
  const perNodes = nodes.map(n => points.filter(point => point.nodes === n));
  const many = Math.max(...perNodes.map(column => column.length)) > 1, map = many && nodes.length > 1;
  const names = [], winners = [];
  for (const point of points) {
    for (const each of point.algorithms) if (each.cost && !names.includes(each.algorithm)) names.push(each.algorithm);
    if (point.best && !winners.includes(point.best)) winners.push(point.best);
  }
  const columns = many ? perNodes.map((list, i) => ({nodes: nodes[i], points: list})) : [{nodes: null, points}];
  model.sweep = {unit: many ? unit : 'P', key: many ? key : 'nodes', nodes, columns, map, names, winners,
                 sizes: map ? Array.from({length: Math.max(...perNodes.map(column => column.length))}, (_, i) => i) : []};
  return model.sweep;
}

// The algorithms that no crossover can name, and where lines stop or are missing, each with its reason.
function absentTexts(model, sweep, nodes) {
  const doc = model.doc, texts = [], here = each => nodes === null || each.nodes === nodes;
  const uncrossed = Array.from(new Set([].concat(...(doc.not_crossed || []).filter(here).map(each => each.algorithms))));
  if (uncrossed.length) texts.push('Not among the crossovers, without a closed form at every size: ' + uncrossed.join(', ') + '.');
  const reasons = new Map();
  for (const each of (doc.absent || []).filter(here)) {
    const sizes = each.everywhere ? '' : sizesText(sweep, each), where = (nodes === null && sweep.unit === 'P' ? ' for P = ' + each.nodes : '') + sizes;
    const places = reasons.get(each.reason) || new Map();
    reasons.set(each.reason, places.set(each.algorithm, (places.get(each.algorithm) || []).concat(where ? [where] : [])));
  }
  for (const [reason, places] of reasons) {
    const list = Array.from(places, ([name, where]) => name + (where.length > 2 ? where[0] + ' and ' + (where.length - 1) + ' more' : where.join(' and')));
    texts.push('No point, as it ' + reason.replace(/^its run/, 'ran and') + ': ' + list.join(', ') + '.');
  }
  return texts;
}

// " for n = 65 536 to 524 288"
function sizesText(sweep, absent) {
  const key = sweep.key === 'nodes' ? 'vector_words' : sweep.key, [first, last] = absent[key];
  return ' for ' + (key === 'block_words' ? 'm' : 'n') + ' = ' + number(first) + (last > first ? ' to ' + number(last) : '');
}

// Why the line of an algorithm stops after a point, or null.
function stopReason(model, sweep, name, point) {
  const found = (model.doc.absent || []).find(each => each.algorithm === name && (sweep.key === 'nodes' || each.nodes === point.nodes) && (sweep.key === 'nodes' ? each.nodes > point.nodes : each[sweep.key][0] > xOf(sweep, point)));
  return found ? found.reason : null;
}

function xOf(sweep, point) {
  return point[sweep.key];
}

function crossoverTexts(model, nodes) {
  return model.doc.crossovers.filter(each => nodes === null || each.nodes === nodes).map(each =>
    'P = ' + each.nodes + ': ' + each.before + ' → ' + (uncrossedAt(model, each.nodes) ? 'of closed forms, ' : '') + each.after + ' from ' + each.unit + ' = ' + number(each.from) + (each.meeting ? ' (' + each.unit + '* = ' + each.meeting.text + ')' : '') + '.');
}

function lineStyle(sweep, name) {
  const i = sweep.names.indexOf(name);
  return {stroke: 'c' + i % COLOURS, dash: DASHES[i % DASHES.length], symbol: d3[SYMBOLS[i % SYMBOLS.length]]};
}

function mapRow(sweep) {
  return Math.max(20, Math.min(30, 420 / sweep.sizes.length));
}

// Sizes × nodes: the letter and the colour of the best.
function drawMap(pen, model, state, size, sweep) {
  const left = size.left, high = mapRow(sweep), wide = Math.min((size.width - left - 30) / sweep.nodes.length, 110), top = 52;
  pen.text(left, 20, 'Which algorithm is best', {size: 14, weight: 600});
  sweep.columns.forEach((column, i) => {
    const here = state.round === i + 1, x = left + i * wide;
    if (here) pen.rect(x, top - 22, wide, 22 + high * sweep.sizes.length + 6, {fill: 'wash', stroke: 'accent', width: 2});
    pen.text(x + wide / 2, top - 7, (wide > 60 ? 'P = ' : '') + column.nodes, {anchor: 'middle', size: 13, weight: here ? 700 : 500, pick: 'round:' + (i + 1)});
    column.points.forEach((point, j) => {
      const w = sweep.winners.indexOf(point.best), y = top + j * high;
      if (w < 0) return;
      pen.rect(x + 2, y + 1, wide - 4, high - 2, {fill: 'c' + w % COLOURS, pick: 'round:' + (i + 1), title: 'P = ' + column.nodes + ', ' + sweep.unit + ' = ' + number(xOf(sweep, point)) + ': ' + point.best, data: {best: point.best, nodes: column.nodes, at: xOf(sweep, point)}});
      pen.text(x + wide / 2, y + high / 2 + 5, letterOf(w), {anchor: 'middle', size: 14, weight: 700, fill: 'bg'});
    });
  });
  const labelled = sweep.columns[sweep.columns.length - 1].points, same = sweep.columns.every(column => column.points.every((point, j) => labelled[j] && xOf(sweep, point) === xOf(sweep, labelled[j])));
  const other = sweep.key === 'block_words' ? 'vector_words' : 'block_words', rows = same ? sweep.key : other;
  labelled.forEach((point, j) => pen.text(left - 10, top + j * high + high / 2 + 5, number(point[rows]), {anchor: 'end', size: 12}));
  pen.text(left - 10, top - 7, (rows === 'block_words' ? 'm' : 'n') + ' \\ P', {anchor: 'end', size: 12, fill: 'soft'});
  const each = Math.max(...sweep.winners.map(name => textWidth(name, 13))) + 52, perRow = Math.max(1, Math.floor((size.width - left) / each));
  sweep.winners.forEach((name, w) => {
    const x = left + w % perRow * each, y = top + high * sweep.sizes.length + 18 + Math.floor(w / perRow) * 26;
    pen.rect(x, y, 24, 18, {fill: 'c' + w % COLOURS});
    pen.text(x + 12, y + 14, letterOf(w), {anchor: 'middle', size: 13, weight: 700, fill: 'bg'});
    pen.text(x + 32, y + 14, name, {size: 13});
  });
}

function drawLines(pen, model, state, size, sweep) {
  const column = sweep.columns[sweep.map ? state.round - 1 : 0], right = size.width - size.right;
  const points = column.points.filter(point => xOf(sweep, point) > 0);
  pen.text(size.left, size.top - 38, (column.nodes === null ? 'Time against the number of nodes' : 'Time against size, P = ' + column.nodes) + ', both logarithmic', {size: 14, weight: 600});
  if (points.length === 0) {
    pen.text(size.left, size.top, 'No point has a size above 0.', {fill: 'soft', size: 14});
    return;
  }
  const times = [];
  for (const point of points) for (const each of point.algorithms) if (each.cost && each.cost.time > 0) times.push(each.cost.time);
  for (const point of points) if (point.lower_bound && point.lower_bound.time > 0) times.push(point.lower_bound.time);
  for (const point of points) for (const each of point.algorithms) if (each.cost && each.measured) times.push(measuredOf(each).minimum, measuredOf(each).maximum);
  const x = d3.scaleLog().domain(widened(d3.extent(points, point => xOf(sweep, point)))).range([size.left, right]);
  const ticks = timeTicks(d3.extent(times)), y = d3.scaleLog().domain([ticks[0], ticks[ticks.length - 1]]).range([size.bottom, size.top]);
  drawLogAxes(pen, size, sweep, x, y, right, points, ticks);
  if (column.nodes !== null) drawCrossovers(pen, model, size, x, y, column.nodes, right);
  if (!sweep.map) {
    const point = column.points[state.round - 1];
    if (point && xOf(sweep, point) > 0) pen.line(x(xOf(sweep, point)), size.top, x(xOf(sweep, point)), size.bottom, {stroke: 'accent', width: 2.5, opacity: 0.5});
  }
  const bound = points.filter(point => point.lower_bound && point.lower_bound.time > 0);
  const path = d3.line().x(point => fixed(x(xOf(sweep, point)))).y(point => fixed(y(point.lower_bound.time)));
  const labels = [];
  if (bound.length) {
    pen.path(path(bound), Object.assign({data: {line: 'bound'}}, BOUND));
    labels.push({text: 'lower bound', ink: BOUND.stroke, y: y(bound[bound.length - 1].lower_bound.time), x: x(xOf(sweep, bound[bound.length - 1]))});
  }
  for (const name of sweep.names) drawOneLine(pen, model, sweep, points, name, x, y, labels);
  for (const name of sweep.names) drawPointsOf(pen, sweep, points, name, x, y);
  const placed = spread(labels.map(label => label.y + 4.5), Math.min(17, (size.bottom - size.top + 30) / labels.length), size.top - 10, size.bottom + 20);
  labels.forEach((label, i) => {
    pen.line(label.x + 6, label.y, right + 22, placed[i] - 4.5, {stroke: label.ink, width: 0.8, opacity: 0.7});
    pen.text(right + 26, placed[i], label.text, {size: 13, fill: label.ink, weight: label.best ? 700 : 500});
  });
}

function drawOneLine(pen, model, sweep, points, name, x, y, labels) {
  const style = lineStyle(sweep, name), own = [];
  for (const point of points) {
    const each = point.algorithms.find(other => other.algorithm === name);
    if (each && each.cost && each.cost.time > 0) own.push({point, each});
  }
  if (own.length === 0) return;
  const at = d3.line().defined(one => one !== null).x(one => fixed(x(xOf(sweep, one.point)))).y(one => fixed(y(one.each.cost.time)));
  const known = new Map(own.map(one => [one.point, one]));
  pen.path(at(points.map(point => known.get(point) || null)), {stroke: style.stroke, width: 2, dash: style.dash, data: {line: name}});
  for (const one of own) {
    const best = one.point.best === name, px = x(xOf(sweep, one.point)), py = y(one.each.cost.time);
    const outline = d3.symbol().type(style.symbol).size(best ? 110 : 36)();
    pen.path(moved(outline, px, py), {fill: best || one.each.executed ? style.stroke : 'bg', stroke: style.stroke, width: 1.2,
      title: name + ', ' + sweep.unit + ' = ' + number(xOf(sweep, one.point)) + ': ' + formula(one.each.cost) + ' = ' + number(one.each.cost.time) + (best ? ', the best' : '') + (one.each.executed ? '' : ', from the closed form')});
  }
  const last = own[own.length - 1], stops = last.point !== points[points.length - 1];
  if (stops) {
    const px = x(xOf(sweep, last.point)), py = y(last.each.cost.time), why = name + ' stops: it ' + (stopReason(model, sweep, name, last.point) || 'has no cost further on');
    pen.line(px + 9, py - 7, px + 9, py + 7, {stroke: style.stroke, width: 2.5, title: why, data: {stop: name}, means: 'stop'});
  }
  labels.push({text: name + (stops ? ' (stops)' : ''), ink: style.stroke, y: y(last.each.cost.time), x: x(xOf(sweep, last.point)), best: last.point.best === name});
}

// The measurements of an algorithm: the points lie a little beside their size, each algorithm at its own place.
function drawPointsOf(pen, sweep, points, name, x, y) {
  const style = lineStyle(sweep, name), beside = (sweep.names.indexOf(name) - (sweep.names.length - 1) / 2) * Math.min(5, 40 / sweep.names.length);
  const own = [];
  for (const point of points) {
    const each = point.algorithms.find(other => other.algorithm === name);
    if (each && each.cost && each.measured && each.measured.whole.minimum > 0) own.push({each, at: xOf(sweep, point), px: x(xOf(sweep, point)) + beside});
  }
  const path = d3.line().x(one => fixed(one.px)).y(one => fixed(y(measuredOf(one.each).median)));
  if (own.length > 1) pen.path(path(own), {stroke: style.stroke, width: 1, dash: '1 4'});
  for (const one of own) {
    const times = measuredOf(one.each);
    drawMeasured(pen, [one.px, y(times.median)], y(times.minimum), y(times.maximum), false, style.symbol, style.stroke,
                 name + ', ' + sweep.unit + ' = ' + number(one.at) + ', measured, µs: ' + measuredText(one.each) + ', ' + count(one.each.measured.repetitions, 'run'), {measured: name, at: one.at});
  }
}

// The outline of a symbol, moved: of its commands those with absolute coordinates are M, L, A, H, V.
function moved(d, dx, dy) {
  return d.replace(/([MLHVA])([^MLHVAZlhvz]*)/g, (_, command, rest) => {
    const n = rest.split(/[\s,]+/).filter(text => text !== '').map(Number);
    if (command === 'H') return 'H' + fixed(n[0] + dx);
    if (command === 'V') return 'V' + fixed(n[0] + dy);
    if (command === 'A') return 'A' + n.slice(0, 5).join(',') + ',' + fixed(n[5] + dx) + ',' + fixed(n[6] + dy);
    return command + fixed(n[0] + dx) + ',' + fixed(n[1] + dy);
  });
}

function widened([low, high]) {
  return low === high ? [low / 2, high * 2] : [low, high];
}

// The ticks of a logarithmic axis of times: from a 1, 2 or 5 at or below the least to one at or above the most; between them
// powers of ten, and more of each where these are few.
function timeTicks([low, high]) {
  const steps = factors => [].concat(...d3.range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)) + 1).map(e => factors.map(factor => Number(factor + 'e' + e))));
  const ends = steps([1, 2, 5]), first = ends[Math.max(0, d3.bisectRight(ends, low) - 1)], last = ends[Math.min(d3.bisectLeft(ends, high), ends.length - 1)];
  for (const factors of [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9]]) {
    const between = steps(factors).filter(tick => tick > first * 1.3 && tick < last / 1.3);
    if (between.length >= 3 || (factors.length > 4 && between.length >= 1)) return [first, ...between, last];
  }
  return d3.scaleLinear().domain(widened([low, high])).nice(5).ticks(5).filter(tick => tick > 0); // times that hardly differ
}

// The ticks, and below the axis every size: in two rows where one is too short, every other where two are.
function drawLogAxes(pen, size, sweep, x, y, right, points, ticks) {
  for (const tick of ticks) {
    pen.line(size.left, y(tick), right, y(tick), {stroke: 'faint', data: {tick}});
    pen.text(size.left - 8, y(tick) + 4, number(tick), {anchor: 'end', size: 12, fill: 'soft'});
  }
  const labels = points.map(point => ({at: x(xOf(sweep, point)), text: number(xOf(sweep, point)), row: null}));
  for (let every = 1; !inRows(labels, every); every++);
  for (const label of labels) {
    pen.line(label.at, size.bottom, label.at, size.bottom + (label.row === 1 ? 18 : 5), {stroke: 'line'});
    if (label.row !== null) pen.text(label.at, size.bottom + 18 + 14 * label.row, label.text, {anchor: 'middle', size: 12, fill: 'soft', data: {size: label.text}});
  }
  pen.line(size.left, size.bottom, right, size.bottom, {stroke: 'line'});
  pen.text((size.left + right) / 2, size.bottom + 56, {P: 'P, nodes', m: 'm, words of a block', n: 'n, words of the vector'}[sweep.unit], {anchor: 'middle', size: 13});
  pen.text(size.left - 8, size.top - 14, 'time', {anchor: 'end', size: 13});
}

// Give each label a row, or one in every `every`, the last among them; false when they do not fit.
function inRows(labels, every) {
  const ends = [-Infinity, -Infinity], last = labels.length - 1;
  for (const label of labels) label.row = null;
  for (let i = last % every; i <= last; i += every) {
    const half = textWidth(labels[i].text, 12) * 0.55 + 4;
    const row = ends.findIndex(end => end <= labels[i].at - half);
    if (row < 0) return false;
    labels[i].row = row;
    ends[row] = labels[i].at + half;
  }
  return true;
}

function uncrossedAt(model, nodes) {
  return (model.doc.not_crossed || []).some(each => each.nodes === nodes && each.algorithms.length > 0);
}

function drawCrossovers(pen, model, size, x, y, nodes, right) {
  const [low, high] = x.domain();
  model.doc.crossovers.filter(each => each.nodes === nodes && each.from >= low && each.from <= high).forEach((each, i) => {
    const at = x(each.from), text = (uncrossedAt(model, nodes) ? 'of closed forms: ' : '') + each.after + ' from ' + each.unit + ' = ' + number(each.from) + (each.meeting ? ', ' + each.unit + '* = ' + each.meeting.text : '');
    const left = at > (size.left + right) / 2 && textWidth(text, 12) < at - size.left;
    pen.line(at, size.top - 4, at, size.bottom, {stroke: 'accent', width: 1.5, dash: '5 3', data: {crossover: each.from}, means: 'crossover'});
    pen.text(at + (left ? -5 : 5), size.top + 8 + i * 16, text, {anchor: left ? 'end' : 'start', size: 12, fill: 'accent', halo: 'bg'});
  });
}
