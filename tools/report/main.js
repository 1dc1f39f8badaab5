// SPDX-License-Identifier: MIT
// The page: one cursor, the round; a view at a time; keys, buttons, table twin, announcements.  It is a function of the
// script, which is not called where there is no page.

const PLAY_MILLISECONDS = 900, FULL_TEXT = 28, LEAST_TEXT = 12; // the size of the smallest text of a picture that is shown on a projector

const pageText = document.getElementById('peal-page').textContent;
const model = readPage(JSON.parse(pageText), Number(new URLSearchParams(location.hash.slice(1)).get('run')));
const views = viewsOf(model), steps = stepsOf(model);
const store = makeState(firstState(model), given => checkState(model, given));
// A seed can have more digits than a number here.
const seed = /"seed":\s*(\d+)/.exec(pageText);

const parts = {};
for (const id of ['lesson', 'title', 'machine', 'outcome', 'case', 'views', 'steps', 'round', 'view', 'note', 'controls', 'save', 'transfer', 'figure', 'legend', 'twin', 'table', 'keys', 'about', 'live']) {
  parts[id] = d3.select('#' + id);
}

function currentView() {
  return views.find(view => view.id === store.get().view);
}

// ---------------------------------------------------------------- what stays as it is

function button(holder, text, label, act) {
  const made = holder.append('button').attr('type', 'button').text(text);
  if (label) made.attr('aria-label', label).attr('title', label);
  // A button that was clicked gives the keys back to the page, so that space plays.
  const node = made.node();
  node.addEventListener('click', event => {
    act();
    if (event.detail > 0) node.blur();
  });
  return made;
}

function drawHead() {
  document.title = (model.lessons ? model.lessons.map(lesson => lesson.id + ' ' + lesson.title).join(', ') : titleOf(model)) + ' – Peal';
  drawLessons();
  parts.title.text(titleOf(model));
  parts.machine.text(machineOf(model));
  outcome(parts.outcome);
  for (const view of views) {
    const made = button(parts.views, '', null, () => store.set({view: view.id}));
    made.attr('data-view', view.id).classed('empty', view.why(model) !== null).attr('title', view.why(model)).append('kbd').text(view.key);
    made.append('span').text(view.name);
  }
  const keys = parts.keys;
  keys.text('Keys: ');
  [['← →', 'step'], ['Home End', 'first, last'], ['Space', 'play'], ['1 – ' + views.length, 'views'], ['[ ]', 'choose a transfer'], ['Esc', 'choose none'], ['T', 'table'], ['F', 'full screen, where PageUp and PageDown step'], ['O', 'the view’s switch']].forEach(([key, does]) => {
    keys.append('kbd').text(key);
    keys.append('span').text(' ' + does + '  ');
  });
  parts.about.text('Made by peal ' + model.page.peal + ' from ' + (model.name.startsWith('peal ') ? model.name : fileName(model.name)) + (seed && model.kind !== 'check' ? ', seed ' + seed[1] : '') + '. The page works without a network.');
}

// Whether the page shows a question, and its answer not yet.
function isAsking(state) {
  return Boolean(model.doc.asks) && state.answer !== 'shown';
}

// The lessons' text; each of their runs is a button that shows it below.
function drawLessons() {
  const holder = parts.lesson.html(''), kinds = {answers: 'Answer', corrects: 'Where the source is wrong'};
  let runs = 0;
  if (!model.lessons) holder.remove();
  for (const lesson of model.lessons || []) {
    holder.append('h2').text(lesson.id + '  ' + lesson.title);
    holder.append('p').attr('class', 'source').text(lesson.source + ' (' + (/^[^/]+\.c$/.test(lesson.code) ? 'algorithms/lessons/' : '') + lesson.code + ')');
    holder.append('p').attr('class', 'question').text(lesson.question);
    if (isAsking(store.get())) {
      button(holder.append('p'), 'A: show the answer', null, () => store.set({answer: 'shown'})).attr('id', 'answer');
      continue;
    }
    let before = null, drawing = null;
    for (const step of lesson.steps || []) {
      if (kinds[step.kind] && step.kind !== before) holder.append('h3').text(kinds[step.kind]);
      if (step.kind === 'shows') {
        drawing = before === 'shows' ? drawing : holder.append('pre').text('');
        drawing.text(drawing.text() + step.text + '\n');
      } else if (step.kind === 'runs') {
        lessonRun(holder, ++runs, step);
      } else if (step.kind === 'checks') {
        holder.append('p').attr('class', step.holds ? 'holds' : 'fails').text((step.holds ? '✓ ' : '✗ ') + step.text);
      } else {
        holder.append('p').text(step.text);
      }
      before = step.kind;
    }
    if (lesson.checks !== undefined) {
      holder.append('p').attr('class', lesson.holds ? 'holds' : 'fails')
        .text(lesson.holds ? 'Holds: ' + count(lesson.checks, 'check') + '.' : 'Does not hold: ' + lesson.failed + ' of ' + count(lesson.checks, 'check') + ' failed.');
    }
  }
}

