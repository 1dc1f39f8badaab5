// SPDX-License-Identifier: MIT
// Views of documents that have no run of their own: how a program scales, and a machine's model beside measured times.

// A number at a tick: from a million on as a power of ten, 2·10⁷.
function tickText(value) {
  if (value < 1e6) return number(value);
  const power = Math.floor(Math.log10(value) + 1e-9), factor = Math.round(value / 10 ** power);
  return (factor > 1 ? factor + '·' : '') + '10' + String(power).replace(/\d/g, digit => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]);
}

// A chart in a box: axes, ticks, a title; gives the scales.
function drawChart(pen, box, title, xs, ys, about) {
  const wide = values => timeTicks(d3.extent(values)), ends = ticks => [ticks[0], ticks[ticks.length - 1]];
  const x = (about.logX ? d3.scaleLog().domain(about.ticks ? widened(d3.extent(xs)) : ends(wide(xs))) : d3.scaleLinear().domain(d3.extent(about.ticks))).range([box.left, box.right]);
  const y = (about.logY ? d3.scaleLog().domain(ends(wide(ys))) : d3.scaleLinear().domain([0, Math.max(...ys)])).range([box.bottom, box.top]);
  pen.text(box.left, box.top - 12, title, {size: 14, weight: 600});
  for (const tick of about.logY ? wide(ys) : y.ticks(5)) {
    pen.line(box.left, y(tick), box.right, y(tick), {stroke: 'faint'});
    pen.text(box.left - 6, y(tick) + 4, tickText(tick), {anchor: 'end', size: 11, fill: 'soft'});
  }
  const ticks = about.ticks || wide(xs);
  const every = Math.ceil(ticks.length / ((box.right - box.left) / 56));
  ticks.forEach((tick, i) => {
    pen.line(x(tick), box.bottom, x(tick), box.bottom + 4, {stroke: 'line'});
    if (i % every === 0) pen.text(x(tick), box.bottom + 17, tickText(tick), {anchor: 'middle', size: 11, fill: 'soft'});
  });
  pen.line(box.left, box.bottom, box.right, box.bottom, {stroke: 'line'});
  pen.text((box.left + box.right) / 2, box.bottom + 34, about.below, {anchor: 'middle', size: 12, fill: 'soft'});
  return {x, y};
}

function drawCurve(pen, {x, y}, points, style, pointed) {
  pen.path(d3.line().x(p => fixed(x(p[0]))).y(p => fixed(y(p[1])))(points), Object.assign({width: 2}, style));
  for (const p of pointed ? points : []) pen.circle(x(p[0]), y(p[1]), 3.5, {fill: style.stroke, title: pointed(p), data: {p: p[0], value: p[1]}});
}

// The boxes of charts side by side, as many in a row as there is room for.
function boxesOf(width, count, high) {
  const columns = Math.min(count, Math.max(1, Math.floor(width / 460))), wide = width / columns;
  return d3.range(count).map(i => ({left: i % columns * wide + 70, right: (i % columns + 1) * wide - 24, top: 40 + Math.floor(i / columns) * (high + 100), bottom: 40 + Math.floor(i / columns) * (high + 100) + high}));
}

const SCALED = [
  {key: 'time', name: 'Time', of: (run, model) => (model.doc.measured ? run.critical_path : run.cost).time, log: true},
  {key: 'speedup', name: 'Speed-up; dashed: P', of: run => run.speedup, log: true},
  {key: 'efficiency', name: 'Efficiency', of: run => run.efficiency},
  {key: 'communication', name: 'Share of communication', of: run => run.communication},
];

const chartView = (id, name, size, rest) => Object.assign({
  id, name, key: '1', steps: false, note: () => '', controls: () => [], marks: () => 0, hit: () => null, legend: () => [],
  size: (model, state, width) => ({width: Math.max(Math.floor(width), 480), height: boxesOf(Math.max(width, 480), size, 230).pop().bottom + 50}),
}, rest);

