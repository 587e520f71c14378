// One table at a time, of what GET /pages names. All that comes from the server is text, never HTML.
'use strict';

const EVERY_MS = 2000;
const PATIENCE_MS = 10000;
const ROWS = 200; // at first, and with each "more"
const MOST_TEXT = 200; // of a cell; all of it is in its title

const at = (id) => document.getElementById(id);
const view = { pages: [], page: null, data: null, sort: null, down: false, rows: ROWS, timer: 0, drawn: '' };

function element(name, text, classes) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (classes) made.className = classes;
  return made;
}

async function ask(path) {
  const answer = await fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) });
  const text = await answer.text();
  return { ok: answer.ok, status: answer.status, text };
}

// What a JSON answer says, or why there is none.
function read(answer) {
  let value = null;
  try {
    value = JSON.parse(answer.text);
  } catch {
    return { fault: 'The answer is no JSON (HTTP ' + answer.status + ').' };
  }
  if (!answer.ok) return { fault: String((value && value.error) || 'HTTP ' + answer.status) };
  if (!value || value.version !== 1 || !Array.isArray(value.columns) || !Array.isArray(value.rows)) {
    return { fault: 'The answer is of a version that this page does not know: reload it.' };
  }
  return { value };
}

function say(fault) {
  at('state').textContent = fault || '';
  at('scroll').classList.toggle('old', Boolean(fault) && view.data !== null);
}

// "waitingSeconds" -> "waiting seconds"
const words = (name) => name.replace(/[A-Z]/g, (letter) => ' ' + letter.toLowerCase());

function age(since) {
  const seconds = Math.max(0, (Date.now() - Date.parse(since)) / 1000);
  if (Number.isNaN(seconds)) return since;
  for (const [unit, size] of [['d', 86400], ['h', 3600], ['m', 60]]) {
    if (seconds >= 2 * size) return Math.floor(seconds / size) + unit;
  }
  return Math.floor(seconds) + 's';
}

function shown(column, value) {
  if (value === null || value === undefined) return '';
  if (column.name === 'since') return age(String(value));
  if (column.type === 'number') return Number(value).toPrecision(3);
  return String(value);
}

const isNumber = (column) => column.type === 'integer' || column.type === 'number';

function compare(a, b) {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  return a < b ? -1 : 1;
}

function chosen() {
  const wanted = at('filter').value.trim().toLowerCase();
  let rows = view.data.rows;
  if (wanted) {
    rows = rows.filter((row) => view.data.columns.some((column) => shown(column, row[column.name]).toLowerCase().includes(wanted)));
  }
  if (view.sort) {
    const way = view.down ? -1 : 1;
    rows = rows.slice().sort((a, b) => way * compare(a[view.sort], b[view.sort]));
  }
  return rows;
}

function cell(column, value) {
  const text = shown(column, value);
  const made = element('td', text.length > MOST_TEXT ? text.slice(0, MOST_TEXT) + '…' : text, isNumber(column) ? 'number' : '');
  if (text.length > 24 || column.name === 'since') made.title = String(value);
  return made;
}

function drawHead() {
  const row = element('tr');
  for (const column of view.data.columns) {
    const head = element('th', undefined, isNumber(column) ? 'number' : '');
    head.scope = 'col';
    const sorted = view.sort === column.name;
    head.ariaSort = sorted ? (view.down ? 'descending' : 'ascending') : 'none';
    const button = element('button', words(column.name) + (sorted ? (view.down ? ' ↓' : ' ↑') : ''));
    button.type = 'button';
    button.tabIndex = 0;
    button.addEventListener('click', () => sortBy(column.name));
    head.append(button);
    row.append(head);
  }
  document.querySelector('thead').replaceChildren(row);
}

// A third click gives the agent's own order back.
function sortBy(name) {
  if (view.sort !== name) {
    view.sort = name;
    view.down = false;
  } else if (!view.down) {
    view.down = true;
  } else {
    view.sort = null;
  }
  const index = view.data.columns.findIndex((column) => column.name === name);
  draw();
  document.querySelectorAll('thead button')[index].focus();
}

function draw() {
  if (!view.data) return;
  const heads = JSON.stringify([view.page, view.sort, view.down, view.data.columns]);
  if (heads !== view.drawn) drawHead();
  view.drawn = heads;
  const rows = chosen();
  const body = document.createDocumentFragment();
  for (const row of rows.slice(0, view.rows)) {
    const line = element('tr');
    for (const column of view.data.columns) line.append(cell(column, row[column.name]));
    body.append(line);
  }
  document.querySelector('tbody').replaceChildren(body);
  at('more').hidden = rows.length <= view.rows;
  const all = Number(view.data.total);
  let count = rows.length === all ? all + (all === 1 ? ' row' : ' rows') : rows.length + ' of ' + all + ' rows';
  if (view.data.truncated) count += '; the answer holds the first ' + view.data.rows.length;
  at('count').textContent = all === 0 ? 'Nothing is here now.' : count;
}

async function why() {
  const ready = await ask('readyz?verbose');
  const failed = ready.text.split('\n').filter((line) => line.startsWith('[-]'));
  return failed.map((line) => line.slice(3)).join('\n');
}

async function refresh() {
  clearTimeout(view.timer);
  const page = view.page;
  try {
    if (page === null) {
      await start();
    } else {
      const answer = read(await ask(page));
      if (page !== view.page) return;
      if (answer.value) {
        view.data = answer.value;
        draw();
      }
      say([answer.fault, await why()].filter(Boolean).join('\n'));
    }
  } catch (error) {
    say('The agent does not answer (' + error.message + '). It is asked again every ' + EVERY_MS / 1000 + ' s.');
  }
  if (page === view.page && !document.hidden) view.timer = setTimeout(refresh, EVERY_MS);
}

function open() {
  const name = decodeURIComponent(location.hash.slice(1));
  const page = view.pages.find((each) => each.page === name) || view.pages[0];
  if (!page) return;
  Object.assign(view, { page: page.page, data: null, sort: null, down: false, rows: ROWS, drawn: '' });
  for (const link of document.querySelectorAll('nav a')) {
    if (link.hash === '#' + page.page) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  at('title').textContent = page.page;
  at('help').textContent = 'Agent ' + page.agent + ': ' + page.help;
  at('count').textContent = '';
  at('filter').value = '';
  document.title = page.page + ' – Outrigger';
  document.querySelector('thead').replaceChildren();
  document.querySelector('tbody').replaceChildren();
  at('more').hidden = true;
  refresh();
}

async function start() {
  const pages = read(await ask('pages'));
  if (pages.fault) return say(pages.fault);
  view.pages = pages.value.rows;
  document.querySelector('nav').replaceChildren(...view.pages.map((each) => {
    const link = element('a', each.page);
    link.href = '#' + each.page;
    return link;
  }));
  const version = JSON.parse((await ask('version')).text);
  at('version').textContent = version.version || '';
  if (view.pages.length === 0) {
    at('title').textContent = 'No agent here has a page';
    return say(await why());
  }
  open();
}

window.addEventListener('hashchange', open);
document.addEventListener('visibilitychange', () => { if (!document.hidden) refresh(); });
at('filter').addEventListener('input', () => { view.rows = ROWS; draw(); });
at('more').addEventListener('click', () => { view.rows += ROWS; draw(); });
refresh();