function lessonRun(holder, run, step) {
  const made = button(holder.append('p'), 'Run ' + run + ': ' + step.text + '  (' + step.run.topology + ', T = ' + formula(step.run.cost) + (step.run.failure ? ', ✗ ' + step.run.failure.kind : '') + ')', null, () => {
    store.set({run, round: 1, transfer: null});
    document.getElementById('title').scrollIntoView();
  });
  made.attr('data-run', run).attr('aria-current', run === model.chosen ? 'page' : null);
}

// How the run ended, in one line.
function outcome(place) {
  if (model.finding) {
    const finding = model.finding;
    place.append('span').attr('class', 'failed').text('✗ ' + finding.kind + ': ');
    place.append('span').text(findingText(finding).slice(finding.kind.length + 2));
    parts.case.append('span').text('Smallest case: ' + smallestText(finding) + '. Run it again: ');
    parts.case.append('code').attr('data-command', '').text(finding.command);
    return;
  }
  if (model.kind === 'check') {
    place.append(model.doc.proved ? 'strong' : 'span').attr('class', model.doc.proved ? null : 'failed').text(model.doc.checks.length === 1 ? verdictOf(model.doc.checks[0]) : model.doc.proved ? 'proved' : 'not proved');
    return;
  }
  if (!model.run) {
    place.text(outcomeOfMany());
    return;
  }
  const run = model.run;
  findingsOf(run);
  if (run.failure) {
    place.append('span').attr('class', 'failed').text('✗ ' + run.failure.kind + ': ');
    place.append('span').text(run.failure.message + (run.failure.cycle && run.failure.cycle.length ? '. Cycle ' + cycleText(run.failure.cycle) : ''));
    return;
  }
  place.append('strong').text('T = ' + formula(run.cost) + (run.cost.time ? ' = ' + number(run.cost.time) + (inNanoseconds(run) ? '\u00a0ns' : '') : ''));
  const more = [];
  if (run.closed_form) more.push('closed form' + (run.closed_form.text === null ? ', round by round,' : ' ' + run.closed_form.text) + ' = ' + formula(run.closed_form) + (run.closed_form.equal ? ', equal' : ', NOT equal'));
  if (run.lower_bound) more.push('lower bound ' + formula(run.lower_bound) + (run.lower_bound.ratio ? ', ratio ' + boundRatio(run.cost, run.lower_bound) : '') + (boundCause(run.lower_bound) ? ' (' + boundCause(run.lower_bound) + ')' : ''));
  if (run.data) more.push('data ' + (run.data.verified ? 'verified on all nodes' : 'correct on ' + run.data.nodes_correct + ' of ' + run.nodes + ' nodes'));
  place.append('span').text(more.length ? '; ' + more.join('; ') : '');
}

// Faults that did not end the run: a line for each kind and line of source.
function findingsOf(run) {
  const most = 20, shown = new Map();
  for (const finding of run.findings || []) {
    const place = finding.places[0], key = finding.kind + ' ' + place.file + ' ' + place.line;
    if (!shown.has(key)) shown.set(key, {finding, nodes: 0});
    shown.get(key).nodes++;
  }
  for (const {finding, nodes} of [...shown.values()].slice(0, most)) {
    const line = parts.case.append('span').attr('class', 'finding').attr('data-finding', finding.kind);
    line.append('span').attr('class', finding.note ? 'note' : 'failed').text((finding.note ? 'note: ' : '✗ ') + finding.kind + ': ');
    line.append('span').text(findingText({...finding, ...finding.places[0]}).slice(finding.kind.length + 2) + (nodes > 1 ? ', and on ' + count(nodes - 1, 'other node') : '') +
      (finding.rule ? '. ' + finding.rule : '') + (finding.fix ? '. To fix it: ' + finding.fix : '') + '.');
  }
  if (shown.size > most) parts.case.append('span').attr('class', 'finding').text(count(shown.size - most, 'more finding') + ' in the document.');
}

