// SPDX-License-Identifier: MIT
// The page of peal report in a browser: node page_test.mjs PEAL [--every-round] [PART OF A NAME].  Every page is made from a
// real run; what a view shows is compared with the JSON, in a quarter of the rounds or as often as each test says.  Exits
// with 77, which means skipped, and says why, where there is no browser to drive.
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import os from 'node:os';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import assert from 'node:assert/strict';

const require = createRequire(import.meta.url);
const peal = path.resolve(process.argv[2]);
const everyRound = process.argv.includes('--every-round');
const only = process.argv.slice(3).find(word => word !== '--every-round') || '';

function skip(why) {
  console.log('skipped: the page in a browser: ' + why);
  process.exit(77);
}

function findBrowser() {
  const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  return process.env.PEAL_CHROMIUM || places.find(place => fs.existsSync(place)) || skip('there is no chromium (package chromium)');
}

let chromium, axeSource;
try {
  ({chromium} = require('playwright-core'));
  axeSource = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
} catch {
  skip('playwright-core and axe-core are missing: npm ci in tests/report, which tools/test does');
}

// ---------------------------------------------------------------- documents and pages

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peal-page-'));

const DEADLOCK = `#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int rank = peal_rank(me), size = peal_size(me);
    double mine = rank, theirs;

    if (rank == 3)
        peal_send(me, &mine, 1, 4);
    if (rank == 4)
        peal_recv(me, &mine, 1, 3);
    peal_recv(me, &theirs, 1, (rank + size - 1) % size);
    peal_send(me, &mine, 1, (rank + 1) % size);
}
`;

const CRASH = `#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int rank = peal_rank(me), size = peal_size(me);
    double mine = rank, theirs;

    if (rank == 2)
        *(volatile int *)8 = 1;
    peal_sendrecv(me, &mine, 1, (rank + 1) % size, &theirs, 1, (rank + size - 1) % size);
}
`;

// Run the command; gives what it prints, also where it ends with 1, as a run that failed does.
function run(args) {
  try {
    return execFileSync(peal, args, {cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28});
  } catch (error) {
    if (error.status === 1 && error.stdout) return error.stdout;
    throw error;
  }
}

// Make a page; gives its document, all that the page holds, and its address.
function makePage(name, args, change) {
  let text = run(args.concat('--json'));
  if (change) text = change(text);
  const json = path.join(folder, name + '.json'), html = path.join(folder, name + '.html');
  fs.writeFileSync(json, text);
  const own = args.find((word) => word.startsWith('file:')); // a document opens no file by itself
  run(['report', json, '-o', html, ...(own ? ['-t', own] : [])]);
  const source = fs.readFileSync(html, 'utf8');
  const data = JSON.parse(/<script type="application\/json" id="peal-page">(.*?)<\/script>/s.exec(source)[1]);
  return {name, doc: JSON.parse(text), data, url: pathToFileURL(html).href, bytes: Buffer.byteLength(source)};
}

function number(x) {
  if (!Number.isInteger(x)) return String(Number(x.toPrecision(6)));
  const digits = String(x);
  return digits.length < 5 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

function count(n, noun) {
  return number(n) + '\u00a0' + noun + (n === 1 ? '' : 's');
}

function formula(cost) {
  return [['alpha', 'α'], ['beta', 'β'], ['hop', 't_d'], ['tau', 'τ']].filter(([key]) => cost[key] !== 0)
    .map(([key, letter]) => (cost[key] === 1 ? '' : number(cost[key])) + letter).join(' + ') || '0';
}

// ---------------------------------------------------------------- the browser

const VIEWPORT = {width: 1280, height: 800};
const tests = [];

function test(name, body) {
  if (name.includes(only)) tests.push({name, body});
}

let context, spare = null, complaints = [];

// A page as new: the one that was closed last. Making one takes half of what the tests take.
async function emptyPage() {
  const page = spare || await context.newPage(), close = page.close;
  spare = null;
  page.close = async () => {
    for (const event of ['console', 'pageerror', 'request']) page.removeAllListeners(event);
    page.close = close;
    if (spare) {
      await page.close();
      return;
    }
    await page.goto('about:blank');
    await page.setViewportSize(VIEWPORT);
    await page.emulateMedia({media: null, colorScheme: null});
    await page.mouse.move(0, 0);
    spare = page;
  };
  return page;
}

// Open a page; whatever it logs as an error, throws, or asks for is a complaint.
async function open(made, hash = '') {
  const page = await emptyPage();
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(made.name + ': ' + message.text());
  });
  page.on('pageerror', error => complaints.push(made.name + ': ' + error.message));
  page.on('request', request => {
    if (request.url().split('#')[0] !== made.url && !request.url().startsWith('blob:')) complaints.push(made.name + ' asks for ' + request.url().slice(0, 100));
  });
  await page.goto(made.url + hash);
  await page.waitForSelector('html[data-ready]', {timeout: 120000});
  return page;
}

// Wait until the function is true of the page; the page's policy forbids what waitForFunction does.
async function until(page, holds, argument) {
  for (let tries = 0; tries < 3000; tries++) {
    if (await page.evaluate(holds, argument)) return;
    await page.waitForTimeout(20);
  }
  throw new Error('this never came: ' + holds);
}

const text = (page, selector) => page.textContent(selector);
const list = (page, selector, attribute) => page.$$eval(selector, (marks, key) => marks.map(mark => mark.getAttribute(key)), attribute);
const hashOf = async page => new URLSearchParams((await page.evaluate(() => location.hash)).slice(1));

async function press(page, key) {
  await page.keyboard.press(key);
}

// The links of a round's routes, from the page's network: "u,v" with how many transfers cross it.
function loadsOf(made, round) {
  const loads = {}, routes = made.data.network.routes[round];
  made.doc.rounds[round].transfers.forEach((t, i) => {
    const way = t.from === t.to ? [t.from] : [t.from].concat(routes ? routes[i] : [], t.to);
    assert.equal(way.length - 1, t.hops, made.name + ': a route has as many links as hops');
    for (let j = 0; j + 1 < way.length; j++) loads[way[j] + ',' + way[j + 1]] = (loads[way[j] + ',' + way[j + 1]] || 0) + 1;
  });
  return loads;
}

// ---------------------------------------------------------------- every view of a run against the JSON

async function checkRoundLine(page, made, round) {
  const line = await text(page, '#round'), rounds = made.doc.rounds;
  if (round === 0) {
    assert.equal(line, rounds.length ? 'Before round 1 of ' + rounds.length : 'No round');
    return;
  }
  const {transfers, charge} = rounds[round - 1];
  assert.ok(line.startsWith('Round ' + round + ' of ' + rounds.length + ': ' + count(transfers.length, 'transfer')), line);
  assert.ok(line.includes('charge ' + formula(charge) + ','), line);
  if (transfers.length) assert.ok(line.includes('largest k ' + Math.max(...transfers.map(t => t.k))), line);
}

async function checkSpaceTime(page, made, round) {
  const all = made.doc.rounds.flatMap((each, r) => each.transfers.map((t, i) => (r + 1) + ':' + i));
  if (await page.$('#figure canvas')) return;
  assert.deepEqual((await list(page, '#figure [data-transfer]', 'data-transfer')).sort(), all.sort());
  const inks = await page.$$eval('#figure [data-transfer]', marks => marks.map(mark => [mark.getAttribute('data-transfer'), mark.getAttribute('stroke')]));
  for (const [which, ink] of inks) {
    const [r, i] = which.split(':').map(Number), k = made.doc.rounds[r - 1].transfers[i].k;
    assert.equal(ink, 'var(--k' + Math.min(k, 3) + ')', which);
  }
  assert.equal(await page.locator('#figure rect[data-round="' + round + '"][fill="var(--wash)"]').count(), round === 0 ? 0 : 1);
}

