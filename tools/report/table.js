// SPDX-License-Identifier: MIT
// The table twin of a view: {caption, head: [text or {text, number: true}], rows: [{cells, pick, current}]}.

const FIRST_ROWS = 100;

function drawTable(holder, table, pick) {
  holder.selectAll('*').remove();
  if (!table) return;
  const element = holder.append('table');
  const many = table.rows.length > FIRST_ROWS;
  element.append('caption').text(table.caption + (many ? ' (the first ' + FIRST_ROWS + ' of ' + count(table.rows.length, 'row') + ')' : ''));
  const head = element.append('thead').append('tr');
  const columns = table.head.map(column => typeof column === 'string' ? {text: column, number: false} : column);
  for (const column of columns) head.append('th').attr('scope', 'col').classed('number', column.number).text(column.text);
  const body = element.append('tbody');
  for (const row of table.rows.slice(0, FIRST_ROWS)) addRow(body, columns, row, pick);
  if (!many) return;
  holder.append('button').attr('type', 'button').text('Show all ' + count(table.rows.length, 'row')).on('click', function () {
    d3.select(this).remove();
    element.select('caption').text(table.caption);
    for (const row of table.rows.slice(FIRST_ROWS)) addRow(body, columns, row, pick);
  });
}

function addRow(body, columns, row, pick) {
  const line = body.append('tr');
  if (row.current) line.attr('aria-current', 'true');
  row.cells.forEach((cell, i) => {
    const place = i === 0 ? line.append('th').attr('scope', 'row') : line.append('td');
    const text = typeof cell === 'number' ? number(cell) : cell;
    place.classed('number', columns[i].number);
    if (i === 0 && row.pick !== undefined) {
      place.append('button').attr('type', 'button').attr('aria-label', 'choose ' + columns[0].text + ' ' + text).text(text)
        .on('click', () => pick(row.pick));
    } else {
      place.text(text);
    }
  });
}

// A heading of a column of numbers.
function num(text) {
  return {text, number: true};
}