const scaleView = chartView('scale', 'Scaling', SCALED.length, {
  why: model => model.doc.runs.some(run => !run.failed && run.speedup !== null) ? null : model.doc.runs.some(run => !run.failed) ? 'No run took any time.' : 'No run ended well.',
  note: model => (model.doc.scaling === 'weak' ? 'Weak scaling, ' + model.doc.arguments + '. ' : 'Strong scaling. ') +
    model.doc.runs.filter(run => run.failed).map(run => count(run.nodes, 'node') + ': ' + run.failed + '.').join(' '),
  draw(pen, model, state, size) {
    const runs = model.doc.runs.filter(run => !run.failed), nodes = runs.map(run => run.nodes), boxes = boxesOf(size.width, SCALED.length, 230);
    SCALED.forEach((each, i) => {
      const points = runs.map(run => [run.nodes, each.of(run, model)]).filter(p => p[1] !== null && (!each.log || p[1] > 0)), ideal = each.key === 'speedup';
      const chart = drawChart(pen, boxes[i], each.name, nodes, points.map(p => p[1]).concat(ideal ? nodes : each.log ? [] : [1]), {logX: true, logY: each.log, ticks: nodes, below: 'P, nodes'});
      if (ideal) drawCurve(pen, chart, nodes.map(P => [P, P]), {stroke: 'soft', dash: '6 3'});
      drawCurve(pen, chart, points, {stroke: 'c2', data: {curve: each.key}}, p => 'P = ' + p[0] + ': ' + number(p[1]));
    });
  },
  summary: model => titleOf(model) + '. ' + scaleView.note(model),
  table: model => ({caption: titleOf(model), head: [num('P')].concat(SCALED.map(each => num(each.name.split(';')[0])), [num('serial fraction')]),
                    rows: model.doc.runs.filter(run => !run.failed).map(run => ({cells: [String(run.nodes)].concat(SCALED.map(each => each.of(run, model)), [run.serial_fraction])}))}),
});

// The ratios of the choices [chosen, least, library or null], from the least to the most.
function ratiosOf(choices, of) {
  return choices.map(of).filter(ratio => ratio !== null).sort((a, b) => a - b).map((ratio, i, all) => [100 * (i + 1) / all.length, ratio]);
}

const fitView = chartView('fit', 'Model', 2, {
  why: () => null,
  note: model => model.doc.file + ' on ' + model.doc.topology + '. Left: each time, of ' + model.doc.least_nodes + ' to ' + model.doc.most_nodes + ' nodes; on the line the model is right. Right: constants of at most ' +
    (model.doc.held_out_above || model.doc.most_nodes) + ' nodes, choices on ' + (model.doc.held_out_above ? 'more' : 'all') + ': what so many percent of the choices cost at most, in terms of the best.',
  draw(pen, model, state, size) {
    const [left, right] = boxesOf(size.width, 2, 230), times = model.doc.times, all = times.flat();
    const plane = drawChart(pen, left, 'Modelled time against measured, µs', all, all, {logX: true, logY: true, below: 'measured, µs'});
    drawCurve(pen, plane, [plane.x.domain(), plane.x.domain()].map((d, i) => [d[i], d[i]]), {stroke: 'soft', dash: '6 3'});
    pen.path(times.map(t => 'M' + Math.round(plane.x(t[0])) + ',' + Math.round(plane.y(t[1])) + 'h.1').join(''), {stroke: 'c2', width: 3, cap: 'round', opacity: 0.5, data: {times: times.length}});
    const model_ = ratiosOf(model.doc.choices, c => c[0] / c[1]), library = ratiosOf(model.doc.choices, c => c[2] === null ? null : c[2] / c[1]);
    const ratios = drawChart(pen, right, 'Chosen against best: the model (line), the library (dashed)', [0, 100], model_.concat(library).map(p => p[1]).concat(1), {logY: true, ticks: d3.range(0, 101, 20), below: 'percent of the choices'});
    pen.line(right.left, ratios.y(1), right.right, ratios.y(1), {stroke: 'line'});
    if (library.length) drawCurve(pen, ratios, library, {stroke: 'c1', dash: '6 3', data: {curve: 'library'}});
    if (model_.length) drawCurve(pen, ratios, model_, {stroke: 'c2', data: {curve: 'model'}});
  },
  summary: model => titleOf(model) + '. ' + fitView.note(model),
  table: model => ({caption: titleOf(model), head: [num('measured, µs'), num('modelled, µs')], rows: model.doc.times.map(t => ({cells: [number(t[0]), t[1]]}))}),
});