async function checkNetwork(page, made, round) {
  assert.equal(await page.locator('#figure [data-vertex]').count() || made.doc.nodes, made.doc.nodes + made.data.network.switches);
  if (round === 0 || await page.$('#figure canvas')) return;
  const shown = await page.$$eval('#figure [data-link]', marks => marks.map(mark => [mark.getAttribute('data-link'), Number(mark.getAttribute('data-k'))]));
  assert.deepEqual(Object.fromEntries(shown), loadsOf(made, round - 1), made.name + ', round ' + round);
}

async function checkCost(page, made, round) {
  const prices = made.doc.parameters, time = cost => cost.alpha * prices.alpha + cost.beta * prices.beta + cost.hop * prices.hop + cost.tau * prices.tau;
  const bars = await page.$$eval('#figure [data-bar]', marks => marks.map(mark => [Number(mark.getAttribute('data-bar')), Number(mark.getAttribute('data-value'))]));
  for (let r = 0; r < made.doc.rounds.length; r++) {
    const sum = bars.filter(([bar]) => bar === r + 1).reduce((all, [, value]) => all + value, 0);
    assert.equal(sum, time(made.doc.rounds[r].charge), made.name + ': the bar of round ' + (r + 1));
  }
  const lines = Object.fromEntries(await page.$$eval('#figure [data-line]', marks => marks.map(mark => [mark.getAttribute('data-line'), Number(mark.getAttribute('data-time'))])));
  const want = {run: made.doc.cost.time};
  for (const key of ['closed_form', 'critical_path', 'lower_bound']) if (made.doc[key]) want[key] = time(made.doc[key]);
  assert.deepEqual(lines, want);
  const total = made.doc.rounds.slice(0, round).reduce((sum, each) => sum + time(each.charge), 0);
  if (round > 0) assert.ok((await text(page, '#figure')).includes('= ' + number(total)), 'the total after round ' + round);
}

// What the nodes hold, replayed from the page's changes.
async function checkBlocks(page, made, round) {
  const blocks = made.data.blocks;
  if (!blocks) {
    assert.match(await text(page, '#figure [data-absent="blocks"]'), /What the nodes hold is not in this document/);
    return;
  }
  if (await page.$('#figure canvas') || !(await page.$('#figure [data-cell]'))) return;
  const want = {};
  for (let node = 0; node < made.doc.nodes; node++) for (let i = 0; i < blocks.cells; i++) want[node + ',' + i] = 'nothing';
  [blocks.start, ...blocks.rounds.slice(0, round)].forEach((changes, r) => {
    for (const [node, first, cells, value, mark] of changes) {
      for (let i = 0; i < cells; i++) want[node + ',' + (first + i)] = mark || (value === null ? 'nothing' : r === round && r > 0 ? 'new' : 'held');
    }
  });
  const shown = Object.fromEntries(await page.$$eval('#figure [data-cell]', marks => marks.map(mark => [mark.getAttribute('data-cell'), mark.getAttribute('data-state')])));
  assert.deepEqual(shown, want, made.name + ', after round ' + round);
}

async function checkTable(page, made, round) {
  const rows = await page.locator('#table tbody tr').count(), transfers = round > 0 ? made.doc.rounds[round - 1].transfers : null;
  assert.equal(rows, transfers ? Math.min(transfers.length, 100) : made.doc.rounds.length);
  if (!transfers || transfers.length === 0) return;
  const cells = await page.$$eval('#table tbody tr:first-child > *', marks => marks.map(mark => mark.textContent));
  assert.deepEqual(cells.slice(1, 5), [String(transfers[0].from), String(transfers[0].to), number(transfers[0].words), number(transfers[0].hops)]);
}

const VIEWS = [['1', 'time', checkSpaceTime], ['2', 'network', checkNetwork], ['3', 'blocks', checkBlocks], ['4', 'cost', checkCost]];

// Step through all rounds by keyboard, in each view, and look at one in `step` of them, or at a quarter of these.
async function stepThrough(made, step = 1) {
  const page = await open(made, '#blocks=all'), last = made.doc.rounds.length, every = everyRound ? step : 4 * step;
  await page.evaluate(() => document.querySelector('#figure').focus());
  for (const [key, view, check] of VIEWS) {
    await press(page, key);
    await press(page, 'Home');
    for (let round = 0; round <= last; round++) {
      if (round % every === 0 || round === last) {
        const hash = await hashOf(page);
        assert.equal(hash.get('view'), view);
        assert.equal(hash.get('round'), String(round));
        await checkRoundLine(page, made, round);
        await check(page, made, round);
      }
      await press(page, 'ArrowRight');
    }
    assert.equal((await hashOf(page)).get('round'), String(last), 'the last round is the last');
    await press(page, 'End');
    await press(page, 'ArrowLeft');
    assert.equal((await hashOf(page)).get('round'), String(Math.max(last - 1, 0)));
  }
  await press(page, '1');
  await press(page, 't');
  for (let round = last; round >= 0; round -= Math.max(1, Math.floor(last / 3))) {
    await page.evaluate(at => { location.hash = '#view=time&table=open&round=' + at; }, round);
    await until(page, at => document.querySelector('#slider').value === String(at), round);
    await checkTable(page, made, round);
  }
  await page.close();
}

const pages = {};
const get = (name, args, change) => pages[name] || (pages[name] = makePage(name, args, change));
const eight = () => get('eight', ['run', 'scatter', '-p', '8', '-m', '4', '-t', 'hypercube']);
const nine = () => get('nine', ['run', 'scatter/linear', '-t', 'mesh:3x3', '--ports', '2']);
const deadlock = () => {
  fs.writeFileSync(path.join(folder, 'cycle.c'), DEADLOCK);
  return get('deadlock', ['run', 'cycle.c', '-p', '8', '-t', 'ring']);
};
const wrong = () => {
  fs.writeFileSync(path.join(folder, 'cycle.c'), DEADLOCK);
  return get('wrong', ['check', '--program', 'cycle.c', '-p', '5']);
};
// The page that the check writes itself has the run of what is wrong.
const failing = () => {
  if (pages.failing) return pages.failing;
  fs.writeFileSync(path.join(folder, 'cycle.c'), DEADLOCK);
  const html = path.join(folder, 'failing.html');
  run(['check', '--program', 'cycle.c', '-p', '5', '--report', html]);
  const source = fs.readFileSync(html, 'utf8'), data = JSON.parse(/<script type="application\/json" id="peal-page">(.*?)<\/script>/s.exec(source)[1]);
  return pages.failing = {name: 'failing', doc: data.document, data, url: pathToFileURL(html).href};
};
const crash = () => {
  fs.writeFileSync(path.join(folder, 'crash.c'), CRASH);
  return get('crash', ['run', 'crash.c', '-p', '5']);
};
const networkFile = () => {
  fs.writeFileSync(path.join(folder, 'net.txt'), '0 1\n1 2\n2 3\n3 0\n1 4\n4 5\n5 2\n');
  return path.join(folder, 'net.txt');
};
const sweep = () => get('sweep', ['sweep', 'broadcast/binomial', 'broadcast/scatter-allgather', 'broadcast/linear', '-n', '1:64Ki:x16', '-p', '8']);
const map = () => get('map', ['sweep', 'allreduce', '-n', '8:32K:x8', '-p', '2:16']);
const compared = () => get('compare', ['compare', 'allreduce', '-p', '16', '-n', '1K']);

