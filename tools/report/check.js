// SPDX-License-Identifier: MIT
// View 6, check: what peal check proved or found.  Only pages of such a document have it.

const checkView = {
  id: 'check', name: 'Check', key: '6', steps: true,

  why: model => model.kind === 'check' ? null : absentRun(model, 'proofs'),

  note(model) {
    const bound = model.doc.bound;
    return (bound ? 'P = ' + bound.nodes_from + ' to ' + bound.nodes_to + (bound.only ? ', ' + bound.only : '') + '. ' : '') + count(model.doc.runs, 'run') + ' were made.';
  },

  controls: () => [],

  // The lines of the picture: a check, and behind it what was found of it.
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
    const lines = this.lines(model), longest = Math.max(...lines.map(line => line.finding ? textWidth(findingText(line.finding), 13) + 60 : 0), 600);
    return {width: Math.max(Math.floor(width), Math.ceil(longest)), height: 24 + 30 * Math.max(lines.length, 1)};
  },

  marks: model => 4 * (model.doc.checks.length + model.doc.findings.length),

  draw(pen, model, state, size) {
    this.lines(model).forEach((line, i) => {
      const y = 12 + i * 30, here = line.step === state.round, pick = 'round:' + line.step;
      pen.rect(0, y, size.width, 30, {fill: here ? 'wash' : 'bg', pick});
      if (here) pen.rect(0, y, 4, 30, {fill: 'accent'});
      if (line.finding) {
        pen.text(52, y + 20, findingText(line.finding), {size: 13, fill: line.finding.severity === 'warning' ? 'k2' : 'bad', pick});
        return;
      }
      const check = line.check, proved = check.proved;
      pen.text(18, y + 20, proved ? '✓' : '✗', {size: 15, weight: 700, fill: proved ? 'good' : 'bad', data: {check: check.algorithm || check.collective, proved}});
      pen.text(44, y + 20, check.collective + (check.algorithm ? '/' + check.algorithm : '') + (proved ? ': proved for P = ' + check.nodes : ': not proved' + (check.reason ? ', ' + check.reason : '')) + ', ' + count(check.runs, 'run'), {size: 14, weight: here ? 700 : 500, pick});
    });
  },

  hit: () => null,
  legend: () => [],
  summary: model => titleOf(model) + ': ' + count(model.doc.checks.filter(each => each.proved).length, 'check') + ' of ' + number(model.doc.checks.length) + ' proved, ' + count(model.doc.findings.length, 'finding') + '.',

  cursorText(model, state) {
    const check = model.doc.checks[state.round - 1];
    return check ? check.collective + (check.algorithm ? '/' + check.algorithm : '') + ': ' + (check.proved ? 'proved for P = ' + check.nodes : 'not proved') + ', ' + count(check.runs, 'run') + '.' : 'Nothing was checked.';
  },

  table(model, state) {
    return {caption: 'The checks and what they found', head: ['algorithm', 'result', 'P', num('runs'), 'finding', 'smallest case', 'run it again'],
            rows: this.lines(model).map(line => {
              if (line.check) return {cells: [line.check.collective + (line.check.algorithm ? '/' + line.check.algorithm : ''), line.check.proved ? 'proved' : 'not proved', line.check.nodes || '', line.check.runs, line.check.reason || '', '', ''], pick: 'round:' + line.step, current: line.step === state.round};
              return {cells: ['', line.finding.severity || 'error', '', '', findingText(line.finding), caseText(line.finding.case), line.finding.rerun ? 'peal check ' + line.finding.rerun : ''], current: line.step === state.round};
            })};
  },
};

function findingText(finding) {
  return finding.kind + ': ' + finding.message + (finding.file ? ' (' + fileName(finding.file) + ':' + finding.line + ')' : '');
}

function caseText(found) {
  if (!found) return '';
  return Object.keys(found).filter(key => found[key] !== null).map(key => key.replace('_', ' ') + ' ' + JSON.stringify(found[key]).replace(/"/g, '')).join(', ');
}
