// SPDX-License-Identifier: MIT
// View 3, the blocks: a strip for every node, which shows what it holds after the round.

const SMALL_CELL = 5; // pixels; below, runs of cells are drawn as one

const blocksView = {
  id: 'blocks', name: 'Blocks', key: '3', steps: true,

  why(model) {
    if (!model.run) return absentRun(model, 'data');
    if (!model.page.blocks) {
      return 'What the nodes hold is not in this document: ' + (model.page.blocks_absent || 'a recorded run tells who sent how much to whom, not which blocks') + '.';
    }
    return null;
  },

  note(model, state) {
    const blocks = model.page.blocks, notes = [];
    if (blocks.names) return 'A cell shows the value of a variable that the program shows (peal_show), after the rounds that were over by then.';
    if (blocks.leaves && blocksShown(model, state) === 'deliver') notes.push('A node shows what it keeps or still has to send on.');
    if (blocks.cells * model.nodes > 40000) notes.push('So many cells are drawn without their labels, those that are alike as one bar; the table has them.');
    notes.push(blocks.kind === 'sum' ? 'A cell shows whose contributions are in it: 0–3 is x₀⊕x₁⊕x₂⊕x₃.'
      : blocks.label === 'pair' ? 'A cell i→j is the block from node i to node j.' : 'A cell shows the number of the block in it.');
    if (blocks.cell_words) notes.push('A cell is ' + count(blocks.cell_words, 'word') + '.');
    return notes.join(' ');
  },

  controls(state, model) {
    return model.page.blocks.leaves ? [{label: 'Blocks', key: 'blocks', values: [['deliver', 'still to deliver'], ['all', 'all that is there']], value: blocksShown(model, state)}] : [];
  },

  // Nodes one below the other; of short strips several columns of nodes side by side.
  size(model, state, width, height) {
    const blocks = model.page.blocks, cells = Math.max(blocks.cells, 1), left = 26 + textWidth(model.nodes - 1) + textWidth('node '), top = 34;
    const longest = this.longest(model), wanted = blocks.kind === 'sum' ? Math.max(60, longest * 8 + 14) : Math.max(38, longest * 8.4 + 12);
    const most = Math.max(1, Math.floor((width - 20) / (left + wanted * cells + 20)));
    const columns = Math.min(most, Math.ceil(model.nodes * 24 / Math.max(height - top - 14, 100))), perColumn = Math.ceil(model.nodes / columns);
    const cell = Math.max(Math.min(((width - 20) / columns - left - 20) / cells, columns > 1 ? wanted : Math.max(wanted * 1.7, 240 / cells)), 0.5);
    const row = Math.max(Math.min(46, (height - top - 14) / perColumn), cell < SMALL_CELL ? 700 / perColumn : 14, 0.7);
    const wide = left + cell * cells + 20;
    return {width: Math.ceil(Math.max(wide * columns, Math.min(width, 480))), height: Math.ceil(top + row * perColumn + 14), left, top, cell, row, cells, columns, perColumn, wide,
            small: cell < SMALL_CELL || row < SMALL_CELL};
  },

  // The characters of the longest label.
  longest(model) {
    if (model.longestLabel === undefined) {
      model.longestLabel = Math.max(1, ...(model.page.blocks.names || []).map(name => name.length));
      for (let round = 0; round <= model.rounds.length; round++) {
        for (const change of changesOf(model, round)) {
          const last = typeof change[3] === 'number' ? change[3] + change[2] - 1 : change[3];
          model.longestLabel = Math.max(model.longestLabel, labelText(model, last).length);
        }
      }
    }
    return model.longestLabel;
  },

  marks(model) {
    return model.nodes * model.page.blocks.cells * 2;
  },

  draw(pen, model, state, size) {
    const held = holdings(model, state.round, blocksShown(model, state));
    const every = Math.max(1, 2 ** Math.ceil(Math.log2(15 / size.row)));
    for (let column = 0; column < size.columns; column++) this.drawHead(pen, model, size, column * size.wide + size.left);
    for (let node = 0; node < model.nodes; node++) {
      const x = Math.floor(node / size.perColumn) * size.wide + size.left, y = size.top + node % size.perColumn * size.row;
      if (node % every === 0) pen.text(x - 10, y + size.row / 2 + 3.5, (node % size.perColumn === 0 ? 'node ' : '') + node, {anchor: 'end', size: 13});
      if (size.small) this.drawRuns(pen, size, held[node], x, y, node);
      else for (let i = 0; i < size.cells; i++) this.drawCell(pen, model, state, size, held[node][i], x + i * size.cell, y, node, i);
    }
    if (size.small) pen.rect(size.left, size.top, size.cell * size.cells, size.row * size.perColumn, {stroke: 'line', means: 'nothing'});
  },

  drawHead(pen, model, size, x) {
    const names = model.page.blocks.names;
    if (names) {
      names.forEach((name, i) => pen.text(x + (i + 0.5) * size.cell, size.top - 10, name, {anchor: 'middle', size: 13, fill: 'soft'}));
      return;
    }
    if (size.cells === 1) return;
    const every = Math.max(1, 2 ** Math.ceil(Math.log2((textWidth(size.cells - 1, 12) + 8) / size.cell)));
    for (let i = 0; i < size.cells; i += every) pen.text(x + (i + 0.5) * size.cell, size.top - 10, String(i), {anchor: 'middle', size: 12, fill: 'soft'});
  },

  drawCell(pen, model, state, size, cell, x, y, node, i) {
    const height = size.row - Math.min(4, size.row * 0.15), width = size.cell - Math.min(2, size.cell * 0.1);
    const data = {cell: node + ',' + i, state: cellState(cell, state.round)}, title = cellTitle(model, cell, node, i, state.round);
    if (!cell) {
      pen.rect(x, y, width, height, {fill: 'bg', stroke: 'faint', data, title, means: 'nothing'});
      return;
    }
    const fresh = cell.round === state.round && state.round > 0, text = labelText(model, cell.value);
    const nothing = cell.value === null;
    pen.rect(x, y, width, height, {fill: nothing ? 'bg' : fresh ? 'new' : 'held', stroke: cell.mark ? 'bad' : fresh ? 'new' : 'line', width: cell.mark ? 3 : 1, dash: cell.mark === 'never' ? '4 3' : undefined, data, title, means: data.state});
    const whole = (cell.mark === 'wrong' ? '✗ ' : '') + (cell.mark === 'never' ? 'never' : text);
    const fontSize = Math.min(16, size.row * 0.55, (width - 4) / Math.max(whole.length, 1) / 0.58);
    if (fontSize >= 7) {
      pen.text(x + width / 2, y + height / 2 + fontSize * 0.36, whole, {anchor: 'middle', size: fixed(fontSize), weight: fresh ? 700 : 500, fill: nothing ? 'bad' : fresh ? 'onnew' : 'onheld'});
    } else if (cell.mark) {
      pen.line(x, y, x + width, y + height, {stroke: 'bad', width: 1.5});
    }
    // how many contribute, of all: a bar below, where cells are large
    if (model.page.blocks.kind === 'sum' && !nothing && height >= 22) {
      pen.rect(x + 3, y + height - 5, (width - 6) * contributors(cell.value) / model.nodes, 3, {fill: fresh ? 'onnew' : 'onheld', means: 'bar'});
    }
  },

  // Cells that are alike, as one bar.
  drawRuns(pen, size, cells, x, y, node) {
    let first = 0;
    const kind = cell => !cell || cell.value === null ? (cell && cell.mark ? 'bad' : '') : cell.mark ? 'bad' : cell.fresh ? 'new' : 'held';
    for (let i = 1; i <= size.cells; i++) {
      if (i < size.cells && kind(cells[i]) === kind(cells[first])) continue;
      const ink = kind(cells[first]);
      if (ink) pen.rect(x + first * size.cell, y, (i - first) * size.cell, Math.max(size.row + 0.2, 1.6), {fill: ink, data: {run: node + ',' + first + ',' + (i - 1), state: ink}, means: ink === 'bad' ? cells[first].mark : ink});
      first = i;
    }
  },

  legend(model) {
    if (model.page.blocks.names) return [['fill', 'new', 0, 'shown after this round', 'new'], ['fill', 'held', 0, 'shown before', 'held'], ['box', 'line', 1, 'nothing', 'nothing']];
    return [['fill', 'new', 0, 'came in this round', 'new'], ['fill', 'held', 0, 'was there', 'held'], ['line', 'onheld', 3, 'how many of all contributions', 'bar'], ['box', 'line', 1, 'nothing', 'nothing'],
            ['box', 'bad', 3, '✗ wrong at the end', 'wrong'], ['box', 'bad', 3, 'never written', 'never']];
  },

  summary(model, state) {
    const held = holdings(model, state.round, blocksShown(model, state));
    let full = 0, fresh = 0;
    for (const cells of held) {
      for (const cell of cells) {
        if (!cell || cell.value === null) continue;
        full++;
        fresh += cell.fresh ? 1 : 0;
      }
    }
    if (model.page.blocks.names) return 'What each of ' + count(model.nodes, 'node') + ' shows after round ' + state.round + '. ' + roundText(model, state.round);
    return 'What each of ' + count(model.nodes, 'node') + ' holds after round ' + state.round + ': ' + count(full, 'cell') + ' of ' + number(model.nodes * model.page.blocks.cells) + ' have data, ' + number(fresh) + ' of them new. ' + roundText(model, state.round);
  },

  table(model, state) {
    const held = holdings(model, state.round, blocksShown(model, state)), names = model.page.blocks.names;
    if (names) {
      return {caption: 'What the nodes show after round ' + state.round, head: ['node', ...names],
              rows: held.map((cells, node) => ({cells: [String(node), ...cells.map(cell => cell ? labelText(model, cell.value) : '–')]}))};
    }
    return {caption: 'What the nodes hold after round ' + state.round, head: ['node', 'holds', 'new in this round'],
            rows: held.map((cells, node) => ({cells: [String(node), cellList(model, cells, () => true), cellList(model, cells, cell => cell.fresh)]}))};
  },
};