for (const [what, make, every] of [
  ['P = 1', () => get('one', ['run', 'scatter', '-p', '1']), 1],
  ['P = 8 on a hypercube', eight, 1],
  ['P = 9 on a mesh, with links that are shared', nine, 1],
  ['P = 64 on a torus', () => get('sixtyfour', ['run', 'allreduce', '-p', '64', '-t', 'torus:8x8']), 3],
  ['P = 16 on a fat tree, wormhole', () => get('fattree', ['run', 'alltoall', '-p', '16', '-t', 'fattree:4', '--switching', 'wormhole', '--hop', '3']), 5],
  ['P = 8 that fails', deadlock, 1],
  ['P = 11 on a part of a torus', () => get('part', ['run', 'allgather/ring', '-p', '11', '-t', 'torus:4x4', '--place', 'random:5']), 5],
]) test('every round by keyboard: ' + what, () => stepThrough(make(), every));

test('the nodes of a host are drawn as one, and hosts without a node, too', async () => {
  const made = get('hosts', ['run', 'alltoall/shift', '-p', '20', '-t', 'mesh:3x4', '--per-host', '3', '--place', 'random:2']);
  const page = await open(made, '#view=network&round=1');
  assert.equal(await page.locator('#figure [data-vertex]').count(), 12);
  const drawn = await text(page, '#figure');
  for (const ranks of ['0–2', '3–5', '18–19']) assert.ok(drawn.includes(ranks), ranks);
  assert.match(await text(page, 'body'), /mesh:3x4, routing xy, on 7 of 12\shosts in random order, 3 nodes each at most/);
  const loads = await page.$$eval('#figure [data-link]', marks => marks.map(mark => Number(mark.getAttribute('data-k'))));
  assert.equal(loads.reduce((sum, k) => sum + k, 0), made.doc.rounds[0].transfers.reduce((sum, t) => sum + t.hops, 0));
  assert.equal(Math.max(...loads), Math.max(...made.doc.rounds[0].transfers.map(t => t.k)));
});

test('every round by keyboard: P = 1024, on canvases that are not empty', async () => {
  const made = get('thousand', ['run', 'allreduce/recursive-doubling', '-p', '1024', '-t', 'hypercube']);
  await stepThrough(made, 5);
  const page = await open(made, '#view=time&round=10');
  for (const key of ['1', '2']) {
    await press(page, key);
    const inked = await page.$eval('#figure canvas', canvas => {
      const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let other = 0;
      for (let i = 0; i < data.length; i += 4) other += data[i] !== data[0] || data[i + 1] !== data[1] || data[i + 2] !== data[2];
      return other / (data.length / 4);
    });
    assert.ok(inked > 0.005, 'view ' + key + ': ' + inked);
  }
  await page.close();
});

test('a run with more transfers than a page shows says so', async () => {
  const made = get('many', ['run', 'alltoall/linear', '-p', '347', '-m', '1']);
  const page = await open(made);
  assert.match(await text(page, '#note'), /the run has 120062 transfers; a page shows each where they are at most 120000/i);
  await press(page, '4');
  assert.ok(await page.locator('#figure [data-bar]').count() > 100);
  await press(page, '2');
  assert.match(await text(page, '#note'), /links in use are not drawn/);
  await page.close();
});

// ---------------------------------------------------------------- single promises

test('a chosen transfer lights its route, by keys, by a click and by the table', async () => {
  const made = nine(), page = await open(made, '#view=network&round=4');
  const route = i => {
    const t = made.doc.rounds[3].transfers[i], way = [t.from].concat(made.data.network.routes[3][i], t.to);
    return way.slice(1).map((to, j) => way[j] + ',' + to);
  };
  await page.evaluate(() => document.body.focus());
  await press(page, ']');
  assert.deepEqual(await list(page, '#figure [data-route]', 'data-route'), route(0));
  await press(page, ']');
  assert.deepEqual(await list(page, '#figure [data-route]', 'data-route'), route(1));
  assert.match(await text(page, '#transfer'), /0 → 8: 4\swords, 4\shops, k = 2, by 0 → 1 → 2 → 5 → 8/);
  await press(page, 'Escape');
  assert.equal(await page.locator('#figure [data-route]').count(), 0);
  await page.locator('#figure [data-link="2,5"]').dispatchEvent('click');
  assert.deepEqual(await list(page, '#figure [data-route]', 'data-route'), route(1));
  await press(page, 't');
  await page.locator('#table tbody button').first().click();
  assert.deepEqual(await list(page, '#figure [data-route]', 'data-route'), route(0));
  assert.equal((await hashOf(page)).get('transfer'), '0');
  await page.close();
});

test('the critical path is as long as the run says, or not drawn', async () => {
  for (const made of [eight(), nine()]) {
    const page = await open(made, '#view=time');
    const marks = await list(page, '#figure [data-critical]', 'data-critical');
    const cost = {alpha: marks.length, beta: 0};
    for (const mark of marks) {
      const [r, i] = mark.split(',').map(Number);
      cost.beta += made.doc.rounds[r].transfers[i].words;
    }
    assert.equal(formula({...cost, hop: 0, tau: 0}), formula(made.doc.critical_path), made.name);
    await press(page, 't');
    await page.getByRole('button', {name: 'off'}).click();
    assert.equal(await page.locator('#figure [data-critical]').count(), 0);
    await page.close();
  }
});

test('a round is as wide as its charge', async () => {
  const page = await open(get('wide', ['run', 'scatter', '-p', '8', '-m', '1000']), '#width=charge');
  const widths = await page.$$eval('#figure rect[data-round]', marks => marks.map(mark => Number(mark.getAttribute('width'))));
  assert.equal(widths.length, 3);
  const unit = widths[2] / 2000; // α + 1000β
  assert.ok(Math.abs(widths[0] - 5000 * unit) < 1 && Math.abs(widths[1] - 3000 * unit) < 1, widths.join(' '));
  await page.close();
});

test('a failure is outlined, with what each node waits for and where', async () => {
  const made = deadlock(), page = await open(made);
  assert.deepEqual(await list(page, '#figure [data-failed]', 'data-failed'), made.doc.failure.nodes.map(node => String(node.rank)));
  const shown = await text(page, '#figure');
  for (const node of made.doc.failure.nodes) assert.ok(shown.includes('waits to receive 1\u00a0word from node ' + node.peer + ', cycle.c:' + node.line), shown);
  await press(page, '2');
  assert.deepEqual(await list(page, '#figure [data-waits]', 'data-waits'), made.doc.failure.nodes.map(node => node.rank + ',' + node.peer));
  assert.match(await text(page, '#outcome'), /deadlock: nothing can move.*Cycle 0 → 7 → 6 → 5 → 4 → 3 → 2 → 1 → 0/);
  await page.close();
});

