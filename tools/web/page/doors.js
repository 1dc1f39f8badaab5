// SPDX-License-Identifier: MIT
// The doors: what each shows on the left, and the command that it makes from the state.

const DOORS = [['algorithm', 'Algorithm'], ['program', 'Program'], ['lesson', 'Lesson'], ['assignment', 'Assignment'], ['command', 'Command line']];
const DOINGS = [['explain', 'Explain'], ['run', 'Run'], ['compare', 'Compare'], ['sweep', 'Sweep'], ['check', 'Check']];
// The networks, and how the numbers after the colon are written; '' where there are none.
const NETWORKS = [['full', ''], ['line', ''], ['ring', ''], ['star', ''], ['mesh', '2x4'], ['torus', '2x4'], ['hypercube', '3'], ['tree', '2x3'],
  ['fattree', '4'], ['dragonfly', '2x2x1'], ['debruijn', '2x3'], ['butterfly', '2'], ['dgx1', ''], ['dgx-a100', '']];

function topologyOf(state) {
  return state.size.trim() ? state.topology + ':' + state.size.trim() : state.topology;
}

// Those options of the machine that differ from the command's own values.
function machineWords(state, prices) {
  const words = [], option = (name, value) => { if (String(value).trim()) words.push(name, String(value).trim()); };
  if (!state.size.trim() && !state.topology.startsWith('dgx')) option('-p', state.p);
  if (topologyOf(state) !== 'full') option('-t', topologyOf(state));
  option('--ports', state.ports);
  if (state.half) words.push('--half-duplex');
  if (state.noncombining) words.push('--noncombining');
  if (prices) {
    option('--routing', state.routing);
    option('--alpha', state.alpha);
    option('--beta', state.beta);
    option('--hop', state.hop);
    option('--tau', state.tau);
  }
  option('--switching', state.switching);
  return words;
}

// The command of the state's door, as words without "peal".
function commandOf(state) {
  if (state.door === 'command') return splitWords(state.line).slice(splitWords(state.line)[0] === 'peal' ? 1 : 0);
  if (state.door === 'program') return programCommand(state);
  if (state.door === 'assignment') return ['check', '--file', PROGRAM];
  if (state.door === 'lesson') return ['lesson', state.lesson];
  const {doing} = state, words = [doing], one = doing === 'explain' || doing === 'run' || doing === 'check';
  words.push(one && state.algorithm ? state.collective + '/' + state.algorithm : state.collective);
  if (doing === 'check') {
    const sized = state.size.trim() !== '';
    if (!sized && state.p.trim()) words.push('-p', state.p.trim());
    if (topologyOf(state) !== 'full') words.push('-t', topologyOf(state));
    if (state.ports.trim()) words.push('--ports', state.ports.trim());
    return words;
  }
  words.push(...machineWords(state, true));
  if (doing !== 'sweep') {
    if (state.n.trim()) words.push('-n', state.n.trim());
    else if (state.m.trim()) words.push('-m', state.m.trim());
  }
  if (state.root.trim()) words.push('-r', state.root.trim());
  return words;
}

// What can be done with the user's own program, or a function for the collective state.start.
function programDoing(state) {
  const choices = state.start === 'program' ? ['run', 'explain', 'check'] : ['check', 'run'];
  return choices.includes(state.doing) ? state.doing : choices[0];
}

function programCommand(state) {
  const doing = programDoing(state), own = state.start === 'program' ? [] : ['--file', PROGRAM, '--symbol', symbolOf(state.start)], p = state.p.trim() || '8';
  if (doing !== 'check') return [doing, ...(own.length ? [state.start, ...own] : [PROGRAM]), ...machineWords(state, true), '--timeout', '10'];
  const nodes = /^\d+$/.test(p) ? '1:' + Math.min(Number(p), 8) : p;
  return ['check', ...(own.length ? [state.start, ...own, '-p', nodes] : ['--program', PROGRAM, '-p', p]), '--timeout', '2'];
}

const symbolOf = collective => 'my_' + collective.replaceAll('-', '_');

// ---------------------------------------------------------------- fields

function makeNode(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== false) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// A field with its label; `change` is called with what was entered.
function makeField(id, label, field, wide = false) {
  field.id = 'field-' + id;
  return makeNode('div', wide ? {class: 'wide'} : {}, makeNode('label', {for: field.id}, label), field);
}