// The outcome of a comparison or a sweep.
function outcomeOfMany() {
  const doc = model.doc;
  if (CHARTS[model.kind]) return currentView().note(model);
  if (model.kind === 'compare') {
    const best = doc.algorithms.find(each => !each.wrong), wrong = doc.algorithms.filter(each => each.wrong).length;
    const executed = doc.algorithms.filter(each => each.executed !== false).length; // absent in documents before 0.4
    return (executed === doc.algorithms.length ? '' : number(executed) + ' of ') + count(doc.algorithms.length, 'algorithm') + ' were run' + (best ? ', best is ' + compareName(best) + ' with ' + formula(best.cost) + ' = ' + number(best.cost.time) : '') +
      (wrong ? '; ' + number(wrong) + ' went wrong' : '') + (doc.lower_bound ? '; lower bound ' + formula(doc.lower_bound) : '');
  }
  const cells = [].concat(...doc.points.map(point => point.algorithms)), executed = cells.filter(each => each.executed).length;
  return count(doc.points.length, 'point') + ', ' + count(doc.crossovers.length, 'crossover') + '; ' + number(executed) + ' of ' + number(cells.filter(each => each.cost).length) + ' costs are of runs, the rest of closed forms';
}

// ---------------------------------------------------------------- the cursor

let playing = null;

function go(round) {
  store.set({round: Math.max(steps.first, Math.min(steps.last, round)), transfer: null});
}

function play(on) {
  if (playing !== null) {
    clearInterval(playing);
    playing = null;
  }
  if (on && steps.last > steps.first) {
    if (store.get().round >= steps.last) go(steps.first);
    playing = setInterval(() => {
      if (store.get().round >= steps.last) play(false);
      else go(store.get().round + 1);
    }, PLAY_MILLISECONDS);
  }
  drawPlay();
}

function drawPlay() {
  parts.play.text(playing === null ? '▶ Play' : '❚❚ Pause').attr('aria-pressed', playing === null ? 'false' : 'true');
}

function drawSteps() {
  const holder = parts.steps;
  parts.begin = button(holder, '|◀', 'First', () => go(steps.first));
  parts.back = button(holder, '◀', 'Back', () => go(store.get().round - 1));
  parts.next = button(holder, '▶', 'Next', () => go(store.get().round + 1));
  parts.end = button(holder, '▶|', 'Last', () => go(steps.last));
  parts.play = button(holder, '▶ Play', null, () => play(playing === null));
  parts.slider = holder.append('input').attr('type', 'range').attr('id', 'slider').attr('min', steps.first).attr('max', Math.max(steps.last, steps.first + 1)).attr('step', 1)
    .attr('aria-label', steps.noun).property('disabled', steps.last <= steps.first);
  parts.slider.node().addEventListener('input', event => go(Number(event.target.value)));
  drawPlay();
}

function drawCursor(state) {
  parts.begin.property('disabled', state.round <= steps.first);
  parts.back.property('disabled', state.round <= steps.first);
  parts.next.property('disabled', state.round >= steps.last);
  parts.end.property('disabled', state.round >= steps.last);
  parts.play.property('disabled', steps.last <= steps.first);
  parts.slider.property('value', state.round).attr('aria-valuetext', steps.noun + ' ' + state.round + ' of ' + steps.last);
  parts.round.text(steps.text(state));
}

// ---------------------------------------------------------------- the transfer that is chosen

// "transfer:2:0" and "round:2" and "link:0:1", as marks and rows name what they choose.
function choose(what) {
  if (!what) return;
  const [kind, a, b] = what.split(':');
  if (kind === 'round') go(Number(a));
  if (kind === 'transfer') store.set({round: Number(a), transfer: Number(b)});
  if (kind === 'link') chooseOnLink(Number(a), Number(b));
}

// The next transfer, after the chosen one, of those that cross a link.
function chooseOnLink(from, to) {
  const state = store.get(), link = linkLoads(model, model.rounds[state.round - 1]).get(from + ',' + to);
  if (!link) return;
  const at = link.transfers.indexOf(state.transfer);
  store.set({transfer: link.transfers[(at + 1) % link.transfers.length]});
}

