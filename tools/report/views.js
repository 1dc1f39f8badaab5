// SPDX-License-Identifier: MIT
// The views of a document, where the cursor can be, and what is shown first: for the page and for a file.

const CHARTS = {scale: scaleView, model: fitView}; // documents with one view

function viewsOf(model) {
  if (CHARTS[model.kind]) return [CHARTS[model.kind]];
  return [spaceTimeView, networkView, blocksView, costView, compareView].concat(model.kind === 'check' ? [checkView] : [], model.page.profile ? [profileView, matrixView, overviewView] : []);
}

// Where the cursor can be: rounds from 0, before the first; of a comparison or a sweep the algorithms, sizes, nodes from 1.
function stepsOf(model) {
  if (CHARTS[model.kind]) return {first: 0, last: 0, noun: 'Picture', text: () => ''};
  if (model.run) return {first: 0, last: model.rounds.length, noun: 'Round', text: state => roundText(model, state.round)};
  const view = model.kind === 'check' ? checkView : compareView;
  const last = model.kind === 'check' ? model.doc.checks.length : compareView.steps_(model);
  const noun = model.kind === 'check' ? 'Check' : model.kind === 'compare' ? 'Algorithm' : sweepOf(model).map ? 'Nodes' : sweepOf(model).unit === 'P' ? 'Nodes' : 'Size';
  return {first: Math.min(1, last), last, noun, text: state => view.cursorText(model, state)};
}

function isIn(value, list, otherwise) {
  return list.includes(value) ? value : otherwise;
}

function toWhole(value, low, high, otherwise) {
  const n = value === null || value === '' ? NaN : Number(value);
  return Number.isInteger(n) ? Math.max(low, Math.min(high, n)) : otherwise;
}

function firstState(model) {
  return {run: model.lessons ? model.chosen : null, view: model.page.profile && !model.known ? 'overview' : model.run ? 'time' : CHARTS[model.kind] ? CHARTS[model.kind].id : model.kind === 'check' ? 'check' : 'compare', round: Math.min(1, stepsOf(model).last), transfer: null,
          width: 'equal', prices: 'all', critical: 'on', by: 'bytes', per: 'call', span: null, table: null, answer: null, full: null, blocks: null};
}

// A state whose members are allowed, from one that may have any.
function checkState(model, given) {
  const next = Object.assign({}, given), first = firstState(model), steps = stepsOf(model);
  next.run = model.lessons ? toWhole(given.run, 1, model.runs, 1) : null;
  next.view = isIn(given.view, viewsOf(model).map(view => view.id), first.view);
  next.round = toWhole(given.round, steps.first, steps.last, first.round);
  const round = model.rounds[next.round - 1];
  next.transfer = round && round.transfers ? toWhole(given.transfer, -1, round.transfers.length - 1, null) : null;
  if (next.transfer < 0) next.transfer = null;
  next.width = isIn(given.width, ['equal', 'charge'], 'equal');
  next.prices = isIn(given.prices, ['all', 'rest'], 'all');
  next.critical = isIn(given.critical, ['on', 'off'], 'on');
  next.by = isIn(given.by, ['bytes', 'messages'], 'bytes');
  next.per = isIn(given.per, ['call', 'function'], 'call');
  next.span = /^\d+-\d+$/.test(given.span) ? given.span : null;
  next.table = given.table ? 'open' : null;
  next.answer = given.answer ? 'shown' : null;
  next.full = given.full ? 'on' : null;
  next.blocks = isIn(given.blocks, ['deliver', 'all'], null);
  return next;
}
