// SPDX-License-Identifier: MIT
// Saving pictures: one as an SVG file, all rounds as a ZIP archive of them (stored, not compressed).

const PICTURE_WIDTH = 1120, PICTURE_HEIGHT = 620; // of a picture in a file, about

const TITLE_HEIGHT = 44, LEGEND_HEIGHT = 26;

// The view's picture with the light colours: {title, about, width, height, marks, legend}.
function pictureOf(view, model, state) {
  const size = view.size(model, state, PICTURE_WIDTH, PICTURE_HEIGHT), pen = svgPen(inkInFile);
  view.draw(pen, model, state, size);
  return {title: titleOf(model) + ': ' + view.name, about: view.summary(model, state), width: size.width, height: size.height, marks: pen.marks,
          legend: view.legend(model).filter(entry => pen.used.has(entry[4]))};
}

// Draw the legend in lines of that width; gives its height.
function drawLegendLines(pen, legend, width, top) {
  let x = 20, y = top;
  for (const [kind, ink, thick, text] of legend) {
    const wide = 38 + textWidth(text, 13) + 22;
    if (x > 20 && x + wide > width) {
      x = 20;
      y += LEGEND_HEIGHT;
    }
    drawLegendMark(pen, kind, ink, thick, x, y + 4);
    pen.text(x + 36, y + 15.5, text, {size: 13, fill: 'soft'});
    x += wide;
  }
  return legend.length ? y - top + LEGEND_HEIGHT : 0;
}

// Pictures as the text of an SVG file, one below the other, each between its title and its legend.
function pictureText(pictures) {
  const width = Math.max(...pictures.map(each => Math.max(each.width, 40 + textWidth(each.title, 16)))), parts = [];
  let top = 0;
  for (const each of pictures) {
    const pen = svgPen(inkInFile);
    pen.text(20, top + 30, each.title, {size: 16, weight: 700});
    const legend = drawLegendLines(pen, each.legend, width, top + TITLE_HEIGHT + each.height);
    parts.push(...pen.marks, '<g transform="translate(0,' + fixed(top + TITLE_HEIGHT) + ')">', ...each.marks, '</g>');
    top += TITLE_HEIGHT + each.height + legend;
  }
  const paper = svgPen(inkInFile);
  paper.rect(0, 0, width, top, {fill: 'bg'});
  return '<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ' + fixed(width) + ' ' + fixed(top) + '" width="' + fixed(width) + '" height="' + fixed(top) +
         '" font-family="' + escapeText(FONT) + '">\n<title>' + escapeText(pictures.map(each => each.title).join('; ')) + '</title>\n<desc>' + escapeText(pictures.map(each => each.about).join(' ')) + '</desc>\n' +
         paper.marks.concat(parts).join('\n') + '\n</svg>\n';
}

function fileStem(model, view) {
  const stem = fileName(model.name).replace(/\.json$/, '').replace(/[^A-Za-z0-9._-]+/g, '-') || 'peal';
  return stem + '-' + view.id;
}

function download(name, parts, type) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(parts, {type}));
  link.download = name;
  document.body.appendChild(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function saveOne(view, model, state) {
  const round = view.steps && model.rounds.length ? '-round-' + state.round : '';
  download(fileStem(model, view) + round + '.svg', [pictureText([pictureOf(view, model, state)])], 'image/svg+xml');
}

function saveAll(view, model, state, last, first) {
  const digits = String(last).length;
  const files = [];
  for (let round = first; round <= last; round++) {
    const name = fileStem(model, view) + '-round-' + String(round).padStart(digits, '0') + '.svg';
    files.push({name, text: pictureText([pictureOf(view, model, Object.assign({}, state, {round, transfer: null}))])});
  }
  download(fileStem(model, view) + '-rounds.zip', [zip(files)], 'application/zip');
  return files.length;
}

// ---------------------------------------------------------------- archives

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >>> 1 ^ 0xEDB88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

// The bytes of a ZIP archive of {name, text}, by PKWARE's APPNOTE 4.3: local headers with data, the directory, its end.
function zip(files) {
  const encoder = new TextEncoder(), chunks = [], directory = [];
  let at = 0;
  const add = (list, values) => {
    const bytes = new Uint8Array(values.reduce((sum, [, size]) => sum + size, 0));
    const data = new DataView(bytes.buffer);
    let place = 0;
    for (const [value, size] of values) {
      if (size === 2) data.setUint16(place, value, true);
      else data.setUint32(place, value, true);
      place += size;
    }
    list.push(bytes);
    return bytes.length;
  };
  for (const file of files) {
    const name = encoder.encode(file.name), bytes = encoder.encode(file.text), crc = crc32(bytes);
    // version 2.0, names in UTF-8, stored, 1 January 1980
    const common = [[20, 2], [0x800, 2], [0, 2], [0, 2], [33, 2], [crc, 4], [bytes.length, 4], [bytes.length, 4], [name.length, 2], [0, 2]];
    const begin = at;
    at += add(chunks, [[0x04034B50, 4]].concat(common));
    chunks.push(name, bytes);
    at += name.length + bytes.length;
    add(directory, [[0x02014B50, 4], [20, 2]].concat(common, [[0, 2], [0, 2], [0, 2], [0, 4], [begin, 4]]));
    directory.push(name);
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = [];
  add(end, [[0x06054B50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [at, 4], [0, 2]]);
  const all = chunks.concat(directory, end), out = new Uint8Array(all.reduce((sum, part) => sum + part.length, 0));
  let place = 0;
  for (const part of all) {
    out.set(part, place);
    place += part.length;
  }
  return out;
}