test('findings of a run are listed, once each line, with the rule and how to fix it', async () => {
  fs.writeFileSync(path.join(folder, 'unsafe.c'), `#include <peal/peal.h>
void peal_main(struct peal_node *me, int argc, char **argv) {
  int next = (peal_rank(me) + 1) % peal_size(me), last = (peal_rank(me) + peal_size(me) - 1) % peal_size(me);
  double x = 1; (void)argc, (void)argv;
  peal_send(me, &x, 1, next);
  peal_recv(me, &x, 1, last);
}
`);
  const made = get('unsafe', ['run', 'unsafe.c', '-p', '4', '--fallback-buffer', 'unlimited']), page = await open(made);
  assert.equal(made.doc.findings.length, 1);
  assert.deepEqual(await list(page, '#case [data-finding]', 'data-finding'), ['deadlock-if-unbuffered']);
  assert.match(await text(page, '#case'), /deadlock-if-unbuffered: nothing can move unless.*unsafe.c:5.*MPI 3.1, 3.5.*To fix it: let node 0 receive first/);
  assert.match(await text(page, '#outcome'), /T = /);
  await page.close();
});

test('a wire of more capacity is wider, and k counts its wires', async () => {
  const page = await open(get('capacity', ['run', 'allgather', '-t', 'dgx1', '-m', '1000']));
  await page.evaluate(() => { location.hash = '#view=network&round=1'; });
  await until(page, () => document.querySelector('[data-view="network"]').getAttribute('aria-current') === 'page');
  const widths = await page.evaluate(() => Array.from(document.querySelectorAll('#figure [data-capacity]'), each => each.getAttribute('data-capacity') + ' ' + each.getAttribute('stroke-width')));
  assert.equal(widths.length, 8); // pairs that two NVLinks join; 8 others have one
  assert.deepEqual(Array.from(new Set(widths)), ['2 2.8']);
  await page.close();
});

// What is wrong with the picture: labels that cover one another, and marks that are cut off at its edge.
const faultsOf = page => page.evaluate(() => {
  const svg = document.querySelector('#figure svg'), frame = svg.getBoundingClientRect(), faults = [];
  const labels = Array.from(svg.querySelectorAll('text')).map(mark => ({text: mark.textContent, box: mark.getBoundingClientRect()}));
  labels.forEach((a, i) => labels.slice(i + 1).forEach(b => {
    const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left), high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
    if (wide > 1 && high > 5) faults.push('"' + a.text + '" and "' + b.text + '" overlap');
  }));
  for (const mark of svg.querySelectorAll('line, path, rect, circle, text')) {
    const box = mark.getBoundingClientRect(), beyond = Math.max(frame.left - box.left, box.right - frame.right, frame.top - box.top, box.bottom - frame.bottom);
    if (beyond > 1.5) faults.push(mark.tagName + ' "' + mark.textContent.slice(0, 40) + '" is cut off by ' + Math.round(beyond));
  }
  return faults;
});

for (const [what, make, views, rounds] of [
  ['a torus whose wires go round', () => get('torus33', ['run', 'scatter', '-t', 'torus:3x3']), ['network', 'time', 'cost'], [2]],
  ['a torus with all links in use', () => get('torus44', ['run', 'alltoall', '-t', 'torus:4x4', '-m', '1000']), ['network', 'time', 'cost'], [3]],
  ['a torus of three dimensions', () => get('torus442', ['run', 'allreduce', '-t', 'torus:4x4x2', '-n', '1K']), ['network', 'time'], [3]],
  ['a tree whose links are shared', () => get('tree', ['run', 'broadcast', '-t', 'tree:2x4', '-n', '1000']), ['network', 'time'], [5]],
  ['a network from a file', () => get('file', ['run', 'allgather', '-t', 'file:' + networkFile(), '-p', '6', '-m', '1000']), ['network', 'time'], [3]],
  ['links of several capacities', () => get('dgx1', ['run', 'allgather', '-t', 'dgx1', '-m', '1000']), ['network', 'time'], [2]],
  ['64 nodes, long rounds', () => get('cube64', ['run', 'alltoall', '-p', '64', '-t', 'hypercube', '-m', '1000']), ['cost'], [1, 20]],
  ['600 rounds', () => get('chain600', ['run', 'broadcast/chain:600', '-p', '5', '-n', '6000']), ['cost'], [1, 300]],
  ['every pair of nodes linked', () => get('cannon', ['app', 'cannon', '-p', '16']), ['network', 'time'], [1]],
  ['a deadlock', deadlock, ['time', 'network'], [1]],
  ['a sweep', sweep, ['compare'], [2]],
  ['a map', map, ['compare'], [2]],
  ['a comparison', compared, ['compare'], [1]],
  ['a long finding', wrong, ['check'], [1]],
]) test('no label covers another, nothing is cut off: ' + what, async () => {
  const page = await open(make());
  for (const view of views) {
    for (const round of rounds) {
      await page.evaluate(to => { location.hash = to; }, '#view=' + view + '&round=' + round);
      await until(page, id => document.querySelector('[data-view="' + id + '"]').getAttribute('aria-current') === 'page', view);
      assert.deepEqual(await faultsOf(page), [], view + ', round ' + round);
    }
  }
  await page.close();
});

test('words that are the same for all transfers of a round are said once, in its head', async () => {
  const page = await open(get('torus44', ['run', 'alltoall', '-t', 'torus:4x4', '-m', '1000']));
  assert.deepEqual(new Set(await list(page, '#figure [data-each]', 'data-each')), new Set(['1000']));
  assert.deepEqual(await list(page, '#figure [data-words]', 'data-words'), []);
  assert.match(await text(page, '#round'), /^Round 1 of 15: 16\u00a0transfers of 1000\u00a0words, largest k 1,/);
  await press(page, '2');
  assert.deepEqual(await list(page, '#figure [data-each]', 'data-each'), ['1000']);
  await page.close();
});

test('the legend lists what is drawn, and nothing else', async () => {
  const entries = page => page.$$eval('#legend > span', marks => marks.map(mark => mark.textContent));
  const page = await open(eight(), '#view=time&critical=off');
  assert.deepEqual(await entries(page), ['a transfer']);
  await page.getByRole('button', {name: 'on'}).click();
  assert.deepEqual(await entries(page), ['a transfer', 'critical path']);
  await press(page, '2');
  assert.deepEqual(await entries(page), ['a link with one transfer', 'a wire']);
  await press(page, 'Home');
  assert.deepEqual(await entries(page), ['a wire']);
  await page.close();
  const shared = await open(nine(), '#view=network&round=1'), made = nine();
  for (let round = 1; round <= made.doc.rounds.length; round++) {
    const loads = Object.values(loadsOf(made, round - 1)), shown = await entries(shared);
    assert.equal(shown.includes('a link with one transfer'), loads.includes(1));
    assert.equal(shown.includes('×2: two share it'), loads.includes(2));
    assert.equal(shown.includes('×k: k share it'), loads.some(k => k > 2));
    await press(shared, 'ArrowRight');
  }
  await shared.close();
  const single = await open(get('single', ['sweep', 'broadcast/binomial', '-n', '1:4Ki:x16', '-p', '8']));
  assert.deepEqual(await entries(single), ['lower bound']);
  await single.close();
});

test('a tab that has nothing to show is grey, and says why', async () => {
  for (const made of [eight(), deadlock(), compared(), sweep()]) {
    const page = await open(made);
    for (const id of await list(page, '#views button', 'data-view')) {
      await page.click('#views [data-view="' + id + '"]');
      const empty = await page.$eval('#views [data-view="' + id + '"]', mark => mark.classList.contains('empty')), absent = await page.$('#figure [data-absent]');
      assert.equal(empty, absent !== null, made.name + ', ' + id);
      if (absent) assert.equal(await page.getAttribute('#views [data-view="' + id + '"]', 'title'), await text(page, '#figure [data-absent]'));
    }
    await page.close();
  }
});

