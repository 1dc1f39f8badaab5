// SPDX-License-Identifier: MIT
// The views of an MPI program's page: node profile_test.mjs TOOLS.  What they show is compared with times that follow from the program,
// and with the run's JSON.  Exits with 77, skipped, where there is no browser to drive.
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import os from 'node:os';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import assert from 'node:assert/strict';

const require = createRequire(import.meta.url);
const tools = path.resolve(process.argv[2]);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peal-profile-'));
const PROGRAM = `#include <mpi.h>
#include <stdlib.h>
static void
meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}
int main(int argc, char **argv)
{
    int rank, size, turns = argc > 1 ? atoi(argv[1]) : 1;
    double x[8] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < turns; i++) {
        if (rank == 0) PEAL_COMPUTE(5000);
        if (rank == 0) MPI_Send(x, 8, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(x, 8, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) PEAL_COMPUTE(3000);
        if (rank == 0) MPI_Send(x, 4, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(x, 4, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 2) PEAL_COMPUTE(20000);
        meet();
    }
    MPI_Finalize();
    return 0;
}
`;

function skip(why) {
  console.log('skipped: ' + why);
  process.exit(77);
}

const browserFile = process.env.PEAL_CHROMIUM || ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(place => fs.existsSync(place)) || skip('there is no chromium');
let chromium;
try {
  ({chromium} = require('playwright-core'));
} catch {
  skip('playwright-core is missing: npm ci in tests/report, which tools/test does');
}

fs.writeFileSync(path.join(folder, 'prog.c'), PROGRAM);
execFileSync(path.join(tools, 'pealcc'), ['prog.c', '-o', 'prog'], {cwd: folder});

// The page of a run with so many turns, and its data.
function make(turns, nodes) {
  const file = path.join(folder, 'page' + turns + '.html');
  execFileSync(path.join(tools, 'pealrun'), ['-q', '-n', String(nodes), '--tau', '1', '--beta', '1', '--report', file, '--json=' + file + '.json', './prog', String(turns)], {cwd: folder});
  const page = /<script[^>]*id="?peal-page"?[^>]*>([^]*?)<\/script>/.exec(fs.readFileSync(file, 'utf8'))[1];
  return {file, page: JSON.parse(page), profile: JSON.parse(page).profile, run: JSON.parse(fs.readFileSync(file + '.json', 'utf8'))};
}

const browser = await chromium.launch({executablePath: browserFile});
const errors = [];

async function open(file, hash, before = () => {}) {
  const page = await browser.newPage({viewport: {width: 1300, height: 900}});
  page.on('pageerror', error => errors.push(String(error)));
  await page.addInitScript(before);
  await page.goto(pathToFileURL(file).href + '#' + hash);
  await page.waitForSelector('#figure svg, #figure canvas');
  return page;
}

const small = make(1, 3);
const site = line => small.profile.sites.find(each => each.line === line);

// Node 1 waits 5000 for node 0's first send; node 0 waits 3000 for node 1's second receive; a message of n bytes takes 1000 + n.
assert.deepEqual([site(18).late_sender, site(18).transfers], [5000, 1064]);
assert.deepEqual([site(17).computing, site(17).messages, site(17).bytes, site(17).late_receiver], [5000, 1, 64, 0]);
assert.deepEqual([site(20).late_receiver, site(20).transfers, site(21).computing, site(21).late_sender], [3000, 1032, 3000, 0]);
// Node 2 comes to the barrier after 20000, the others after 5000 + 1064 + 3000 + 1032.
const others = 5000 + 1064 + 3000 + 1032;
assert.equal(site(6).computing, 20000);
assert.ok(site(6).collective >= 20000 - others, site(6).collective);
// The critical path is node 2's computing and the barrier, as the run says.
const sum = key => small.profile.sites.reduce((total, each) => total + each[key], 0);
assert.equal(sum('path') + sum('path_computing'), small.run.critical_path.time);
assert.equal(site(6).path_computing, 20000);
// All that the nodes spend is what there is: each ends at its own time, at most the whole.
const bytes = small.run.rounds.flatMap(round => round.transfers).reduce((total, t) => total + t.words, 0);
assert.equal(small.profile.pairs.reduce((total, pair) => total + pair[3], 0), bytes);