function turn(by) {
  const state = store.get(), round = model.rounds[state.round - 1];
  if (!round || !round.transfers || round.transfers.length === 0) return;
  const n = round.transfers.length;
  store.set({transfer: state.transfer === null ? (by > 0 ? 0 : n - 1) : (state.transfer + by + n) % n});
}

function drawChosen(state) {
  const round = model.rounds[state.round - 1], holder = parts.transfer;
  holder.selectAll('*').remove();
  if (!model.run || currentView().id === 'cost' || currentView().id === 'compare' || currentView().id === 'blocks' || currentView().id === 'check' || [profileView, matrixView, overviewView].includes(currentView())) return;
  if (!round || !round.transfers || round.transfers.length === 0) return;
  button(holder, '‹', 'Transfer before', () => turn(-1));
  button(holder, '›', 'Next transfer', () => turn(1));
  const t = state.transfer === null ? null : round.transfers[state.transfer];
  holder.append('output').text(t === null ? 'no transfer chosen'
    : 'Transfer ' + (t.index + 1) + ' of ' + round.transfers.length + ': ' + transferText(model, t) + (t.routed && t.path.length > 2 ? ', by ' + t.path.map(v => vertexName(model, v)).join(' → ') : '') +
      (isCritical(model, round, t) ? ', on the critical path' : ''));
  if (t !== null) button(holder, 'none', 'Choose no transfer', () => store.set({transfer: null}));
}

// ---------------------------------------------------------------- the view

function drawControls(view, state) {
  const holder = parts.controls, absent = view.why(model) !== null;
  holder.selectAll('*').remove();
  for (const control of absent ? [] : view.controls(state, model)) {
    const group = holder.append('div').attr('class', 'group').attr('role', 'group').attr('aria-label', control.label);
    group.append('span').text(control.label);
    for (const [value, text] of control.values) {
      button(group, text, null, () => store.set({[control.key]: value})).attr('aria-pressed', String(control.value === value));
    }
  }
  const save = parts.save;
  save.selectAll('*').remove();
  if (absent) return;
  button(save, 'Save SVG', null, () => {
    saveOne(view, model, store.get());
    say('The picture was saved as an SVG file.');
  }).attr('id', 'save-one');
  if (steps.last > steps.first) {
    button(save, 'Save all ' + (model.run ? 'rounds' : 'steps'), null, () => say(count(saveAll(view, model, store.get(), steps.last, steps.first), 'picture') + ' were saved as an archive.')).attr('id', 'save-all');
  }
}

// The legend's entries for what was drawn: a view gives [kind, ink, width, text, means].
function drawLegend(view, used) {
  parts.legend.selectAll('*').remove();
  for (const [kind, ink, width, text] of view.why(model) === null ? view.legend(model).filter(entry => used.has(entry[4])) : []) {
    const entry = parts.legend.append('span');
    const svg = entry.append('svg').attr('width', 30).attr('height', 14).attr('viewBox', '0 0 30 14').attr('aria-hidden', 'true');
    const pen = svgPen(inkOnPage);
    drawLegendMark(pen, kind, ink, width, 0, 0);
    svg.html(pen.marks.join(''));
    entry.append('span').text(text);
  }
}

// Draw the view; gives what it drew that the legend explains.
function drawFigure(view, state) {
  const holder = parts.figure.node(), scrolled = {left: holder.scrollLeft, top: holder.scrollTop};
  parts.figure.selectAll('*').remove();
  const absent = view.why(model);
  if (absent !== null) {
    parts.figure.append('p').attr('class', 'absent').attr('data-absent', view.id).text(absent);
    return new Set();
  }
  const full = state.full === 'on', {zoom, size} = full ? fitted(view, state, holder) : plain(view, state, holder);
  const used = (view.marks(model) > MAX_MARKS ? drawOnCanvas : drawAsSvg)(view, state, size, zoom);
  holder.scrollLeft = scrolled.left;
  holder.scrollTop = scrolled.top;
  if (view.id === 'time' && size.starts) showBand(holder, size, state, zoom);
  return used;
}

function fontSize() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize);
}

function plain(view, state, holder) {
  const zoom = fontSize() / 16;
  return {zoom, size: view.size(model, state, Math.max((holder.clientWidth - 2) / zoom, 320), roomBelow(holder) / zoom)};
}