test('the cycle of a deadlock is drawn in the space-time view and in the network', async () => {
  const made = deadlock(), page = await open(made), cycle = made.doc.failure.cycle;
  const edges = cycle.map((rank, i) => rank + ',' + cycle[(i + 1) % cycle.length]).sort();
  assert.deepEqual((await list(page, '#figure [data-cycle]', 'data-cycle')).sort(), edges);
  assert.match(await text(page, '#legend'), /waits for, on the cycle/);
  await press(page, '2');
  assert.deepEqual((await list(page, '#figure [data-waits]', 'data-waits')).sort(), edges);
  await page.close();
});

test('a crash: the node that failed waits for no other', async () => {
  const made = crash(), page = await open(made, '#view=network'), waiting = made.doc.failure.nodes.filter(node => node.peer !== null);
  assert.ok(waiting.length > 0 && waiting.length < made.doc.failure.nodes.length);
  assert.deepEqual(await list(page, '#figure [data-waits]', 'data-waits'), waiting.map(node => node.rank + ',' + node.peer));
  await page.close();
});

test('the ratio to the lower bound stands beside what makes the bound, and the time so far beside its curve', async () => {
  const made = get('star', ['run', 'broadcast/linear', '-p', '13', '-t', 'star']), page = await open(made, '#view=cost');
  assert.match(await text(page, '#outcome'), /; lower bound 4α \+ 52β, ratio 3\.115 \(by a cut, as in ForestColl \(Zhao et al\. 2024\): node \{1\} must take in 52\swords over links of capacity 1\)/);
  const apart = await page.evaluate(() => {
    const label = [...document.querySelectorAll('#figure text')].find(each => each.textContent === 'α + 52β = 1052').getBBox(), curve = document.querySelector('#figure path[stroke="var(--accent)"]');
    return Array.from({length: 400}, (_, i) => curve.getPointAtLength(i / 399 * curve.getTotalLength())).every(at => at.x < label.x || at.x > label.x + label.width || at.y > label.y + label.height);
  });
  assert.ok(apart, 'the curve runs through the text of its point');
  await page.close();
  const cheapest = await open(get('cheapest', ['run', 'scatter/binomial', '-p', '8']));
  assert.match(await text(cheapest, '#outcome'), /ratio 1: no run can be cheaper \(Tvrdík, PDP course, Lemma 7\)/);
  await cheapest.close();
});

test('a lower bound is drawn alike everywhere, in the plot too', async () => {
  const style = (page, selector) => page.$eval(selector, mark => ['stroke', 'stroke-width', 'stroke-dasharray'].map(key => mark.getAttribute(key)).join(' '));
  for (const [made, view, selector] of [[eight(), 'cost', '[data-line="lower_bound"]'], [compared(), 'compare', '[data-bound]'], [sweep(), 'compare', '[data-line="bound"]']]) {
    const page = await open(made, '#view=' + view);
    assert.equal(await style(page, '#figure ' + selector), 'var(--ink) 2 6 3', made.name);
    await page.close();
  }
  run(['sweep', 'broadcast/binomial', '-n', '1:4Ki:x16', '-p', '8', '--plot', 'bound']);
  assert.match(fs.readFileSync(path.join(folder, 'bound.gp'), 'utf8'), /lines dashtype \(6,3\) linewidth 2 linecolor rgb 'black' title 'lower bound'/);
});

test('axes have a tick at both ends, and every size below', async () => {
  const made = get('sizes', ['sweep', 'allreduce', '-p', '16', '-n', '1:512Ki:x2', '-t', 'torus', '--execute', 'none']), page = await open(made);
  const times = made.doc.points.flatMap(point => point.algorithms.filter(each => each.cost).map(each => each.cost.time));
  const ticks = (await list(page, '#figure [data-tick]', 'data-tick')).map(Number);
  assert.ok(Math.min(...ticks) <= Math.min(...times) && Math.max(...ticks) >= Math.max(...times), ticks.join(' '));
  assert.deepEqual(await list(page, '#figure [data-size]', 'data-size'), made.doc.points.map(point => number(point.vector_words)));
  await page.close();
  const bars = await open(compared()), most = Math.max(...compared().doc.algorithms.map(each => each.cost.time));
  assert.ok(Math.max(...(await list(bars, '#figure [data-tick]', 'data-tick')).map(Number)) >= most);
  await bars.close();
});

test('a finding says its place once, and a checked program is named', async () => {
  const made = wrong(), page = await open(made), finding = made.doc.findings[0], place = 'cycle.c:' + finding.line;
  const shown = (await page.$$eval('#figure [data-finding]', marks => marks.map(mark => mark.textContent))).join(' ');
  assert.equal(shown, finding.kind + ': ' + finding.message);
  assert.ok(shown.includes(place) && !(await text(page, '#figure')).includes('null'));
  assert.equal(await text(page, '#round'), 'cycle.c: wrong, ' + count(made.doc.runs, 'run') + '.');
  await page.close();
});

test('space plays to the end and pauses; what is announced follows', async () => {
  const page = await open(eight());
  await press(page, 'Home');
  await until(page, () => document.querySelector('#live').textContent.startsWith('Before round 1'));
  await press(page, 'Space');
  await until(page, () => document.querySelector('#slider').value === '3');
  await until(page, () => document.querySelector('#steps [aria-pressed]').getAttribute('aria-pressed') === 'false');
  await until(page, () => document.querySelector('#live').textContent.startsWith('Round 3 of 3: 4'));
  await press(page, 'Space');
  assert.equal(await page.getAttribute('#steps [aria-pressed]', 'aria-pressed'), 'true');
  await press(page, 'Space');
  assert.equal(await page.getAttribute('#steps [aria-pressed]', 'aria-pressed'), 'false');
  await page.close();
});

test('the address holds the state, whatever its text is', async () => {
  const made = nine(), page = await open(made, '#view=network&round=4&transfer=1&table=open');
  const before = await page.innerHTML('main');
  await page.reload();
  await page.waitForSelector('html[data-ready]');
  assert.equal(await page.innerHTML('main'), before);
  for (const hash of ['#view=nothing&round=99&transfer=-7', '#round=NaN&transfer=1e9&width=<b>', '#%E0%A4%A', '#round=-1']) {
    await page.evaluate(to => { location.hash = to; }, hash);
    await page.waitForTimeout(30);
    assert.ok(Number(await page.inputValue('#slider')) <= 4);
    assert.ok(await page.locator('#figure svg').count() === 1, hash);
  }
  await page.close();
});

test('a comparison: a bar for every algorithm, best first, and the bound', async () => {
  const made = compared(), page = await open(made);
  const bars = await page.$$eval('#figure [data-algorithm]', marks => marks.map(mark => [mark.getAttribute('data-algorithm'), Number(mark.getAttribute('data-value'))]));
  for (const each of made.doc.algorithms) {
    assert.equal(bars.filter(([name]) => name === each.algorithm).reduce((sum, [, value]) => sum + value, 0), each.cost.time, each.algorithm);
  }
  assert.equal(await page.getAttribute('#figure [data-bound]', 'data-bound'), String(made.doc.lower_bound.time));
  for (let i = 0; i < made.doc.algorithms.length; i++) {
    assert.ok((await text(page, '#round')).startsWith(made.doc.algorithms[i].algorithm + ': ' + formula(made.doc.algorithms[i].cost)));
    await press(page, 'ArrowRight');
  }
  await press(page, '2');
  assert.match(await text(page, '#figure'), /holds no network of a single run/);
  await page.close();
  const formulas = get('formulas', ['compare', 'scatter', '-p', '8', '--execute', 'none']), unrun = await open(formulas);
  assert.equal((await text(unrun, '#outcome')).split(',')[0], '0 of ' + count(formulas.doc.algorithms.length, 'algorithm') + ' were run');
  await unrun.close();
});

