// SPDX-License-Identifier: MIT
// Views of an MPI program's run that do not need its rounds: 6, the profile by call site; 7, who sends how much to whom; 8, all nodes
// over time, with a zoom.

// The parts of a node's time: {key, name, ink}.
const SPENT = [
  {key: 'computing', name: 'computing before the call', ink: 'c3'},
  {key: 'transfers', name: 'transfers', ink: 'c2'},
  {key: 'late_sender', name: 'waiting: late sender', ink: 'c1'},
  {key: 'late_receiver', name: 'waiting: late receiver', ink: 'c5'},
  {key: 'collective', name: 'waiting in a collective', ink: 'c4'},
  {key: 'ports', name: 'waiting for a port', ink: 'c0'},
];
const PROFILE_ROWS = 24;

function absentProfile(model) {
  if (!model.run) return absentRun(model, 'profile');
  return model.page.profile ? null : 'A profile is made of an MPI program: pealrun --report has one.';
}

function siteName(site) {
  if (!site.file) return site.messages || site.transfers ? 'other calls' : 'after the last call';
  return (site.call || 'posted') + (site.algorithm ? ' by ' + site.algorithm : '') + ', ' + fileName(site.file) + ':' + site.line;
}

function functionName(site) {
  return site.file ? site.function || 'unknown' : siteName(site);
}

// The sites, or the functions that they are in, those on which the nodes spend most first; each with the sum of its parts.
function sitesOf(model, state) {
  const named = state.per === 'function' ? functionName : siteName, groups = new Map();
  for (const site of model.page.profile.sites) {
    const name = named(site), key = state.per === 'function' ? name : site, sum = groups.get(key) || groups.set(key, {name}).get(key);
    for (const part of Object.keys(site)) if (typeof site[part] === 'number') sum[part] = (sum[part] || 0) + site[part];
  }
  const sites = Array.from(groups.values());
  for (const site of sites) {
    site.waiting = site.late_sender + site.late_receiver + site.collective + site.ports;
    site.spent = site.computing + site.transfers + site.waiting;
    site.critical = site.path + site.path_computing;
  }
  return sites.filter(site => site.spent > 0 || site.messages > 0).sort((a, b) => b.spent - a.spent);
}

function percent(part, whole) {
  return whole > 0 ? (100 * part / whole).toFixed(1) + '\u00a0%' : '–';
}

const profileView = {
  id: 'profile', name: 'Profile', key: '6', steps: false,

  why: absentProfile,

  note(model, state) {
    const all = sitesOf(model, state), sum = key => all.reduce((total, site) => total + site[key], 0), spent = sum('spent');
    return 'Of the time of all nodes ' + percent(sum('computing'), spent) + ' is computing, ' + percent(sum('transfers'), spent) + ' transfers and ' +
      percent(sum('waiting'), spent) + ' waiting' + (all.length > PROFILE_ROWS ? '; the table has all ' + count(all.length, state.per) : '') + '.';
  },

  controls(state) {
    return [{label: 'By', key: 'per', values: [['call', 'call'], ['function', 'function']], value: state.per}];
  },

  size(model, state, width) {
    const sites = sitesOf(model, state).slice(0, PROFILE_ROWS), wide = Math.max(Math.floor(width), 760);
    const left = Math.min(Math.max(...sites.map(site => textWidth(site.name, 13)), 80) + 20, wide * 0.42);
    return {width: wide, left, right: 250, top: 66, row: 26, height: 66 + sites.length * 26 + 20};
  },

  marks: () => 0,

  draw(pen, model, state, size) {
    const sites = sitesOf(model, state).slice(0, PROFILE_ROWS), most = Math.max(...sites.map(site => site.spent), 0) || 1;
    const path = model.page.profile.end || 1, barEnd = size.width - size.right, x = d3.scaleLinear().domain([0, most]).range([size.left, barEnd]);
    let at = size.left, line = 6;
    for (const part of SPENT.filter(each => sites.some(site => site[each.key] > 0))) {
      const means = textWidth(part.name, 12) + 30;
      if (at + means > size.width) [at, line] = [size.left, line + 16];
      pen.rect(at, line, 14, 12, {fill: part.ink});
      pen.text(at + 19, line + 10, part.name, {size: 12});
      at += means;
    }
    pen.text(12, 52, state.per, {size: 12, fill: 'soft'});
    pen.text(size.left, 52, 'time of all nodes', {size: 12, fill: 'soft'});
    pen.text(barEnd + 74, 52, 'waiting', {size: 12, fill: 'soft', anchor: 'end'});
    pen.text(barEnd + 92, 52, 'critical path', {size: 12, fill: 'soft'});
    sites.forEach((site, i) => {
      const y = size.top + i * size.row;
      let from = 0;
      pen.text(12, y + 15, shortened(site.name, size.left - 20, 13), {size: 13, title: site.name});
      for (const part of SPENT) {
        const value = site[part.key];
        if (!(value > 0)) continue;
        pen.rect(x(from), y, Math.max(x(from + value) - x(from), 0.5), size.row - 8, {fill: part.ink, title: site.name + '\n' + part.name + ': ' + number(value) + ', ' + percent(value, site.spent), data: {part: part.key, site: i, value}});
        from += value;
      }
      pen.text(barEnd + 74, y + 15, percent(site.waiting, site.spent), {size: 13, anchor: 'end'});
      const wide = 90 * site.critical / path;
      pen.rect(barEnd + 92, y, 90, size.row - 8, {fill: 'panel'});
      pen.rect(barEnd + 92, y, wide, size.row - 8, {fill: 'accent', title: 'on the critical path: ' + number(site.critical) + ', of which computing ' + number(site.path_computing), data: {critical: site.critical, site: i}});
      pen.text(barEnd + 242, y + 15, percent(site.critical, path), {size: 13, anchor: 'end'});
    });
  },

  hit: () => null,
  legend: () => [],

  summary(model, state) {
    return 'Profile by ' + state.per + '. ' + this.note(model, state);
  },

  table(model, state) {
    const path = model.page.profile.end;
    return {caption: 'Time of all nodes by ' + state.per + '; the critical path takes ' + number(path),
            head: [state.per, num('messages sent'), num('bytes'), num('time')].concat(SPENT.map(part => num(part.name)), [num('critical path'), num('of it computing')]),
            rows: sitesOf(model, state).map(site => ({cells: [site.name, site.messages, site.bytes, site.spent].concat(SPENT.map(part => site[part.key]), [site.critical, site.path_computing])}))};
  },
};

