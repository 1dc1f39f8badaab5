// SPDX-License-Identifier: MIT
// The page's document in the form that the views need: rounds numbered from 1 with their transfers, routes and sums.

const MAX_CHAIN = 40000; // transfers among which the critical path is looked for

// Read the page's data; of a page of lessons that of one of their runs, the first where there is no such run.
function readPage(page, run) {
  const doc = makePlain(page).document;
  const model = {page, doc, kind: doc.schema.split('/')[1], name: page.name, nodes: doc.nodes || 0, rounds: [], run: null};
  if (model.kind === 'app') model.run = doc.run;
  if (model.kind === 'run') model.run = doc;
  if (model.kind === 'check') readShown(model);
  if (model.kind === 'lesson') readLesson(model, run);
  if (model.run) readRun(model);
  return model;
}

// A lesson's page shows one of its runs at a time, below the lesson's text.
function readLesson(model, asked) {
  const steps = [].concat(...model.doc.lessons.map(lesson => lesson.steps || [])).filter(step => step.run);
  model.lessons = model.doc.lessons;
  model.runs = steps.length;
  model.chosen = Number.isInteger(asked) && asked >= 1 && asked <= steps.length ? asked : 1;
  model.page = Object.assign({}, model.page, model.page.runs[model.chosen - 1], {blocks_absent: 'A lesson is a program of its own: what its nodes hold is not recorded.'});
  model.caption = steps[model.chosen - 1].text;
  model.run = steps[model.chosen - 1].run;
  model.kind = 'run';
}

// The run of the first thing that a check found wrong; page.breakdown exists if it could be read.
function readShown(model) {
  const shown = model.doc.shown;
  if (!shown || !model.page.breakdown) return;
  model.run = shown.run;
  model.finding = model.doc.findings[0];
  model.page.blocks = shown.blocks;
  model.page.blocks_absent = shown.blocks_absent;
  model.page.observed = shown.observed;
}

function readRun(model) {
  const run = model.run, page = model.page;
  model.nodes = run.nodes;
  model.prices = run.parameters;
  unit = run.word_bytes === 1 ? 'byte' : 'word';
  model.network = page.network;
  model.observed = page.observed || {};
  model.failure = run.failure || null;
  let total = {alpha: 0, beta: 0, hop: 0, tau: 0};
  model.rounds = page.sums ? readSums(model) : run.rounds.map((round, i) => {
    total = addCosts(total, round.charge);
    return readRound(model, round, i, total);
  });
  model.known = !page.sums && model.rounds.every(round => round.transfers !== null);
  model.transferCount = model.rounds.reduce((sum, round) => sum + round.count, 0);
  model.largestK = model.rounds.reduce((k, round) => Math.max(k, round.k), 0);
  model.critical = findCritical(model);
}

// "MPI_Bcast by binomial at prog.c:12"; of a send and a receive "MPI_Send at prog.c:12 to MPI_Recv at prog.c:14"; '' where it is not
// known.
function callText(run, calls) {
  const texts = (calls || []).map(i => (run.calls || [])[i]).filter(c => c).map(c =>
    (c.call || 'posted') + (c.algorithm ? ' by ' + c.algorithm : '') + ' at ' + fileName(c.file) + ':' + c.line);
  return texts[0] === texts[1] ? texts[0] || '' : texts.join(' to ');
}

// A round of a page with nine numbers per round and no transfers: values are made on request, since there can be 100,000 rounds.
class SummedRound {
  constructor(model, i) {
    this.model = model;
    this.number = i + 1;
  }
  sum(key) { return this.model.page.sums[9 * (this.number - 1) + key]; }
  get count() { return this.sum(0); }
  get words() { return this.sum(1) === null ? undefined : this.sum(1); }
  get k() { return this.sum(2); }
  get charge() { return {alpha: this.sum(3), beta: this.sum(4), hop: this.sum(5), tau: this.sum(6)}; }
  get time() { return timeOf(this.charge, this.model.prices); }
  get total() { return this.model.totals[this.number - 1]; }
  get totalTime() { return timeOf(this.total, this.model.prices); }
  get parts() {
    return {startups: this.sum(3), volume: this.sum(4) - this.sum(7) - this.sum(8), longer: this.sum(7), congestion: this.sum(8), distance: this.sum(5), compute: this.sum(6)};
  }
}
Object.assign(SummedRound.prototype, {transfers: null, longest: 0, each: null});

function readSums(model) {
  const rounds = d3.range(model.page.sums.length / 9).map(i => new SummedRound(model, i));
  let totals = null;
  Object.defineProperty(model, 'totals', {get() {
    let total = {alpha: 0, beta: 0, hop: 0, tau: 0};
    totals = totals || rounds.map(round => total = addCosts(total, round.charge));
    return totals;
  }});
  return rounds;
}