test('a sweep: a line for every algorithm, the bound, the crossovers', async () => {
  const made = sweep(), page = await open(made);
  const lines = await list(page, '#figure [data-line]', 'data-line');
  assert.deepEqual(lines.sort(), ['binomial', 'bound', 'linear', 'scatter-allgather']);
  assert.deepEqual(await list(page, '#figure [data-crossover]', 'data-crossover'), made.doc.crossovers.map(each => String(each.from)));
  for (const point of made.doc.points) {
    const line = await text(page, '#round');
    assert.ok(line.startsWith('n = ' + number(point.vector_words) + ': best is ' + point.best), line);
    await press(page, 'ArrowRight');
  }
  await press(page, 't');
  assert.equal(await page.locator('#table tbody tr').count(), made.doc.points.length);
  await page.close();
});

test('a sweep agrees with its table: what has no closed form is named, lines that stop say why, the network is named', async () => {
  const made = get('stops', ['sweep', 'allreduce/torus-bucket', 'allreduce/swing', 'allreduce/bine', '-p', '16', '-n', '1:16Mi:x16', '-t', 'torus']), page = await open(made);
  assert.deepEqual(made.doc.not_crossed, [{nodes: 16, algorithms: ['swing', 'bine']}]);
  assert.match(await text(page, '#machine'), /^torus:4x4, routing xy, /);
  assert.match(await text(page, '#note'), /without a closed form at every size: swing, bine\./);
  assert.match(await text(page, '#note'), /no closed form here, and was not run .*: bine for n = /);
  assert.deepEqual(await list(page, '#figure [data-stop]', 'data-stop'), ['bine']);
  assert.ok(!(await text(page, '#figure')).includes('NaN'));
  await page.close();
});

test('a failing check: its run in the views, its case, the command that runs it again', async () => {
  const made = failing(), page = await open(made), finding = made.doc.findings[0], shown = made.doc.shown;
  assert.equal(await text(page, '#title'), 'cycle.c is wrong on ' + count(finding.case.nodes, 'node'));
  assert.ok((await text(page, '#outcome')).startsWith('✗ ' + finding.kind + ': '));
  assert.equal(await text(page, '#case code'), finding.command);
  assert.ok((await text(page, '#case')).startsWith('Smallest case: P = ' + finding.case.nodes));
  assert.equal(shown.run.failure.kind, finding.kind);
  assert.equal(await page.locator('#figure svg').count(), 1);
  await press(page, '2');
  assert.equal(await page.locator('#figure [data-vertex]').count(), finding.case.nodes);
  await press(page, '6');
  assert.ok((await text(page, '#figure')).includes('cycle.c: wrong'));
  await page.close();
});

// What the engine mpi adds to a sweep's document is put in here: the page needs no MPI.
test('a measured sweep: points with whiskers, distinct from the lines, and in the table', async () => {
  const median = each => each.cost.time * 2e-6;
  const measure = text => {
    const doc = JSON.parse(text);
    for (const point of doc.points) for (const each of point.algorithms) {
      if (each.algorithm !== 'linear') each.measured = {repetitions: 10, unit: 'seconds', whole: {median: median(each), minimum: median(each) / 2, maximum: median(each) * 8}};
    }
    return JSON.stringify(doc);
  };
  const made = makePage('measured', ['sweep', 'broadcast/binomial', 'broadcast/linear', '-n', '16:4Ki:x16', '-p', '8'], measure), page = await open(made);
  assert.deepEqual((await list(page, '#figure [data-line]', 'data-line')).sort(), ['binomial', 'bound', 'linear']);
  assert.deepEqual(await list(page, '#figure [data-measured]', 'data-measured'), made.doc.points.map(() => 'binomial'));
  assert.deepEqual(await list(page, '#figure [data-measured]', 'data-at'), made.doc.points.map(point => String(point.vector_words)));
  assert.match(await text(page, '#legend'), /measured, µs/);
  const first = made.doc.points[0].algorithms.find(each => each.algorithm === 'binomial'), told = Math.round(median(first) * 1e6);
  assert.ok((await text(page, '#round')).includes('measured ' + number(told) + ' ('), await text(page, '#round'));
  await press(page, 't');
  const cells = await page.locator('#table tbody tr').first().locator('td, th').allTextContents();
  assert.ok(cells.some(cell => cell.startsWith(number(told) + ' (')) && cells.includes('–'), cells.join(' | '));
  await page.close();
});

test('a sweep over sizes and nodes: the map of the best', async () => {
  const made = map(), page = await open(made);
  const cells = await page.$$eval('#figure [data-best]', marks => marks.map(mark => [mark.getAttribute('data-nodes'), mark.getAttribute('data-at'), mark.getAttribute('data-best')].join(' ')));
  assert.deepEqual(cells.sort(), made.doc.points.filter(point => point.best).map(point => [point.nodes, point.vector_words, point.best].join(' ')).sort());
  for (const nodes of [2, 4, 8, 16]) {
    assert.ok((await text(page, '#round')).startsWith('P = ' + nodes + '.'));
    await press(page, 'ArrowRight');
  }
  await page.close();
});

test('a check: what is proved', async () => {
  const made = get('check', ['check', 'barrier/dissemination', '-p', '1:4']), page = await open(made);
  assert.match(await text(page, '#figure'), /✓barrier\/dissemination: proved for P = 1\.\.4/);
  await page.close();
});

test('a checked program: what was run, and nothing proved', async () => {
  const source = new URL('../check/wrong/right_program.c', import.meta.url).pathname;
  const made = makePage('checked program', ['check', '--program', source, '-p', '1:2']), page = await open(made);
  assert.match(await text(page, '#figure'), /✓right_program\.c: no failure in any order of arrival, P\s=\s1,\s2,\s\d+\sruns/);
  assert.equal(await text(page, '#outcome'), 'no failure in any order of arrival');
  assert.ok(!(await page.innerText('body')).includes('proved'));
  await page.close();
});

test('a lesson: its text, its checks and its answer, and each of its runs in the views', async () => {
  const made = makePage('lesson', ['lesson', 'TREE']);
  const page = await open(made), lesson = made.doc.lessons[0], runs = lesson.steps.filter(step => step.run);
  const body = await text(page, '#lesson');
  for (const step of lesson.steps) assert.ok(body.includes(step.text), step.text);
  assert.ok(body.includes(lesson.question) && body.includes('Holds: ' + count(lesson.checks, 'check')));
  assert.deepEqual(await list(page, '#lesson button', 'data-run'), runs.map((run, i) => String(i + 1)));
  assert.ok((await text(page, '#title')).includes(runs[0].text));
  await Promise.all([page.waitForEvent('load'), page.click('#lesson button[data-run="2"]')]);
  await page.waitForSelector('html[data-ready]');
  assert.equal((await hashOf(page)).get('run'), '2');
  assert.ok((await text(page, '#title')).includes('Run 2 of ' + runs.length + ': ' + runs[1].text));
  assert.ok((await text(page, '#outcome')).includes('T = ' + formula(runs[1].run.cost)));
  await page.close();
});