function makeChoice(values, chosen, change) {
  const select = makeNode('select', {onchange: () => change(select.value)},
    ...values.map(([value, text]) => makeNode('option', {value, selected: value === chosen}, text ?? value)));
  return select;
}

function makeInput(value, hint, change) {
  const input = makeNode('input', {value, placeholder: hint, autocomplete: 'off', spellcheck: 'false', onchange: () => change(input.value)});
  return input;
}

function makeCheck(id, label, checked, change) {
  const input = makeNode('input', {type: 'checkbox', id: 'field-' + id, checked, onchange: () => change(input.checked)});
  return makeNode('div', {class: 'wide'}, input, ' ', makeNode('label', {for: input.id, style: 'display:inline'}, label));
}

// ---------------------------------------------------------------- panels

function fillAlgorithm(panel, state, catalogue, figure, set) {
  const collectives = [...new Set(catalogue.map(a => a.collective))];
  const names = catalogue.filter(a => a.collective === state.collective).map(a => a.algorithm);
  const change = key => value => set({[key]: value});
  const hint = (NETWORKS.find(([kind]) => kind === state.topology) || ['', ''])[1];
  panel.append(
    makeField('collective', 'Collective', makeChoice(collectives.map(c => [c]), state.collective, value => set({collective: value, algorithm: ''})), true),
    makeField('algorithm', 'Algorithm', makeChoice([['', 'the best there is'], ...names.map(a => [a])], state.algorithm, change('algorithm')), true),
    makeNode('div', {class: 'wide doings', role: 'group', 'aria-label': 'What to do'},
      ...DOINGS.map(([doing, label]) => makeNode('button', {type: 'button', 'aria-pressed': String(doing === state.doing), 'data-doing': doing, onclick: () => set({doing})}, label))),
    makeField('topology', 'Network', makeChoice(NETWORKS.map(([kind]) => [kind]), state.topology, value => set({topology: value, size: ''}))),
    makeField('size', 'Its numbers', makeInput(state.size, hint ? `from P, or as ${hint}` : 'from P', change('size'))),
    makeField('p', 'Nodes P', makeInput(state.size.trim() ? '' : state.p, state.size.trim() ? 'by the network' : '8', change('p'))),
    makeField('root', 'Root', makeInput(state.root, '0', change('root'))),
    figure,
    makeField('m', 'Words a block m', makeInput(state.m, '4', change('m'))),
    makeField('n', 'or of a vector n', makeInput(state.n, 'm·P', change('n'))),
    makeNode('fieldset', {}, makeNode('legend', {}, 'Machine'),
      makeField('ports', 'Ports', makeChoice([['', '1'], ['2'], ['3'], ['4'], ['all']], state.ports, change('ports'))),
      makeField('switching', 'Switching', makeChoice([['', 'ideal'], ['wormhole'], ['store-forward']], state.switching, change('switching'))),
      makeCheck('half', 'half duplex', state.half, change('half')),
      makeCheck('noncombining', 'messages may not combine', state.noncombining, change('noncombining'))),
    makeNode('fieldset', {}, makeNode('legend', {}, 'Prices'),
      makeField('alpha', 'α, a start-up', makeInput(state.alpha, '1000', change('alpha'))),
      makeField('beta', 'β, a word', makeInput(state.beta, '1', change('beta'))),
      makeField('hop', 't_d, a hop', makeInput(state.hop, '0', change('hop'))),
      makeField('tau', 'τ, an operation', makeInput(state.tau, '0', change('tau')))));
}

// A program of one's own: the start is the sum over a binomial tree, by messages.
const START = `#include <peal/peal.h>
#include <stdio.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int64_t sum = peal_rank(me) + 1, other;

    for (int bit = 1; bit < peal_size(me); bit *= 2) {
        int partner = peal_rank(me) ^ bit;

        if (peal_rank(me) & bit) {
            peal_send(me, &sum, 1, partner);
            break; /* what it had is with its partner */
        }
        if (partner < peal_size(me)) {
            peal_recv(me, &other, 1, partner);
            sum += other;
        }
    }
    if (peal_rank(me) == 0)
        printf("the sum is %lld\\n", (long long)sum);
}
`;

// Without a compiler there is nothing to do.
const NO_COMPILER = 'This page has no C compiler: it is in the folder that tools/web/build writes, not in the single file.';