// A text that is at most `width` wide, cut in its middle.
function shortened(text, width, size) {
  const most = Math.max(Math.floor(width / textWidth('x', size)), 8);
  return text.length <= most ? text : text.slice(0, Math.ceil(most / 2) - 1) + '…' + text.slice(text.length - Math.floor(most / 2));
}

// ---------------------------------------------------------------- who sends how much to whom

const matrixView = {
  id: 'matrix', name: 'Matrix', key: '7', steps: false,

  why: absentProfile,

  note(model, state) {
    const profile = model.page.profile, pairs = profile.pairs, group = model.nodes / profile.paired;
    return (group > 1 ? count(pairs.length, 'pair of groups', 'pairs of groups') : count(pairs.length, 'pair')) + ' of ' + number(profile.paired * profile.paired) + ' exchange messages' +
      (group > 1 ? '; each group is ' + number(Math.ceil(group)) + ' nodes' : '') + '. Rows send, columns receive; darker is more, on a logarithmic scale.';
  },

  controls(state) {
    return [{label: 'Colour', key: 'by', values: [['bytes', 'bytes'], ['messages', 'messages']], value: state.by}];
  },

  size(model, state, width, height) {
    const paired = model.page.profile.paired, side = Math.max(Math.min(width - 220, Math.max(height - 60, 320)), 240);
    const cell = Math.max(Math.min(side / paired, 40), 1);
    return {width: 60 + cell * paired + 200, height: 44 + cell * paired + 16, cell, left: 60, top: 44};
  },

  marks: model => model.page.profile.pairs.length + 20,

  draw(pen, model, state, size) {
    const profile = model.page.profile, value = pair => pair[state.by === 'messages' ? 2 : 3], end = size.cell * profile.paired;
    const most = Math.max(...profile.pairs.map(value), 1), least = Math.min(...profile.pairs.map(value).filter(v => v > 0), most);
    const shade = v => v === 0 ? 0.12 : most === least ? 1 : 0.2 + 0.8 * Math.log(v / least) / Math.log(most / least);
    pen.rect(size.left, size.top, end, end, {fill: 'panel', stroke: 'line'});
    for (const pair of profile.pairs) {
      pen.rect(size.left + pair[1] * size.cell, size.top + pair[0] * size.cell, Math.max(size.cell - (size.cell > 6 ? 1 : 0), 1), Math.max(size.cell - (size.cell > 6 ? 1 : 0), 1),
        {fill: 'c2', opacity: shade(value(pair)), title: 'node ' + pair[0] + ' to node ' + pair[1] + ': ' + count(pair[2], 'message') + ', ' + count(pair[3], 'byte'), data: {from: pair[0], to: pair[1], bytes: pair[3], messages: pair[2]}});
    }
    const every = Math.max(1, Math.ceil(26 / size.cell)), step = every <= 1 ? 1 : Math.pow(2, Math.ceil(Math.log2(every)));
    for (let i = 0; i < profile.paired; i += step) {
      const name = String(Math.floor(i * model.nodes / profile.paired));
      pen.text(size.left - 6, size.top + (i + 0.5) * size.cell + 4, name, {anchor: 'end', size: 12, fill: 'soft'});
      pen.text(size.left + (i + 0.5) * size.cell, size.top - 6, name, {anchor: 'middle', size: 12, fill: 'soft'});
    }
    pen.text(size.left, 16, 'to node', {size: 12, fill: 'soft'});
    [1, 0.5, 0].forEach((at, i) => {
      const v = Math.round(least * Math.pow(most / least, at));
      if (i > 0 && most === least) return;
      pen.rect(size.left + end + 20, size.top + i * 26, 18, 18, {fill: 'c2', opacity: shade(v)});
      pen.text(size.left + end + 46, size.top + i * 26 + 14, count(v, state.by === 'messages' ? 'message' : 'byte'), {size: 13});
    });
  },

  hit: () => null,
  legend: () => [],

  summary(model, state) {
    return 'Messages by sender and receiver. ' + this.note(model, state);
  },

  table(model) {
    return {caption: 'Messages by sender and receiver, most bytes first', head: ['from', num('to'), num('messages'), num('bytes')],
            rows: model.page.profile.pairs.slice().sort((a, b) => b[3] - a[3]).map(pair => ({cells: [String(pair[0]), pair[1], pair[2], pair[3]]}))};
  },
};