// The vertex that a node is on paths: of several on a host the lowest.
function hostVertices(network) {
  if (!network || !network.names) return v => v;
  if (!network.standing) {
    const first = new Map();
    network.standing = network.names.map((name, v) => first.has(name) ? first.get(name) : (first.set(name, v), v));
  }
  return v => network.standing[v];
}

function readRound(model, round, i, total) {
  const routes = model.network && model.network.routes ? model.network.routes[i] : null;
  const parts = model.page.breakdown ? model.page.breakdown[i] : null;
  const made = {number: i + 1, charge: round.charge, time: timeOf(round.charge, model.prices), total,
                totalTime: timeOf(total, model.prices), transfers: null, count: 0, words: 0, k: 0, longest: 0, parts: null, each: null};
  if (parts) {
    made.parts = {startups: parts[0], volume: parts[1], longer: parts[2], congestion: parts[3], distance: parts[4],
                  compute: parts[5]};
  }
  if (!Array.isArray(round.transfers)) {
    made.count = round.transfers;
    made.words = round.words;
    made.k = round.k;
    return made;
  }
  const at = hostVertices(model.network);
  made.transfers = round.transfers.map((t, j) => ({
    index: j, from: t.from, to: t.to, words: t.words, hops: t.hops, k: t.k,
    path: [at(t.from)].concat(routes ? routes[j] : [], t.hops > 0 ? [at(t.to)] : []),
    routed: routes !== null || t.hops <= 1, call: callText(model.run, t.calls),
  }));
  made.count = made.transfers.length;
  for (const t of made.transfers) {
    made.words += t.words;
    made.k = Math.max(made.k, t.k);
    made.longest = Math.max(made.longest, t.words);
  }
  if (made.count > 1 && made.transfers.every(t => t.words === made.longest)) made.each = made.longest; // said once, not on each
  return made;
}

// The transfers on a longest chain, as "round,index" in a Set.  An observer's path is taken as it is.  Otherwise a chain
// is searched in which every transfer begins when both its ends have ended their earlier rounds; it is shown only if its
// cost is exactly what the run counted.
function findCritical(model) {
  const seen = model.observed.critical;
  if (seen) return {set: new Set(seen.map(pair => pair[0] + ',' + pair[1])), why: null};
  const want = model.run.critical_path;
  if (!want) return {set: null, why: 'the document does not contain the critical path'};
  if (!model.known) return {set: null, why: 'the critical path is not drawn: single transfers are not in the document'};
  if (model.transferCount === 0) return {set: null, why: null};
  if (model.transferCount > MAX_CHAIN) {
    return {set: null, why: 'the critical path is not looked for among more than ' + number(MAX_CHAIN) + ' transfers'};
  }
  const chain = longestChain(model);
  const cost = chain.reduce((sum, link) => addCosts(sum, aloneCost(model, link.transfer)), {alpha: 0, beta: 0, hop: 0, tau: 0});
  const same = ['alpha', 'beta', 'hop', 'tau'].every(key => cost[key] === want[key]);
  if (!same) {
    return {set: null, why: 'the critical path is ' + formula(want) + '; the document does not say which transfers are on it'};
  }
  return {set: new Set(chain.map(link => link.round + ',' + link.transfer.index)), why: null};
}

// Whether times are in nanoseconds: those of MPI programs, whose words are bytes, at the prices they have if none are given.
function inNanoseconds(run) {
  return run.word_bytes === 1 && run.parameters.alpha === 1000 && run.parameters.beta === 0.125;
}

// The cost of a transfer that has its links to itself.
function aloneCost(model, t) {
  const kind = model.run.switching;
  return {alpha: 1, beta: kind === 'store-forward' ? t.words * Math.max(t.hops, 1) : t.words,
          hop: kind === 'wormhole' ? t.hops : 0, tau: 0};
}

function longestChain(model) {
  const last = new Array(model.nodes).fill(null); // the link that ends a node's longest chain so far
  let best = null;
  model.rounds.forEach((round, r) => {
    const made = round.transfers.map(transfer => {
      const a = last[transfer.from], b = last[transfer.to];
      const before = (a ? a.time : 0) >= (b ? b.time : 0) ? a : b;
      const time = (before ? before.time : 0) + timeOf(aloneCost(model, transfer), model.prices);
      return {round: r, transfer, before, time};
    });
    for (const link of made) {
      for (const node of [link.transfer.from, link.transfer.to]) {
        const better = !last[node] || last[node].time < link.time; // of several that end then, what the node received: its data go on
        if (better || (last[node].time === link.time && link.transfer.to === node && last[node].transfer.to !== node)) last[node] = link;
      }
      if (!best || best.time < link.time) best = link;
    }
  });
  const chain = [];
  for (let link = best; link; link = link.before) chain.unshift(link);
  return chain;
}