// Figure 4.15: after each round the blocks that a node keeps or still has to send on; all that is there by the switch.
test('scatter and gather show what is still to be delivered', async () => {
  const held = async page => (await list(page, '#figure [data-cell]:not([data-state="nothing"])', 'data-cell')).join(' ');
  const scatter = await open(get('delivers', ['run', 'scatter/binomial', '-t', 'hypercube:3']), '#view=blocks&round=0');
  for (const want of ['0,0 0,1 0,2 0,3 0,4 0,5 0,6 0,7', '0,0 0,1 0,2 0,3 4,4 4,5 4,6 4,7', '0,0 0,1 2,2 2,3 4,4 4,5 6,6 6,7', '0,0 1,1 2,2 3,3 4,4 5,5 6,6 7,7']) {
    assert.equal(await held(scatter), want);
    await press(scatter, 'ArrowRight');
  }
  await press(scatter, 'o');
  assert.ok((await held(scatter)).startsWith('0,0 0,1 0,2 0,3 0,4 0,5 0,6 0,7 1,1'));
  const gather = await open(get('gathers', ['run', 'gather/binomial', '-p', '3']), '#view=blocks&round=2');
  assert.equal(await held(gather), '0,0 0,1 0,2');
  const all = await open(get('spreads', ['run', 'allgather', '-p', '3']), '#view=blocks&round=1');
  assert.equal((await held(all)).split(' ').length, 6);
  for (const page of [scatter, gather, all]) await page.close();
});

// The values that a program shows are the blocks of its page, with the names above them.
test('a program shows values of its variables', async () => {
  fs.writeFileSync(path.join(folder, 'shows.c'), `#include <peal/peal.h>
void peal_main(struct peal_node *me, int argc, char **argv)
{
    double sum = peal_rank(me), came;
    (void)argc, (void)argv;
    peal_show(me, "sum", sum);
    peal_sendrecv(me, &sum, 1, 1 - peal_rank(me), &came, 1, 1 - peal_rank(me));
    peal_show(me, "sum", sum += came);
    peal_show(me, "half", sum / 2);
}
`);
  const page = await open(get('shows', ['run', 'shows.c', '-p', '2']), '#view=blocks&round=0');
  assert.match(await text(page, '#figure'), /sum\s*half[^]*0[^]*1/);
  assert.equal((await list(page, '#figure [data-cell]:not([data-state="nothing"])', 'data-cell')).join(' '), '0,0 1,0');
  await press(page, 'ArrowRight');
  assert.match(await text(page, '#figure'), /0\.5[^]*0\.5/);
  assert.equal((await list(page, '#figure [data-state="new"]', 'data-cell')).join(' '), '0,0 0,1 1,1');
  await page.close();
});

test('on a projector: the picture fills the screen, no text is below 28 pixels, a clicker steps', async () => {
  const sweep = get('sweep-projector', ['sweep', 'allreduce', '-p', '16', '-n', '1:64Ki:x16']);
  for (const [wide, high, least] of [[1920, 1080, 28], [1280, 720, 18.6]]) {
    for (const [made, keys] of [[eight(), '1234'], [nine(), '123'], [sweep, '5']]) {
      for (const key of keys) {
        const page = await open(made, '#round=1');
        await page.setViewportSize({width: wide, height: high});
        await press(page, key);
        await press(page, 'f');
        await until(page, () => document.documentElement.classList.contains('full'));
        await press(page, 'PageDown');
        await until(page, () => new URLSearchParams(location.hash.slice(1)).get('round') === '2');
        const seen = await page.evaluate(() => {
          const svg = document.querySelector('#figure svg'), box = svg.getBoundingClientRect(), place = document.querySelector('#figure').getBoundingClientRect();
          const zoom = box.width / svg.viewBox.baseVal.width, sizes = [...svg.querySelectorAll('text')].map(each => Number(each.getAttribute('font-size')) * zoom);
          const around = ['#round', '#legend span'].map(each => document.querySelector(each)).filter(each => each).map(each => parseFloat(getComputedStyle(each).fontSize));
          return {least: Math.min(...sizes, ...around), right: box.right, bottom: box.bottom, fills: Math.max(box.width / place.width, box.height / place.height), area: place.width * place.height, overflow: document.documentElement.scrollHeight - window.innerHeight};
        });
        assert.ok(seen.least >= least - 0.1, made.name + ', view ' + key + ': ' + seen.least);
        assert.ok(seen.fills > 0.97 && seen.right <= wide + 1 && seen.overflow <= 0, JSON.stringify(seen));
        assert.ok(seen.area > 0.78 * wide * high, JSON.stringify(seen));
        await press(page, 'PageUp');
        await until(page, () => new URLSearchParams(location.hash.slice(1)).get('round') === '1');
        await press(page, 'f');
        await until(page, () => !document.documentElement.classList.contains('full'));
        await page.close();
      }
    }
  }
});

test('at 1280 by 720 the picture is on the first screen', async () => {
  const page = await open(eight(), '#round=1');
  await page.setViewportSize({width: 1280, height: 720});
  for (const key of '1234') {
    await press(page, key);
    await page.waitForTimeout(150);
    assert.ok(await page.evaluate(() => document.querySelector('#figure').getBoundingClientRect().bottom) <= 721, 'view ' + key);
  }
  await page.close();
});

test('fifteen colours, all different, in light and dark; lines differ in more than colour', async () => {
  const style = fs.readFileSync(new URL('../../tools/report/page.css', import.meta.url), 'utf8');
  for (const rule of style.match(/:root \{[^}]*\}/g)) {
    const colours = [...Array(15).keys()].map(i => new RegExp('--c' + i + ': (#[0-9a-f]{6});').exec(rule)[1]);
    assert.equal(new Set(colours).size, 15);
  }
  const page = await open(get('sweep-projector', ['sweep', 'allreduce', '-p', '16', '-n', '1:64Ki:x16']));
  const lines = await page.$$eval('#figure path[data-line]:not([data-line="bound"])', marks => marks.map(mark => [mark.getAttribute('stroke'), mark.getAttribute('stroke-dasharray')]));
  assert.ok(lines.length >= 12);
  assert.equal(new Set(lines.map(([stroke]) => stroke)).size, lines.length);
  assert.equal(new Set(lines.map(([, dash]) => dash)).size, 4);
  await page.close();
});

test('the costs without α: bars, lines and sum', async () => {
  const made = eight(), page = await open(made, '#view=cost&round=3&prices=rest');
  const beta = made.doc.cost.beta * made.doc.parameters.beta;
  assert.deepEqual((await page.$$eval('#figure [data-line]', marks => marks.map(mark => Number(mark.getAttribute('data-time'))))), [beta, beta, beta, beta]);
  assert.ok((await text(page, '#figure')).includes(number(made.doc.cost.beta) + 'β = ' + number(beta)));
  assert.ok(!(await list(page, '#figure [data-part]', 'data-part')).includes('startups'));
  await page.close();
});

test('a lesson that asks: question and picture first, the answer on a key', async () => {
  const html = path.join(folder, 'asks.html');
  run(['lesson', 'S3', '--ask', '--report', html]);
  const page = await open({name: 'asks', url: pathToFileURL(html).href});
  const body = await text(page, '#lesson');
  assert.ok(body.includes('How long does this take?') && !body.includes('Answer') && !body.includes('200β'), body);
  assert.deepEqual(await list(page, '#figure path[data-asked]', 'data-asked'), ['1,6', '4,7']);
  assert.equal(await page.isVisible('#outcome'), false);
  await press(page, 'PageDown');
  assert.ok((await text(page, '#lesson')).includes('Answer') && (await text(page, '#outcome')).includes('α + 200β'));
  assert.equal(await page.isVisible('#outcome'), true);
  await press(page, 'a');
  assert.equal(await page.isVisible('#outcome'), false);
  await page.close();
});