// The changes of a round; 0 is the start, null all rounds.
function changesOf(model, round) {
  const blocks = model.page.blocks;
  if (round === null) return blocks.start.concat(...blocks.rounds);
  return (round === 0 ? blocks.start : blocks.rounds[round - 1]) || [];
}

// Which blocks are shown, 'all' or 'deliver': books draw a scatter and a gather with what is still to be delivered.
function blocksShown(model, state) {
  if (!model.page.blocks.leaves) return 'all';
  return state.blocks || (/^(scatter|gather)v?$/.test(model.run.collective) ? 'deliver' : 'all');
}

// What every node holds after `round`: for each cell null or {value, mark, round (when it came), fresh}.
function holdings(model, round, shown) {
  const cache = model.holdings, leaves = shown === 'deliver' ? model.page.blocks.leaves : [];
  if (cache && cache.round === round && cache.shown === shown) return cache.held;
  let held, from = 0;
  if (cache && cache.round < round && cache.shown === shown) {
    held = cache.held;
    from = cache.round + 1;
    for (const cells of held) for (const cell of cells) if (cell) cell.fresh = false;
  } else {
    held = Array.from({length: model.nodes}, () => new Array(model.page.blocks.cells).fill(null));
  }
  for (let r = from; r <= round; r++) {
    for (const [node, first, cells, value, mark] of changesOf(model, r)) {
      for (let i = 0; i < cells; i++) {
        held[node][first + i] = value === null && !mark ? null
          : {value: typeof value === 'number' ? value + i : value, mark: mark || null, round: r, fresh: r === round && r > 0};
      }
    }
    for (const [node, first, cells] of leaves[r] || []) {
      for (let i = 0; i < cells; i++) if (held[node][first + i] && !held[node][first + i].mark) held[node][first + i] = null;
    }
  }
  model.holdings = {round, shown, held};
  return held;
}