// ---------------------------------------------------------------- all nodes over time

const LEVELS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const STATES = [{key: 'computes', name: 'computing', ink: 'c3'}, {key: 'transfers', name: 'transfers', ink: 'c2'}, {key: 'waits', name: 'waiting', ink: 'c1'}];
const LEAST_BINS = 16, COLUMN = 4;

// The bins that are shown, {from, to}.
function spanOf(model, state) {
  const bins = model.page.profile.bins, given = /^(\d+)-(\d+)$/.exec(state.span || '');
  const wide = given ? Math.max(Math.min(Number(given[2]) - Number(given[1]), bins), Math.min(LEAST_BINS, bins)) : bins;
  const from = given ? Math.max(0, Math.min(Number(given[1]), bins - wide)) : 0;
  return {from, to: from + wide};
}

// The span of `factor` times the width around the place `at`, 0 to 1, of this one.
function zoomed(model, span, factor, at) {
  const bins = model.page.profile.bins, wide = Math.max(Math.min(Math.round((span.to - span.from) * factor), bins), Math.min(LEAST_BINS, bins));
  const from = Math.max(0, Math.min(Math.round(span.from + (span.to - span.from - wide) * at), bins - wide));
  return from + '-' + (from + wide);
}

function shiftedSpan(model, span, by) {
  const wide = span.to - span.from, from = Math.max(0, Math.min(span.from + Math.round(by * wide), model.page.profile.bins - wide));
  return from + '-' + (from + wide);
}

// The bin in which a round begins.
function binOfRound(profile, round) {
  let found = 0;
  profile.rounds.forEach((first, bin) => {
    if (first > 0 && first <= round) found = bin;
  });
  return found;
}