// The pictures have these numbers.
let page = await open(small.file, 'view=profile');
assert.equal(await page.getAttribute('[data-part="late_sender"][data-site]', 'data-value'), '5000');
assert.equal(await page.locator('[data-part="collective"]').count(), 1);
// By function: what the calls that are in it take.
await page.click('button:has-text("function")');
assert.match(page.url(), /per=function/);
const inMain = small.profile.sites.filter(each => each.function === 'main'), inMeet = site(6);
assert.ok(inMain.length >= 4 && inMeet.function === 'meet' && inMeet.path_computing === 20000);
const ofPath = (await page.$$eval('[data-critical]', marks => marks.map(mark => Number(mark.getAttribute('data-critical'))))).sort((a, b) => a - b);
assert.deepEqual(ofPath, [inMain, [inMeet]].map(list => list.reduce((total, each) => total + each.path + each.path_computing, 0)).sort((a, b) => a - b));
page = await open(small.file, 'view=matrix');
assert.equal(await page.getAttribute('[data-from="0"][data-to="1"]', 'data-bytes'), String(small.profile.pairs.find(pair => pair[0] === 0 && pair[1] === 1)[3]));
await page.click('button:has-text("messages")');
assert.match(page.url(), /by=messages/);

// A run of more transfers than a page shows opens with the overview; the wheel and the buttons zoom, a click chooses a round.
const large = make(15100, 3);
assert.ok(large.run.rounds.length > 45000);
// A round is nine numbers, those of the run; how many rectangles are drawn does not depend on the rounds.
const {sums} = large.page, ofTransfers = (round, add) => round.transfers.reduce(add, 0);
assert.equal(large.page.document.rounds.length, 0);
assert.deepEqual(sums, large.run.rounds.flatMap(round => [round.transfers.length, ofTransfers(round, (sum, t) => sum + t.words), ofTransfers(round, (k, t) => Math.max(k, t.k)),
  ...['alpha', 'beta', 'hop', 'tau'].map(key => round.charge[key]), 0, round.charge.beta - ofTransfers(round, (most, t) => Math.max(most, t.words))]));
assert.ok(JSON.stringify(large.page).length < 32 * large.run.rounds.length + 100000, JSON.stringify(large.page).length);
page = await open(large.file, '', () => {
  const fill = CanvasRenderingContext2D.prototype.fillRect;
  window.rectangles = 0;
  CanvasRenderingContext2D.prototype.fillRect = function (...where) {
    window.rectangles++;
    fill.apply(this, where);
  };
});
assert.match(await page.textContent('#views [aria-current]'), /Overview/);
const rectangles = await page.evaluate(() => window.rectangles);
assert.ok(rectangles > 3 && rectangles <= 3 * 1300 / 4 * large.page.profile.rows + 10, rectangles);
const box = await page.locator('#figure canvas').boundingBox();
await page.mouse.move(box.x + box.width / 2, box.y + 100);
await page.mouse.wheel(0, -100);
for (let tries = 0; tries < 1000 && !page.url().includes('span='); tries++) await page.waitForTimeout(20);
await page.click('button:text-is("in")');
const [from, to] = /span=(\d+)-(\d+)/.exec(page.url()).slice(1).map(Number);
assert.ok(to - from < large.profile.bins / 4, page.url());
await page.click('#figure canvas', {position: {x: box.width / 2, y: 100}});
const round = Number(/round=(\d+)/.exec(page.url())[1]), bin = large.profile.rounds.findIndex(first => first === round);
assert.ok(bin >= from && bin <= to, page.url());
await page.click('button:text-is("all")');
assert.doesNotMatch(page.url(), /span=/);

// How a program scales: a curve of each number, with its values.
const scaled = path.join(folder, 'scale.html'), words = ['-q', '--scale', '3:12:x2', '--tau', '1', '--report', scaled, '--json=' + scaled + '.json', './prog', '1'];
execFileSync(path.join(tools, 'pealrun'), words, {cwd: folder});
const {runs} = JSON.parse(fs.readFileSync(scaled + '.json', 'utf8'));
page = await open(scaled, '');
assert.equal(await page.locator('[data-curve]').count(), 4);
assert.deepEqual(await page.$$eval('circle[data-p="12"]', marks => marks.map(mark => Number(mark.getAttribute('data-value')))),
  [runs[2].cost.time, runs[2].speedup, runs[2].efficiency, runs[2].communication]);

await browser.close();
fs.rmSync(folder, {recursive: true});
assert.deepEqual(errors, []);
console.log('the views of an MPI program: all as they should be');
