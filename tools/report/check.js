// SPDX-License-Identifier: MIT
// View 6, check: what peal check proved or found.  Only pages of such a document have it.

const checkView = {
  id: 'check', name: 'Check', key: '6', steps: true,

  why: model => model.kind === 'check' ? null : absentRun(model, 'proofs'),

  note(model) {
    const bound = model.doc.bound;
    return (bound ? 'P = ' + bound.nodes_from + (bound.nodes_to > bound.nodes_from ? ' to ' + bound.nodes_to : '') + (bound.only ? ', ' + bound.only : '') + '. ' : '') + count(model.doc.runs, 'run') + ' were made.';
  },

  controls: () => [],

  // The lines of the picture: a check, and after it its findings.
  lines(model) {
    const lines = [];
    model.doc.checks.forEach((check, i) => {
      const findings = model.doc.findings.filter(each => each.collective === check.collective && each.algorithm === check.algorithm);
      lines.push({check, step: i + 1, findings: findings.length});
      for (const finding of findings) lines.push({finding, step: i + 1});
    });
    return lines;
  },

  size(model, state, width) {
    const wide = Math.max(Math.floor(width), 480), lines = this.lines(model), rows = [];
    let y = 12;
    for (const line of lines) {
      const texts = wrapText(line.finding ? findingText(line.finding) : checkText(model, line.check), wide - (line.finding ? 72 : 64), 15);
      rows.push({line, texts, y, high: 12 + 18 * texts.length});
      y += 12 + 18 * texts.length;
    }
    return {width: wide, height: Math.max(y + 12, 54), rows};
  },

  marks: model => 4 * (model.doc.checks.length + model.doc.findings.length),

  draw(pen, model, state, size) {
    for (const {line, texts, y, high} of size.rows) {
      const here = !model.run && line.step === state.round, pick = model.run ? null : 'round:' + line.step, check = line.check, finding = line.finding;
      pen.rect(0, y, size.width, high, {fill: here ? 'wash' : 'bg', pick});
      if (here) pen.rect(0, y, 4, high, {fill: 'accent'});
      if (check) pen.text(18, y + 20, check.proved ? '✓' : '✗', {size: 15, weight: 700, fill: check.proved ? 'good' : 'bad', data: {check: check.algorithm || check.collective, proved: check.proved}});
      texts.forEach((text, i) => pen.text(finding ? 52 : 44, y + 20 + 18 * i, text, finding ? {size: 13, fill: finding.severity === 'warning' ? 'k2' : 'bad', pick, data: {finding: finding.kind}}
        : {size: 14, weight: here ? 700 : 500, pick}));
    }
  },

  hit: () => null,
  legend: () => [],
  summary: model => isProgram(model) ? checkText(model, model.doc.checks[0]) + '.' : titleOf(model) + ': ' + count(model.doc.checks.filter(each => each.proved).length, 'check') + ' of ' + number(model.doc.checks.length) + ' proved, ' + count(model.doc.findings.length, 'finding') + '.',

  cursorText(model, state) {
    const check = model.doc.checks[state.round - 1];
    return check ? checkText(model, check) + '.' : 'Nothing was checked.';
  },

  table(model, state) {
    return {caption: 'The checks and what they found', head: ['algorithm', 'result', 'P', num('runs'), 'finding', 'smallest case', 'run it again'],
            rows: this.lines(model).map(line => {
              if (line.check) return {cells: [checkName(model, line.check), verdictOf(line.check), line.check.nodes || '', line.check.runs, line.check.reason || apart(line.check), '', ''], pick: model.run ? undefined : 'round:' + line.step, current: !model.run && line.step === state.round};
              return {cells: ['', line.finding.severity || 'error', '', '', findingText(line.finding), caseText(line.finding.case), line.finding.command || ''], current: !model.run && line.step === state.round};
            })};
  },
};

// Name its place only once: most messages have it.
function findingText(finding) {
  const place = finding.file ? fileName(finding.file) + ':' + finding.line : '';
  return finding.kind + ': ' + finding.message + (place && !finding.message.includes(place) ? ' (' + place + ')' : '');
}

// What was checked: an algorithm, a function of a file, or a whole program.
function checkName(model, check) {
  const doc = model.doc;
  if (!check.collective) return doc.file ? fileName(doc.file) : 'the program';
  return check.collective + (check.algorithm ? '/' + check.algorithm : doc.symbol ? ', ' + doc.symbol + (doc.file ? ' of ' + fileName(doc.file) : '') : '');
}

// What a verdict does not cover: the ends of variables that messages came from or went to, memory that is not watched.
function apart(check) {
  return [check.not_told_apart && check.not_told_apart + ' are not told apart', check.not_watched].filter(Boolean).join('; ');
}

// What --every says: the numbers of nodes that it is proved for, or why not.
function everyText(check) {
  const every = check.every;
  if (!every) return '';
  if (!every.to) return every.reason || '';
  return 'proved for every P to 2^' + Math.log2(every.to) + ': ' + count(every.classes, 'class', 'classes') + ' of P, ' + count(every.obligations, 'obligation') + (every.cached ? ' (from the cache)' : '') + '; assumes ' + every.assumes;
}

// A whole program is run in all orders; nothing is proved about it.
function isProgram(model) {
  return !model.doc.checks[0].collective;
}

function verdictOf(check) {
  if (check.collective) return check.proved ? 'proved' : 'not proved';
  return check.proved ? 'no failure in any order of arrival' : check.reason ? 'incomplete' : 'wrong';
}

function checkText(model, check) {
  const bound = check.collective ? ' for P = ' : ', P = ';
  return checkName(model, check) + ': ' + verdictOf(check) + (check.proved ? bound + check.nodes : check.reason ? ', ' + check.reason : '') + (everyText(check) && '; ' + everyText(check)) + ', ' + count(check.runs, 'run') + (apart(check) && '; ' + apart(check));
}

// "P = 2, n = 1, root 0", with all else that decides the run, except the machine.
function smallestText(finding) {
  const found = finding.case, collective = finding.collective || '', parts = ['P = ' + found.nodes];
  const blocks = /^(scatter|gather|allgather|reduce-scatter|alltoall)v?$/.test(collective);
  const root = /^(scatterv?|gatherv?|broadcast|reduce|multicast)$/.test(collective);
  if (found.sizes) parts.push('blocks of ' + found.sizes.join(', ') + ' words');
  else if (collective && collective !== 'barrier') parts.push((blocks ? 'm' : 'n') + ' = ' + found.words);
  if (root) parts.push('root ' + found.root);
  if (collective === 'shift') parts.push('by ' + found.by);
  if (collective === 'barrier' && found.root < found.nodes) parts.push('node ' + found.root + ' late');
  if (found.in_place) parts.push('in place');
  if (found.call === 'twice') parts.push('called twice');
  if (found.call === 'group') parts.push('in a group');
  if (found.choices) parts.push('receives from any source take from ' + found.choices.map(rank => rank < 0 ? 'a later one' : rank).join(', '));
  return parts.join(', ');
}

function caseText(found) {
  if (!found) return '';
  return Object.keys(found).filter(key => found[key] !== null).map(key => key.replace('_', ' ') + ' ' + JSON.stringify(found[key]).replace(/"/g, '')).join(', ');
}