function fillProgram(panel, state, starts, editor, figure, set) {
  const change = key => value => set({[key]: value}), doing = programDoing(state);
  panel.append(
    makeField('start', 'What you write', makeChoice([['program', 'a program: peal_main'], ...Object.keys(starts).map(name => [name, 'a function: ' + symbolOf(name)])],
      state.start, value => set({start: value, source: '', doing: value === 'program' ? 'run' : 'check'})), true),
    makeNode('div', {class: 'wide'}, editor),
    makeNode('div', {class: 'wide doings', role: 'group', 'aria-label': 'What to do'},
      ...(state.start === 'program' ? ['run', 'explain', 'check'] : ['check', 'run']).map(name => makeNode('button', {type: 'button', 'aria-pressed': String(name === doing), 'data-doing': name,
        onclick: () => set({doing: name})}, DOINGS.find(([known]) => known === name)[1]))),
    makeField('topology', 'Network', makeChoice(NETWORKS.map(([kind]) => [kind]), state.topology, value => set({topology: value, size: ''}))),
    makeField('size', 'Its numbers', makeInput(state.size, 'from P', change('size'))),
    makeField('p', 'Nodes P', makeInput(state.size.trim() ? '' : state.p, state.size.trim() ? 'by the network' : '8', change('p'))),
    makeField('switching', 'Switching', makeChoice([['', 'ideal'], ['wormhole'], ['store-forward']], state.switching, change('switching'))),
    figure);
}

// The start of a function that carries a collective out: its parameters are those of union peal_check_function.
function startOf(collective, parameters) {
  const names = parameters.split(',').map(parameter => /(\w+)$/.exec(parameter)[1]).filter(name => name !== 'me');
  return `#include <peal/peal.h>
#include <string.h>

/* ${collective}: peal explain ${collective.replace(/v$/, '')} shows how others do it. */
void
${symbolOf(collective)}(${parameters})
{
    int P = peal_size(me), rank = peal_rank(me);

    /* your turn: who sends what to whom, in which round? */
    ${['P', 'rank', ...names].map(name => '(void)' + name).join(', ')};
}
`;
}

function fillAssignment(panel, state, assignments, editor, set, check) {
  const one = assignments[state.assignment];
  panel.append(
    makeField('assignment', 'Assignment', makeChoice(Object.entries(assignments).map(([name, {title}]) => [name, title]), state.assignment, value => set({assignment: value, work: ''})), true),
    makeNode('details', {class: 'wide'}, makeNode('summary', {}, 'What to do'), makeNode('pre', {id: 'handout', tabindex: '0'}, one.handout)),
    makeNode('div', {class: 'wide'}, editor),
    makeNode('div', {class: 'wide doings'}, makeNode('button', {type: 'button', id: 'check', onclick: check}, 'Check'),
      makeNode('button', {type: 'button', onclick: () => set({work: ''})}, 'Begin again')));
}

function fillLesson(panel, state, lessons, set) {
  const at = lessons.findIndex(lesson => lesson.id === state.lesson), go = step => () => set({lesson: lessons[at + step].id, answered: false});
  panel.append(
    makeField('lesson', 'Lesson', makeChoice(lessons.map(({id, title}) => [id, id + '  ' + title]), state.lesson, value => set({lesson: value, answered: false})), true),
    makeNode('div', {class: 'wide doings'},
      makeNode('button', {type: 'button', disabled: at <= 0, onclick: go(-1)}, 'Previous'),
      makeNode('button', {type: 'button', disabled: at < 0 || at + 1 >= lessons.length, onclick: go(1)}, 'Next')),
    makeNode('p', {class: 'wide'}, lessons[at] ? lessons[at].source : ''),
    makeNode('div', {class: 'wide doings'},
      makeNode('button', {type: 'button', id: 'answer', 'aria-pressed': String(state.answered), onclick: () => set({answered: !state.answered})},
        state.answered ? 'Hide the answer' : 'Show the answer')));
}

function fillCommand(panel) {
  panel.append(makeNode('div', {class: 'wide'},
    makeNode('p', {}, 'Any command with all its options, as in a terminal; peal --help lists them. Files that a command writes are there for the next one.'),
    makeNode('p', {}, 'As in: peal compare allreduce -p 16')));
}