test('pictures are saved: one as SVG, all rounds in an archive', async () => {
  const made = eight(), page = await open(made, '#round=2');
  for (const key of ['1', '2', '4']) {
    await press(page, key);
    const [one] = await Promise.all([page.waitForEvent('download'), page.click('#save-one')]);
    const svg = fs.readFileSync(await one.path(), 'utf8');
    assert.match(one.suggestedFilename(), /^eight-[a-z]+-round-2\.svg$/);
    assert.ok(svg.startsWith('<?xml') && !svg.includes('var(') && !/NaN|undefined/.test(svg));
    const errors = await page.evaluate(source => new DOMParser().parseFromString(source, 'image/svg+xml').querySelectorAll('parsererror').length, svg);
    assert.equal(errors, 0);
  }
  const [all] = await Promise.all([page.waitForEvent('download'), page.click('#save-all')]);
  const names = execFileSync('python3', ['-c', 'import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint(*z.namelist())', await all.path()], {encoding: 'utf8'}).trim().split(' ');
  assert.deepEqual(names, [0, 1, 2, 3].map(round => 'eight-cost-round-' + round + '.svg'));
  await page.close();
});

test('the picture of --svg is the one that the page saves', async () => {
  for (const [view, round, args] of [['network', 2, ['run', 'scatter/binomial', '-t', 'mesh:2x4']], ['blocks', 1, ['run', 'gather', '-p', '5']], ['cost', 3, ['run', 'allreduce', '-p', '8', '-n', '64']],
                                     ['time', 1, ['run', '--messages', '1>6 4>7, 2>3:8w', '-t', 'line:8']]]) {
    const html = path.join(folder, 'same.html'), file = path.join(folder, 'same.svg');
    run(args.concat(['--report', html, '--svg', file, '--view', view + ':' + round]));
    const page = await open({name: 'same', url: pathToFileURL(html).href}, '#view=' + view + '&round=' + round);
    const [one] = await Promise.all([page.waitForEvent('download'), page.click('#save-one')]);
    assert.equal(fs.readFileSync(file, 'utf8'), fs.readFileSync(await one.path(), 'utf8'));
    await page.close();
  }
});

test('a document cannot leave its element', async () => {
  const odd = '</script><script>document.title="taken"</script><!-- \u2028 \\\\" &lt;';
  const made = get('odd', ['run', 'scatter/binomial', '-p', '4'], json => json.replace('"binomial"', JSON.stringify(odd)));
  const page = await open(made);
  assert.equal(await text(page, '#title'), 'scatter/' + odd.replace('\u2028', '?') + ' on 4\u00a0nodes, m = 4\u00a0words a block');
  assert.ok((await page.title()).startsWith('scatter/</script>'));
  await page.close();
});

test('on paper the controls are gone and the picture stays', async () => {
  const page = await open(eight(), '#view=network&round=1');
  await page.emulateMedia({media: 'print', colorScheme: 'dark'});
  assert.equal(await page.isVisible('nav'), false);
  assert.equal(await page.isVisible('#figure svg'), true);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  await page.close();
});

test('no barrier that axe-core finds, in light and dark', async () => {
  const all = [[eight(), ['time', 'blocks', 'cost']], [sweep(), ['compare']]];
  for (const [colorScheme, looked] of [['light', all], ['dark', [[eight(), ['network', 'cost']], [deadlock(), ['time']]]]]) {
    for (const [made, views] of looked) {
      const page = await open(made);
      await page.emulateMedia({colorScheme});
      await page.evaluate(axeSource);
      for (const view of views) {
        await page.evaluate(id => { location.hash = '#table=open&round=2&view=' + id; }, view);
        await until(page, id => document.querySelector('[data-view="' + id + '"]').getAttribute('aria-current') === 'page', view);
        const found = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
        assert.deepEqual(found.violations.map(each => each.id + ': ' + each.nodes.map(node => node.html.slice(0, 120)).join(' | ')), [], colorScheme + ' ' + made.name + ' ' + view);
      }
      await page.close();
    }
  }
});

test('the page of a run on 8 nodes is under 450 KB', async () => {
  const made = eight();
  assert.ok(made.bytes < 450 * 1024, made.bytes + ' bytes');
  const times = [];
  for (let i = 0; i < 3; i++) {
    const page = await open(made);
    times.push(await page.getAttribute('html', 'data-ready'));
    await page.close();
  }
  console.log('  measured: ' + (made.bytes / 1024).toFixed(0) + ' KB, interactive ' + times.join(', ') + ' ms after it was asked for');
});

test('the page says what it was made from: a command, or a file', async () => {
  const html = path.join(folder, 'made.html');
  run(['run', 'scatter/linear', '-p', '3', '--report', html]);
  for (const [made, from] of [[{name: 'made', url: pathToFileURL(html).href}, 'peal run scatter/linear'],
                              [makePage('file', ['run', 'scatter/linear', '-p', '3']), 'file.json']]) {
    const page = await open(made);
    assert.match(await page.textContent('#about'), new RegExp('^Made by peal [0-9.]+ from ' + from + ', seed 0\\.'));
    await page.close();
  }
});

test('a picture is not scrolled sideways because the page is scrolled', async () => {
  const made = makePage('scrolled', ['run', 'scatter/linear', '-t', 'mesh:3x3', '--ports', '2']);
  const own = await chromium.launch({...launching, ignoreDefaultArgs: ['--hide-scrollbars']});
  try {
    const page = await own.newPage({viewport: {width: 1280, height: 500}});
    await page.goto(made.url);
    await page.waitForSelector('html[data-ready]');
    const width = await page.evaluate(() => {
      const figure = document.querySelector('#figure');
      return {page: document.documentElement.scrollHeight - innerHeight, more: figure.scrollWidth - figure.clientWidth};
    });
    assert.ok(width.page > 0, 'the page is long enough to be scrolled');
    assert.equal(width.more, 0);
  } finally {
    await own.close();
  }
});

// ---------------------------------------------------------------- run

// There is no graphics processor to imitate, and each process more is a part of what a short test takes.
const launching = {executablePath: findBrowser(), args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--disable-software-rasterizer',
  '--in-process-gpu', '--process-per-site', '--renderer-process-limit=1']};
const browser = await chromium.launch(launching);
context = await browser.newContext({viewport: VIEWPORT, acceptDownloads: true});
let failed = 0;
for (const {name, body} of tests) {
  const begin = performance.now();
  complaints = [];
  try {
    await body();
    assert.deepEqual(complaints, [], 'errors on the console, and requests');
    console.log('ok      ' + name + ' (' + ((performance.now() - begin) / 1000).toFixed(1) + ' s)');
  } catch (error) {
    failed++;
    console.log('FAILED  ' + name + '\n' + String(error.stack).replace(/^/gm, '        ') + (complaints.length ? '\n        ' + complaints.slice(0, 5).join('\n        ') : ''));
  }
}
await browser.close();
fs.rmSync(folder, {recursive: true});
console.log((tests.length - failed) + ' passed, ' + failed + ' failed');
process.exit(failed ? 1 : 0);