// On a projector: as large as its place, and no text smaller than the page's.  A picture that is larger then is scrolled.
function fitted(view, state, holder) {
  const wide = holder.clientWidth, high = holder.clientHeight, least = fontSize() / LEAST_TEXT;
  const fit = size => Math.min(wide / size.width, high / size.height);
  let size = view.size(model, state, wide / least - 1, high / least - 1), zoom = fit(size);
  for (let more = 1.1; more < 2; more *= 1.1) { // a picture of few parts is drawn larger, and laid out for that
    const next = view.size(model, state, wide / (least * more) - 1, high / (least * more) - 1);
    if (fit(next) > zoom) [size, zoom] = [next, fit(next)];
  }
  return {zoom: Math.max(zoom, least), size};
}

// The height for a picture that must be visible as a whole.
function roomBelow(holder) {
  return Math.max(window.innerHeight - holder.getBoundingClientRect().top - window.scrollY - 16, 380);
}

function drawAsSvg(view, state, size, zoom) {
  const svg = parts.figure.append('svg').attr('role', 'img').attr('aria-label', view.summary(model, state)).attr('width', Math.floor(size.width * zoom)).attr('height', Math.floor(size.height * zoom))
    .attr('viewBox', '0 0 ' + size.width + ' ' + size.height).attr('font-family', FONT);
  const pen = svgPen(inkOnPage, state.full ? LEAST_TEXT : 0);
  view.draw(pen, model, state, size);
  svg.html(pen.marks.join(''));
  svg.node().addEventListener('click', event => {
    const mark = event.target.closest('[data-pick]');
    if (mark) choose(mark.getAttribute('data-pick'));
  });
  return pen.used;
}

function drawOnCanvas(view, state, size, zoom) {
  const scale = (window.devicePixelRatio || 1) * zoom, canvas = parts.figure.append('canvas').attr('role', 'img').attr('aria-label', view.summary(model, state));
  canvas.attr('width', Math.round(size.width * scale)).attr('height', Math.round(size.height * scale)).style('width', size.width * zoom + 'px').style('height', size.height * zoom + 'px');
  const context = canvas.node().getContext('2d');
  context.scale(scale, scale);
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--bg').trim();
  context.fillRect(0, 0, size.width, size.height);
  const pen = canvasPen(context, state.full ? LEAST_TEXT : 0);
  view.draw(pen, model, state, size);
  canvas.node().addEventListener('click', event => {
    const box = canvas.node().getBoundingClientRect();
    choose(view.hit(model, state, size, (event.clientX - box.left) / zoom, (event.clientY - box.top) / zoom));
  });
  if (view.wheel) {
    canvas.node().addEventListener('wheel', event => {
      event.preventDefault();
      store.set(view.wheel(model, store.get(), size, (event.clientX - canvas.node().getBoundingClientRect().left) / zoom, event.deltaY < 0));
    }, {passive: false});
  }
  return pen.used;
}

// Scroll the band of the round into sight.
function showBand(holder, size, state, zoom) {
  const at = size.starts[state.round - 1 - size.first];
  if (!at || size.width * zoom <= holder.clientWidth) return;
  const begin = at.x * zoom, end = (at.x + at.wide) * zoom;
  if (begin < holder.scrollLeft + size.left * zoom || end > holder.scrollLeft + holder.clientWidth) holder.scrollLeft = Math.max(0, begin - holder.clientWidth / 2);
}

function drawTwin(view, state) {
  const open = state.table === 'open';
  if (parts.twin.property('open') !== open) parts.twin.property('open', open);
  const table = !open ? null : view.why(model) === null ? view.table(model, state) : model.run ? transferTable(model, state, [num('k')], (round, t) => [t.k]) : null;
  drawTable(parts.table, table, choose);
  if (open && !table) parts.table.append('p').text('There is nothing to list.');
}