// "5"; for pairs "1→4"; for contributors "0–3 5"; other values in words.
function labelText(model, value) {
  const blocks = model.page.blocks;
  if (value === null) return '–';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return blocks.label === 'pair' ? Math.floor(value / blocks.cells) + '→' + value % blocks.cells : String(value);
  const parts = [];
  for (let i = 0; i + 1 < value.length; i += 2) parts.push(value[i] === value[i + 1] ? String(value[i]) : value[i] + '–' + value[i + 1]);
  return parts.join(',');
}

function contributors(value) {
  if (!Array.isArray(value)) return 1;
  let sum = 0;
  for (let i = 0; i + 1 < value.length; i += 2) sum += value[i + 1] - value[i] + 1;
  return sum;
}

function cellState(cell, round) {
  return !cell ? 'nothing' : cell.mark ? cell.mark : cell.value === null ? 'nothing' : cell.round === round && round > 0 ? 'new' : 'held';
}

function cellTitle(model, cell, node, i, round) {
  const names = model.page.blocks.names, place = 'node ' + node + ', ' + (names ? names[i] : 'cell ' + i) + ': ';
  if (!cell || (cell.value === null && !cell.mark)) return place + 'nothing';
  if (cell.mark === 'never') return place + 'never written, and should be';
  return place + labelText(model, cell.value) + (cell.mark ? ', which is wrong' : '') + (cell.round > 0 ? ', came in round ' + cell.round : ', from the start');
}

// The cells that `wanted` takes, runs of numbers joined: "0–3, 7".
function cellList(model, cells, wanted) {
  const parts = [];
  let run = null;
  cells.forEach((cell, i) => {
    if (!cell || (cell.value === null && !cell.mark) || !wanted(cell)) return;
    const mark = cell.mark ? ' (' + cell.mark + ')' : '';
    const plain = typeof cell.value === 'number' && !mark && model.page.blocks.label !== 'pair';
    if (run && plain && cell.value === run.last + 1) {
      run.last++;
      parts[parts.length - 1] = run.first + '–' + run.last;
      return;
    }
    run = plain ? {first: cell.value, last: cell.value} : null;
    parts.push((plain || model.page.blocks.cells === 1 ? '' : i + ': ') + labelText(model, cell.value) + mark);
  });
  return parts.length > 60 ? parts.slice(0, 60).join(', ') + ', … and ' + (parts.length - 60) + ' more' : parts.join(', ') || 'nothing';
}
