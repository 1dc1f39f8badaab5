// SPDX-License-Identifier: MIT
// Numbers and formulas as words.

// Six digits of a number, as the command prints them: ties are rounded to even.
function sixDigits(x) {
  const scale = 10 ** (5 - Math.floor(Math.log10(Math.abs(x)))), scaled = x * scale;
  return Math.abs(scaled % 1) === 0.5 ? 2 * Math.round(scaled / 2) / scale : Number(x.toPrecision(6));
}

// 1234567.5 as "1 234 570", with narrow blanks that do not break; other numbers have up to six digits.
function number(x) {
  if (x === null || x === undefined) return '–';
  const [whole, rest] = String(Math.abs(Number.isInteger(x) ? x : sixDigits(x))).split('.');
  const grouped = whole.length < 5 || whole.includes('e') ? whole : whole.replace(/\B(?=(\d{3})+$)/g, '\u202f');
  return (x < 0 ? '−' : '') + grouped + (rest ? '.' + rest : '');
}

// "1.004", with four digits; "just above 1" where these would say that both are equal.
function ratioText(ratio) {
  const shown = Number(ratio.toPrecision(4));
  return shown === 1 && ratio !== 1 ? 'just ' + (ratio > 1 ? 'above' : 'below') + ' 1' : number(shown);
}

// What makes a lower bound, as the command says it: "by a cut, as in ...: node {0} must send out 52 words over links of capacity 1".
function boundCause(bound) {
  const most = 24, cut = bound.cut, named = cut ? cut.nodes.slice(0, most).join(' ') + (cut.nodes.length > most ? ' ...' : '') : '';
  return [bound.source].concat(cut ? (cut.nodes.length === 1 ? 'node' : 'nodes') + ' {' + named + '} must ' + (cut.into ? 'take in ' : 'send out ') + words(cut.words) + ' over links of capacity ' + number(cut.capacity) : []).filter(text => text).join(': ');
}

// The ratio to the bound; one of 1 with what it means: other prices might make another run cheaper.
function boundRatio(cost, bound) {
  const above = ['alpha', 'beta', 'hop', 'tau'].some(key => cost[key] > bound[key]);
  return ratioText(bound.ratio) + (bound.ratio === 1 ? ': no run can be cheaper' + (above ? ' for these prices' : '') : '');
}

// Invisible characters that control, hide or reorder a text: Unicode's classes Cc and Cf, and its separators of lines.
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

// Give the value with "?" for these characters in all its texts, which are changed in place.
function makePlain(value) {
  if (typeof value === 'string') return value.replace(UNSEEN, '?');
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (typeof value[i] !== 'number') value[i] = makePlain(value[i]);
  } else if (value !== null && typeof value === 'object') {
    for (const key of Object.keys(value)) value[key] = makePlain(value[key]);
  }
  return value;
}

// "1 node", "8 nodes"; `many` where more than one are not named by an s at the end.
function count(n, noun, many = noun + 's') {
  return number(n) + '\u00a0' + (n === 1 ? noun : many);
}

// The name of a message's words: 'byte' where they are bytes, as in MPI programs.
let unit = 'word';

// "5 words", "5 bytes".
function words(n) {
  return count(n, unit);
}

// {alpha: 3, beta: 28, ...} as "3α + 28β".
function formula(cost) {
  if (!cost) return '–';
  const terms = [];
  for (const [key, letter] of [['alpha', 'α'], ['beta', 'β'], ['hop', 't_d'], ['tau', 'τ']]) {
    if (cost[key]) terms.push((cost[key] === 1 ? '' : number(cost[key])) + letter);
  }
  return terms.join(' + ').replace('+ −', '− ') || '0';
}

function timeOf(cost, prices) {
  return cost.alpha * prices.alpha + cost.beta * prices.beta + cost.hop * prices.hop + cost.tau * prices.tau;
}

function addCosts(a, b) {
  return {alpha: a.alpha + b.alpha, beta: a.beta + b.beta, hop: a.hop + b.hop, tau: a.tau + b.tau};
}

// "on 7 of 12 hosts in random order, 3 nodes each at most".
function placementText(placement) {
  return 'on ' + new Set(placement.map).size + ' of ' + count(placement.hosts, 'host') + ' in ' + placement.order + ' order' +
         (placement.per_host > 1 ? ', ' + placement.per_host + ' nodes each at most' : '');
}

// A run's network as -t takes it.
function placedNetwork(run) {
  const placement = run.placement;
  if (!placement) return run.topology;
  const order = placement.order === 'file' ? 'map:' + placement.map.join(',') : placement.order + (placement.order === 'random' ? ':' + placement.seed : '');
  return run.topology + '@' + (placement.per_host > 1 ? placement.per_host + ':' : '') + order;
}

// The name of a vertex: a node's rank, a host where nodes are placed, or a switch.
function vertexName(model, v) {
  return model.network && model.network.names ? model.network.names[v] : v < model.nodes ? String(v) : 'switch ' + v;
}

// Where a node stands in the failure's waits-for graph: {from, to, cycle} of each node that waits for another, and of each
// edge of the cycle.
function waitsOf(failure, nodes) {
  const waits = [], isNode = rank => Number.isInteger(rank) && rank >= 0 && rank < nodes;
  const add = (from, to, cycle) => {
    const known = waits.find(each => each.from === from && each.to === to);
    if (known) known.cycle = known.cycle || cycle;
    else if (isNode(from) && isNode(to) && from !== to) waits.push({from, to, cycle});
  };
  for (const node of failure.nodes) add(node.rank, node.peer, false);
  const cycle = failure.cycle || [];
  cycle.forEach((rank, i) => add(rank, cycle[(i + 1) % cycle.length], true));
  return waits;
}

// A cycle as "0 → 2 → 1 → 0"; of a long one the beginning.
function cycleText(cycle) {
  if (cycle.length <= 12) return cycle.concat(cycle[0]).join(' → ');
  return cycle.slice(0, 8).join(' → ') + ' → … → ' + cycle[cycle.length - 1] + ' → ' + cycle[0] + ' (' + count(cycle.length, 'node') + ')';
}

// What a failed node was doing, "waits to receive 1 word from node 7, cycle.c:11".
function stateText(node) {
  const place = node.file ? ', ' + fileName(node.file) + ':' + node.line : '';
  if (!node.for) return (node.call ? 'waits in ' + node.call : node.state) + place;
  const peer = node.peer === -1 ? 'any node' : 'node ' + node.peer;
  const what = node.words === null || node.words === undefined ? '' : ' ' + words(node.words);
  const tag = node.tag > 0 ? ' with tag ' + node.tag : '';
  const state = node.box ? 'cannot post (its ' + node.box + ' is full) and waits' : node.state + (node.call ? ' in ' + node.call : '');
  return state + ' to ' + node.for + what + (node.for === 'send' ? ' to ' : ' from ') + peer + tag + place;
}

function fileName(path) {
  return path.slice(path.lastIndexOf('/') + 1);
}

// 1 is A, 27 is AA: letters for algorithms on a map.
function letterOf(i) {
  return (i >= 26 ? letterOf(Math.floor(i / 26) - 1) : '') + String.fromCharCode(65 + i % 26);
}