function drawView(state) {
  const asking = isAsking(state), view = asking ? networkView : currentView();
  document.body.classList.toggle('asking', asking);
  document.documentElement.classList.toggle('full', state.full === 'on' && !asking);
  document.documentElement.style.fontSize = state.full === 'on' && !asking ? Math.min(window.innerWidth / 1920, window.innerHeight / 1080) * FULL_TEXT + 'px' : '';
  if (asking) {
    drawFigure(view, Object.assign({}, state, {asking, round: model.rounds.length === 1 ? 1 : 0, transfer: null}));
    return;
  }
  parts.views.selectAll('button').attr('aria-current', function () {
    return this.getAttribute('data-view') === view.id ? 'page' : null;
  });
  parts.view.text(view.name);
  parts.note.text(view.why(model) === null && !CHARTS[model.kind] ? view.note(model, state) : '');
  drawControls(view, state);
  drawChosen(state);
  drawLegend(view, drawFigure(view, state));
  drawTwin(view, state);
}

let saying = null;

function say(text) {
  clearTimeout(saying);
  saying = setTimeout(() => parts.live.text(text), 60);
}

// The announcement for a screen reader after a change.
function announce(state, change) {
  const round = model.rounds[state.round - 1];
  if (isAsking(state)) say('The question: ' + model.lessons[0].question);
  else if (change.view !== undefined) say(currentView().name + '. ' + (currentView().why(model) || steps.text(state)));
  else if (change.transfer !== undefined && state.transfer !== null) say('Transfer ' + transferText(model, round.transfers[state.transfer]));
  else say(steps.text(state));
}

// ---------------------------------------------------------------- keys

// The picture alone, as large as the screen, or the page again.
function fill(on) {
  store.set({full: on ? 'on' : null});
  if (on && document.documentElement.requestFullscreen) document.documentElement.requestFullscreen().catch(() => {}); // then it fills the window
  else if (!on && document.fullscreenElement) document.exitFullscreen();
}

// The next value of the view's last switch, for when it cannot be seen.
function turnControl() {
  const state = store.get(), view = currentView(), controls = view.why(model) === null ? view.controls(state, model) : [];
  if (controls.length === 0) return;
  const control = controls[controls.length - 1], at = control.values.findIndex(([value]) => value === control.value);
  store.set({[control.key]: control.values[(at + 1) % control.values.length][0]});
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const tag = event.target.tagName, onButton = tag === 'BUTTON' || tag === 'SUMMARY' || tag === 'A' || tag === 'SELECT';
  const state = store.get();
  if (model.doc.asks && (event.key === 'a' || (isAsking(state) && ['Enter', ' ', 'ArrowRight', 'PageDown'].includes(event.key)))) {
    event.preventDefault();
    store.set({answer: isAsking(state) ? 'shown' : null});
    return;
  }
  if (isAsking(state)) return;
  const full = state.full === 'on', act = {
    ArrowLeft: () => go(state.round - 1), ArrowRight: () => go(state.round + 1), Home: () => go(steps.first), End: () => go(steps.last),
    '[': () => turn(-1), ']': () => turn(1), Escape: () => full ? fill(false) : store.set({transfer: null}), t: () => store.set({table: state.table ? null : 'open'}),
    f: () => fill(!full), o: turnControl, PageDown: full ? () => go(state.round + 1) : null, PageUp: full ? () => go(state.round - 1) : null,
    ' ': onButton ? null : () => play(playing === null),
  }[event.key];
  const view = views.find(each => each.key === event.key);
  if (tag === 'INPUT' && ['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(event.key)) return;
  if (!act && !view) return;
  event.preventDefault();
  if (playing !== null && event.key !== ' ' && !view) play(false);
  if (view) store.set({view: view.id});
  else act();
}

// ---------------------------------------------------------------- start

drawHead();
drawSteps();
drawCursor(store.get());
drawView(store.get());
store.listen((state, change) => {
  if (state.run !== null && state.run !== model.chosen) { // the page of another run
    location.reload();
    return;
  }
  if (change.answer !== undefined) drawLessons();
  drawCursor(state);
  drawView(state);
  announce(state, change);
});
document.addEventListener('keydown', onKey);
parts.twin.node().addEventListener('toggle', () => {
  const open = parts.twin.property('open');
  if (open !== (store.get().table === 'open')) store.set({table: open ? 'open' : null});
});

let resizing = null;
window.addEventListener('resize', () => {
  clearTimeout(resizing);
  resizing = setTimeout(() => drawView(store.get()), 100);
});
// A browser's own key for leaving the full screen leaves the mode, too.
document.addEventListener('fullscreenchange', () => {
  if (!document.fullscreenElement && store.get().full) store.set({full: null});
});
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawView(store.get()));
document.documentElement.setAttribute('data-ready', Math.round(performance.now())); // milliseconds after the page was asked for