const overviewView = {
  id: 'overview', name: 'Overview', key: '8', steps: true,

  why(model) {
    return absentProfile(model) || (model.page.profile.bins > 0 ? null : 'The run took no time.');
  },

  note(model, state) {
    const profile = model.page.profile, span = spanOf(model, state);
    return 'From ' + number(Math.round(span.from * profile.bin_time)) + ' to ' + number(Math.round(Math.min(span.to * profile.bin_time, profile.end))) + ' of ' + number(Math.round(profile.end)) +
      ', without global rounds. The wheel zooms; a click chooses the round that begins there.' + (profile.rows < model.nodes ? ' A row is the mean of ' + number(Math.ceil(model.nodes / profile.rows)) + ' nodes.' : '');
  },

  controls(state) {
    const span = spanOf(model, state), at = (binOfRound(model.page.profile, state.round) - span.from) / (span.to - span.from), inside = at >= 0 && at <= 1 ? at : 0.5;
    return [{label: 'Zoom', key: 'span', value: null, values: [['', 'all'], [zoomed(model, span, 0.25, inside), 'in'], [zoomed(model, span, 4, 0.5), 'out'], [shiftedSpan(model, span, -0.5), '◂'], [shiftedSpan(model, span, 0.5), '▸']]}];
  },

  size(model, state, width, height) {
    const rows = model.page.profile.rows, row = Math.max(Math.min(Math.floor((height - 90) / rows), 24), 4);
    return {width: Math.max(Math.floor(width), 640), left: 56, right: 16, top: 34, row, height: 34 + rows * row + 46};
  },

  marks: () => MAX_MARKS + 1,

  draw(pen, model, state, size) {
    const profile = model.page.profile, span = spanOf(model, state), right = size.width - size.right;
    const columns = Math.min(Math.floor((right - size.left) / COLUMN), span.to - span.from), x = i => Math.round(size.left + (right - size.left) * i / columns);
    const gap = size.row > 8 ? 1 : 0;
    STATES.forEach((each, i) => {
      pen.rect(size.left + i * 110, 8, 14, 12, {fill: each.ink});
      pen.text(size.left + i * 110 + 19, 18, each.name, {size: 12});
    });
    for (let row = 0; row < profile.rows; row++) {
      const parts = STATES.map(each => columnsOf(profile[each.key][row], span, columns));
      const y = size.top + row * size.row, high = size.row - gap;
      pen.rect(size.left, y, right - size.left, high, {fill: 'panel'});
      let below = new Array(columns).fill(0);
      STATES.forEach((each, k) => {
        for (let i = 0; i < columns;) { // neighbours that are equal are one
          let end = i + 1;
          while (end < columns && parts[k][end] === parts[k][i] && below[end] === below[i]) end++;
          if (parts[k][i] > 0) pen.rect(x(i), y + high - Math.round(high * (below[i] + parts[k][i])), x(end) - x(i) + 0.6, Math.round(high * (below[i] + parts[k][i])) - Math.round(high * below[i]), {fill: each.ink});
          i = end;
        }
        below = below.map((value, i) => value + parts[k][i]);
      });
    }
    const label = Math.max(1, Math.ceil(16 / size.row));
    for (let row = 0; row < profile.rows; row += label) {
      pen.text(size.left - 6, size.top + row * size.row + Math.min(size.row, 16) - 3, String(Math.floor(row * model.nodes / profile.rows)), {anchor: 'end', size: 11, fill: 'soft'});
    }
    const bottom = size.top + profile.rows * size.row, time = d3.scaleLinear().domain([span.from * profile.bin_time, span.to * profile.bin_time]).range([size.left, right]);
    for (const tick of time.ticks(6)) {
      pen.line(time(tick), bottom, time(tick), bottom + 5, {stroke: 'soft'});
      pen.text(time(tick), bottom + 18, number(tick), {anchor: 'middle', size: 12, fill: 'soft'});
    }
    pen.text(size.left - 6, bottom + 18, 'time', {anchor: 'end', size: 12, fill: 'soft'});
    const here = (binOfRound(profile, state.round) - span.from) / (span.to - span.from);
    if (state.round > 0 && here >= 0 && here <= 1) {
      const at = size.left + here * (right - size.left);
      pen.line(at, size.top - 6, at, bottom, {stroke: 'accent', width: 2});
      pen.text(at, bottom + 32, 'round ' + number(state.round), {anchor: here > 0.9 ? 'end' : here < 0.1 ? 'start' : 'middle', size: 12, fill: 'accent', halo: 'bg'});
    }
  },

  // The round that begins at the place, or the next one after it.
  hit(model, state, size, px) {
    const profile = model.page.profile, span = spanOf(model, state), at = this.place(size, px);
    if (at < 0 || at > 1) return null;
    const bin = Math.floor(span.from + at * (span.to - span.from)), round = profile.rounds.slice(bin).find(first => first > 0);
    return round ? 'round:' + round : null;
  },

  place(size, px) {
    return (px - size.left) / (size.width - size.right - size.left);
  },

  // What the wheel changes of the state.
  wheel(model, state, size, px, up) {
    return {span: zoomed(model, spanOf(model, state), up ? 0.5 : 2, Math.max(0, Math.min(this.place(size, px), 1)))};
  },

  legend: () => [],

  summary(model, state) {
    return 'All nodes over time: computing, transfers, waiting. ' + this.note(model, state);
  },

  table(model) {
    const profile = model.page.profile;
    const share = text => text.length ? [...text].reduce((sum, c) => sum + LEVELS.indexOf(c), 0) / (LEVELS.length - 1) / text.length : 0;
    return {caption: 'The parts of each node\'s time', head: ['node'].concat(STATES.map(each => num(each.name))),
            rows: d3.range(profile.rows).map(row => ({cells: [String(Math.floor(row * model.nodes / profile.rows))].concat(STATES.map(each => percent(share(profile[each.key][row]), 1)))}))};
  },
};

// The mean levels of the bins, in `columns` columns, each rounded to a twentieth.
function columnsOf(text, span, columns) {
  const made = new Array(columns);
  for (let i = 0; i < columns; i++) {
    const begin = span.from + Math.floor((span.to - span.from) * i / columns), end = Math.max(begin + 1, span.from + Math.floor((span.to - span.from) * (i + 1) / columns));
    let sum = 0;
    for (let bin = begin; bin < end; bin++) sum += level(text.charCodeAt(bin));
    made[i] = Math.round(20 * sum / (end - begin) / (LEVELS.length - 1)) / 20;
  }
  return made;
}

function level(code) {
  return code < 58 ? code - 48 : code < 91 ? code - 55 : code - 61;
}