function isCritical(model, round, transfer) {
  return model.critical.set !== null && model.critical.set.has((round.number - 1) + ',' + transfer.index);
}

// The loads of a round's directed links, a Map from "u,v" to {from, to, transfers, words}; null where routes are not known.
function linkLoads(model, round) {
  const loads = new Map(), network = model.network;
  if (!round || !round.transfers) return loads;
  for (const t of round.transfers) {
    for (let i = 0; i + 1 < t.path.length; i++) {
      const key = t.path[i] + ',' + t.path[i + 1];
      let load = loads.get(key);
      if (!load) loads.set(key, load = {from: t.path[i], to: t.path[i + 1], transfers: [], words: 0});
      load.transfers.push(t.index);
      load.words += t.words;
    }
  }
  for (const load of loads.values()) load.k = load.transfers.length;
  for (let i = 0; network && network.capacities && i < network.capacities.length; i++) {
    for (const key of [network.wires[2 * i] + ',' + network.wires[2 * i + 1], network.wires[2 * i + 1] + ',' + network.wires[2 * i]]) {
      const load = loads.get(key);
      if (load) load.k = Math.ceil(load.transfers.length / network.capacities[i]);
    }
  }
  return loads;
}

// "scatter/binomial on 8 nodes, m = 4 words a block, root 0"; an algorithm by both its names.
function titleOf(model) {
  const doc = model.run || model.doc;
  if (model.lessons) return 'Run ' + model.chosen + ' of ' + model.runs + ': ' + model.caption;
  if (model.kind === 'app') return model.doc.application + ' on ' + count(model.nodes, 'node');
  if (model.kind === 'run') {
    let text = (doc.collective ? doc.collective + '/' + doc.algorithm + (doc.alias ? ' (' + doc.alias + ')' : '') : fileName(doc.program || 'a program')) +
               ' on ' + count(doc.nodes, 'node');
    if (doc.block_words !== null && doc.block_words !== undefined) text += ', m = ' + count(doc.block_words, 'word') + ' a block';
    else if (doc.vector_words) text += ', n = ' + count(doc.vector_words, 'word');
    return doc.root ? text + ', root ' + doc.root : text;
  }
  if (model.kind === 'compare') {
    return 'The algorithms of ' + doc.collective + ' on ' + count(doc.nodes, 'node') + ', ' +
           count(doc.vector_words, 'word') + ' in all';
  }
  if (model.kind === 'scale') return 'How ' + fileName(doc.program) + ' scales';
  if (model.kind === 'model') return 'The model beside ' + fileName(doc.file);
  if (model.kind === 'sweep') return 'The algorithms of ' + doc.collective + ' over sizes and nodes';
  if (model.finding) return checkName(model, model.finding) + ' is wrong on ' + count(model.run.nodes, 'node');
  return 'What peal check found' + (doc.file ? ' in ' + fileName(doc.file) : '');
}

// "torus:2x2 to torus:4x4": the networks of a sweep over nodes.
function networksOf(points) {
  const names = Array.from(new Set(points.map(point => point.topology)));
  return names.length < 2 ? names.join('') : names[0] + ' to ' + names[names.length - 1];
}

// "hypercube:3, routing ecube, 1 port, full duplex, ideal switching".
function machineOf(model) {
  const doc = model.run || model.doc;
  const parts = [];
  if (doc.topology) parts.push(doc.topology, 'routing ' + doc.routing);
  if (doc.placement) parts.push(placementText(doc.placement));
  else if (model.kind === 'sweep') parts.push(networksOf(doc.points));
  if (doc.ports !== undefined) {
    parts.push(doc.ports === 'all' ? 'all ports' : count(doc.ports, 'port'), doc.duplex + ' duplex', doc.switching + ' switching');
  }
  if (doc.congestion === 'volume') parts.push('congestion by volume');
  if (doc.delivery && doc.delivery !== 'rendezvous') parts.push('delivery ' + doc.delivery);
  if (doc.parameters) parts.push('α = ' + number(doc.parameters.alpha) + ', β = ' + number(doc.parameters.beta) +
    (doc.parameters.hop || doc.switching === 'wormhole' ? ', t_d = ' + number(doc.parameters.hop) : '') + (doc.parameters.tau ? ', τ = ' + number(doc.parameters.tau) : '') + (inNanoseconds(doc) ? ', in ns' : ''));
  return parts.join(', ');
}
