// The admin port's page for browsers: queue, nodes, the last hour, and each page of an agent as a table.
// All that comes from the server is text, never HTML.
'use strict';

const EVERY_MS = 2000; // between rounds of questions, or IDLE times what the last one took
const HISTORY_EVERY_MS = 6000;
const IDLE = 4;
const PATIENCE_MS = 10000; // for an answer; also between rounds at most
const LATE_MS = 3000; // a later answer is mentioned
const AT_ONCE = 2; // questions under way; the admin port makes four pages at once
const STEP = 60; // rows at first, and with each "more"
const MOST_TEXT = 400; // characters of a cell
const MOST_TITLE = 4000;
const MOST_OPTIONS = 300;

// == Small things ==

const at = (id) => document.getElementById(id);
const on = (node, names, work) => names.split(' ').forEach((name) => node.addEventListener(name, work));

function make(name, classes, text) {
	const made = document.createElement(name);
	if (name === 'button') made.type = 'button';
	if (classes) made.className = classes;
	if (text) made.textContent = text;
	return made;
}

const cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + '…' : text);

// What is cut, or may not fit, is in the title.
function put(node, text, title) {
	const short = cut(text, MOST_TEXT);
	if (node.textContent !== short) node.textContent = short;
	const long = cut(title || (text.length > 24 ? text : ''), MOST_TITLE);
	if (node.title !== long) node.title = long;
}

const str = (value) => String(value ?? '');
const num = (value) => (Number.isFinite(value) ? value : 0);
const isObject = (value) => typeof value === 'object' && value !== null;
const few = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat('en');
const figure = (n) => (Math.abs(n) < 100 && !Number.isInteger(n) ? few.format(n) : whole.format(Math.round(n)));
const count = (n, one) => figure(n) + ' ' + one + (n === 1 ? '' : 's');
const joined = (parts, by) => parts.filter(Boolean).join(by);

function duration(ms) {
	const seconds = Math.max(0, ms / 1000);
	for (const [unit, size] of [['d', 86400], ['h', 3600], ['m', 60]]) {
		if (seconds >= 2 * size) return Math.floor(seconds / size) + unit;
	}
	return Math.floor(seconds) + 's';
}

function age(since) {
	const time = Date.parse(since);
	return Number.isNaN(time) ? str(since) : duration(Date.now() - time);
}

function split(unit) {
	const slash = str(unit).indexOf('/') + 1;
	return [str(unit).slice(0, slash), str(unit).slice(slash)];
}

function link(hash, text, title) {
	const made = make('a', '', cut(text, 60));
	made.href = hash;
	made.title = cut(str(title), MOST_TITLE);
	return made;
}

// Where a key leads in a row of things with a cursor (-1: on none); undefined: it is another key.
function stepOf(key, now, length) {
	const last = length - 1;
	return { ArrowLeft: now < 0 ? last : Math.max(0, now - 1), ArrowRight: Math.min(last, now + 1), Home: 0, End: last }[key];
}

// One that has the focus may be open: it stays as it is.
function fillSelect(select, options, chosen) {
	if (select.key && select === document.activeElement) return;
	const key = JSON.stringify(options);
	if (select.key !== key) {
		select.key = key;
		select.replaceChildren(...options.map(([value, text]) => new Option(cut(text, 90), value)));
	}
	for (const option of select.options) option.selected = chosen.includes(option.value);
}

// == What was answered ==

// By path: { text, value, version (of value), at (time of the last good answer), fault, missing }.
const known = new Map();
const state = { view: '', table: '', unit: '', offered: null, notReady: '', begun: 0, timer: 0, round: 0, last: 0 };

function entry(path) {
	if (!known.has(path)) known.set(path, { value: null, fault: '', at: 0, version: 0 });
	return known.get(path);
}

const rowsOf = (path) => entry(path).value?.rows || [];

// The result is kept as long as a page is the same.
function perVersion(path, work) {
	let [version, kept] = [-1, null];
	return () => {
		if (version !== entry(path).version) [version, kept] = [entry(path).version, work(rowsOf(path))];
		return kept;
	};
}

async function ask(path, stopped) {
	const late = AbortSignal.timeout(PATIENCE_MS);
	try {
		const answer = await fetch(path, { cache: 'no-store', signal: AbortSignal.any([stopped, late]) });
		return { path, ok: answer.ok, status: answer.status, text: await answer.text() };
	} catch (error) {
		const failed = late.aborted ? `no answer within ${PATIENCE_MS / 1000} s` : `no complete answer (${error.message})`;
		return { path, text: '', failed };
	}
}

// Ends what was asked before.
async function askAll(paths) {
	const answers = [];
	const stop = new AbortController();
	state.stop?.abort();
	state.stop = stop;
	const work = async () => {
		while (paths.length > 0) answers.push(await ask(paths.shift(), stop.signal));
	};
	await Promise.all(Array.from({ length: AT_ONCE }, work));
	return answers;
}

// What an answer holds, or what is wrong with it.
function parse({ text, ok, status, failed }) {
	if (failed) return { fault: failed };
	let value = null;
	try {
		value = JSON.parse(text);
	} catch {
		return { fault: ok ? 'the answer is cut off or no JSON' : 'HTTP ' + status };
	}
	if (!ok) return { fault: str(value?.error) || 'HTTP ' + status };
	const lists = [value?.columns || value?.times, value?.rows || value?.series];
	const isGood = value?.version === 1 && lists.every(Array.isArray) && lists[1].every(isObject);
	return { value, fault: isGood ? '' : 'the answer is of a version that this page does not know: reload it' };
}

// If the answer is none, what was known stays.
function take(answer) {
	const kept = entry(answer.path);
	kept.missing = answer.status === 404;
	const isSame = answer.ok && answer.text === kept.text;
	const { value, fault } = isSame ? { fault: '' } : parse(answer);
	kept.fault = fault;
	if (fault) return;
	kept.at = Date.now();
	if (!isSame) Object.assign(kept, { text: answer.text, value, version: kept.version + 1 });
}

// == Is it current? ==

const faulty = () => needs().filter((path) => entry(path).fault);

// Shows why the view may be old, a line each.
function drawState() {
	const lines = [];
	for (const [fault, paths] of Map.groupBy(faulty(), (path) => entry(path).fault)) lines.push('/' + paths.join(', /') + ': ' + fault);
	const text = joined([...lines, ...state.notReady.split('\n')].map((line) => cut(line, MOST_TEXT)), '\n');
	if (at('reasons').textContent !== text) at('reasons').textContent = text;
	at('content').classList.toggle('old', lines.length > 0);
	drawAge();
}

// Each second, and so not in the live region.
function drawAge() {
	const oldest = Math.min(...faulty().map((path) => entry(path).at || Infinity));
	const late = state.begun ? performance.now() - state.begun : 0;
	put(at('age'), joined([
		oldest < Infinity && `What is grey was known ${duration(Date.now() - oldest)} ago.`,
		late > LATE_MS && `No answer yet: asked ${duration(late)} ago.`,
	], ' '));
	put(at('asked'), state.last ? `asked ${duration(Date.now() - state.last)} ago` : 'asking');
}

// == Rows of a table ==

const buttonOf = (record) => record?.row.querySelector('button');

// Rows with keys: those that stay keep their elements, so that focus and opened details stay.
// columns: [{ head, classes, draw(cell, item) }]; details(box, item) fills what an opened row shows.
class Rows {
	constructor(table, columns, keyOf, { classOf, details, limit } = {}) {
		Object.assign(this, { table, columns, keyOf, classOf, details, limit: limit || STEP, records: new Map(), opened: new Set() });
		this.body = make('tbody');
		const head = make('thead');
		head.append(make('tr'));
		for (const { classes, head: text } of columns) head.firstChild.appendChild(make('th', classes, text)).scope = 'col';
		table.replaceChildren(head, this.body);
		this.more = make('button', 'more');
		on(this.more, 'click', () => this.showMore());
		(table.parentElement.id === 'scroll' ? table.parentElement : table).after(this.more);
		if (details) on(this.body, 'click', (event) => this.onClick(event));
	}

	show(items) {
		const focused = document.activeElement;
		const index = this.body.contains(focused) ? this.list().findIndex(({ row, detail }) => row.contains(focused) || detail?.contains(focused)) : -1;
		const before = this.records;
		this.items = items;
		this.records = new Map();
		for (const item of items.slice(0, this.limit)) {
			const key = this.keyOf(item, this.records.size);
			const record = this.records.get(key) || before.get(key) || this.makeRecord(key);
			this.records.set(key, record);
			before.delete(key);
			this.fill(record, item);
		}
		for (const { row, detail } of before.values()) {
			row.remove();
			detail?.remove();
		}
		this.place();
		const left = items.length - this.limit;
		this.more.hidden = left <= 0;
		put(this.more, `Show ${figure(Math.min(left, STEP))} more of ${figure(items.length)}`);
		this.table.hidden = items.length === 0;
		// A row that was moved has lost the focus; one that is gone leaves it to the row in its place.
		if (index < 0 || document.activeElement === focused) return;
		(focused.isConnected ? focused : buttonOf(this.list()[Math.min(index, this.records.size - 1)]))?.focus({ preventScroll: true });
	}

	list() {
		return [...this.records.values()];
	}

	makeRecord(key) {
		const record = { key, row: make('tr') };
		record.cells = this.columns.map(({ classes }) => record.row.appendChild(make('td', classes)));
		record.row.record = record;
		return record;
	}

	fill(record, item) {
		record.item = item;
		if (this.classOf) record.row.className = this.classOf(item);
		this.columns.forEach(({ draw }, i) => draw(record.cells[i], item));
		if (!this.details) return;
		const open = this.opened.has(record.key);
		buttonOf(record).ariaExpanded = open;
		if (!open) return;
		if (!record.detail) {
			record.detail = make('tr', 'detail');
			record.detail.appendChild(make('td')).colSpan = this.columns.length;
		}
		this.details(record.detail.firstChild, item);
	}

	// Brings the rows into their order. Those that are in it are not touched.
	place() {
		for (const { key, detail } of this.records.values()) {
			if (!this.opened.has(key)) detail?.remove();
		}
		let next = this.body.firstChild;
		for (const { key, row, detail } of this.records.values()) {
			for (const each of this.opened.has(key) ? [row, detail] : [row]) {
				if (each === next) next = next.nextSibling;
				else this.body.insertBefore(each, next);
			}
		}
	}

	showMore() {
		this.limit += STEP;
		this.show(this.items);
		buttonOf(this.list()[this.limit - STEP])?.focus();
	}

	onClick(event) {
		const { record, parentElement } = event.target.closest('tr');
		if (!record || parentElement !== this.body || event.target.closest('a')) return;
		if (!event.target.closest('button') && !getSelection().isCollapsed) return;
		if (!this.opened.delete(record.key)) this.opened.add(record.key);
		this.fill(record, record.item);
		this.place();
	}
}

function column(head, classes, text) {
	const make = typeof text === 'string' ? (row) => str(row[text]) : text;
	return { head, classes, draw: (cell, row) => put(cell, make(row)) };
}

// == The queue ==

const byUnit = perVersion('members', (rows) => Map.groupBy(rows, (row) => row.unit));
const byNode = perVersion('members', (rows) => Map.groupBy(rows, (row) => row.node));
const membersOf = (unit) => byUnit().get(unit) || [];
const hasPlace = (row) => row.state === 'has a place';

function whyText(row) {
	if (!hasPlace(row)) return str(row.why) || (row.lacks ? `Lacks ${row.lacks}.` : 'Waits.');
	const reserved = membersOf(row.unit).filter((member) => member.state === 'reserved' && member.node);
	const nodes = [...new Set(reserved.map((member) => cut(str(member.node), 60)))];
	const named = nodes.slice(0, 3).join(', ') + (nodes.length > 3 ? ` and ${nodes.length - 3} more` : '');
	return joined(['Has a place', named], ': ') + '.';
}

function podsText({ kind, members, bound, minimum }) {
	if (kind === 'pod') return 'pod';
	const differs = minimum > 0 && minimum !== num(members) + num(bound);
	return joined([count(num(members), 'pod'), bound && bound + ' bound', differs && 'min ' + minimum], ', ');
}

// The name, its namespace weaker. It is the button that opens the row.
function drawUnit(cell, row) {
	if (!cell.firstChild) cell.appendChild(make('button')).append(make('span'), make('b'));
	const unit = cut(str(row.unit), MOST_TITLE);
	if (cell.title === unit) return;
	cell.title = unit;
	const [namespace, name] = split(unit);
	cell.firstChild.firstChild.textContent = cut(namespace, 80);
	cell.firstChild.lastChild.textContent = cut(name, MOST_TEXT);
}

const queueColumns = [
	column('#', 'number position', 'position'),
	{ head: 'Unit', classes: 'unit', draw: drawUnit },
	column('Waits', 'number since', (row) => age(row.since)),
	column('Pods', 'short', podsText),
	column('Priority', 'number rare', (row) => joined([row.groupPriority, str(row.priority)], ' · ')),
	column('Class', 'short rare', 'class'),
	column('Lacks', 'lacks', 'lacks'),
	column('Why', 'why', whyText),
];

const memberColumns = [column('Pod', '', (row) => split(row.pod)[1]), column('Role', '', 'role'), column('State', '', 'state'), column('Node', '', 'node')];

function drawMembers(box, row) {
	if (!box.rows) {
		const facts = make('p');
		const table = make('table');
		facts.append(make('span'), link('#nodes/' + encodeURIComponent(row.unit), 'Show on nodes'));
		table.ariaLabel = 'Members';
		box.append(facts, table);
		box.rows = new Rows(table, memberColumns, (member) => member.pod + ' ' + member.state);
	}
	const named = ['groupPriority', 'priority', 'since', 'minimum', 'lacks', 'after'].map((key) => str(row[key]) && words(key) + ' ' + row[key]);
	put(box.firstChild.firstChild, joined([row.class, ...named], ' · ') + ' · ');
	box.rows.show(membersOf(row.unit));
}

function gangText(row) {
	const parts = ['bound', 'gated', 'terminating'].map((name) => row[name] > 0 && row[name] + ' ' + name);
	return joined([`${num(row.existing)} of ${num(row.minimum)} exist`, ...parts], ', ');
}

const outsideColumns = [queueColumns[1], column('State', 'short', 'state'), column('Pods', 'short', gangText), ...queueColumns.slice(-2)];

// Placed gangs: when this page first saw them placed; 0: they were so before.
const placedAt = new Map();

const placedColumns = [
	column('Gang', 'unit', 'unit'),
	column('Pods', 'short', (row) => count(num(row.bound), 'pod') + ' bound'),
	column('Placed', 'why', ({ unit }) => (placedAt.get(unit) ? duration(Date.now() - placedAt.get(unit)) + ' ago' : 'before this page was opened')),
];

function placedGangs() {
	const placed = rowsOf('gangs').filter((row) => row.state === 'placed');
	const now = new Set(placed.map((row) => row.unit));
	for (const unit of placedAt.keys()) {
		if (!now.has(unit)) placedAt.delete(unit);
	}
	for (const unit of now) {
		if (!placedAt.has(unit)) placedAt.set(unit, placedGangs.begun ? Date.now() : 0);
	}
	placedGangs.begun = entry('gangs').at > 0;
	return placed.sort((a, b) => placedAt.get(b.unit) - placedAt.get(a.unit));
}

function queueSummary({ rows, total }) {
	const all = Math.max(rows.length, num(total));
	if (all === 0) return 'Nothing waits for a place.';
	const gangs = rows.filter((row) => row.kind === 'gang').length;
	const places = rows.filter(hasPlace).length;
	const placed = [...placedAt.values()].filter(Boolean).length;
	const kinds = joined([gangs && count(gangs, 'gang'), rows.length > gangs && count(rows.length - gangs, 'pod')], ', ');
	return joined([
		count(all, 'unit') + (all === 1 ? ' waits: ' : ' wait: ') + kinds,
		(places || 'none') + (places > 1 ? ' have places' : ' has a place'),
		rows[0]?.since && 'the first has waited ' + age(rows[0].since),
		placed && count(placed, 'gang') + ' placed since you look',
		all > rows.length && 'the answer holds the first ' + figure(rows.length),
	], '; ') + '.';
}

const queueView = {
	title: 'Queue',
	needs: ['queue', 'gangs', 'members'],
	start() {
		const units = (id, columns, options) => new Rows(at(id + '-rows'), columns, ({ kind, unit }) => kind + unit, options);
		this.rows = units('queue', queueColumns, { classOf: (row) => (hasPlace(row) ? 'place' : ''), details: drawMembers });
		this.outside = units('outside', outsideColumns, { details: drawMembers });
		this.placed = units('placed', placedColumns, { classOf: ({ unit }) => (placedAt.get(unit) ? 'new' : ''), limit: 5 });
	},
	filtered(rows) {
		const wanted = at('filter').value.trim().toLowerCase();
		const has = (text) => str(text).toLowerCase().includes(wanted);
		const isWanted = (row) => [row.unit, row.kind, row.class, row.state, row.lacks, row.why].some(has) || membersOf(row.unit).some(({ node }) => has(node));
		return wanted ? rows.filter(isWanted) : rows;
	},
	summary: queueSummary,
	draw() {
		const rows = this.filtered(rowsOf('queue'));
		at('queue-none').hidden = rows.length > 0 || rowsOf('queue').length === 0;
		this.rows.show(rows);
		// A pod may have a gang's name.
		const waiting = new Set(rowsOf('queue').filter((row) => row.kind === 'gang').map((row) => row.unit));
		this.section('outside', rowsOf('gangs').filter((row) => !['waits', 'has a place', 'placed'].includes(row.state) && !waiting.has(row.unit)));
		this.section('placed', placedGangs());
	},
	section(name, all) {
		const rows = this.filtered(all);
		at(name + '-box').hidden = rows.length === 0;
		put(at(name + '-count'), figure(rows.length));
		this[name].show(rows);
	},
};

// == The field of nodes ==

// What a square shows of a node: of(row) -> [total, used, reserved].
const partsOf = (name) => (row) => [num(row[name + 'Total']), num(row[name + 'Used']), num(row[name + 'Reserved'])];
const WORDS = ['used', 'reserved', 'free'];
const MEASURED = ['mean', 'deviation', 'rest'];
const THINGS = [
	{ name: 'cpu', unit: ' CPUs', size: 1000, of: partsOf('cpu') },
	{ name: 'memory', unit: ' GiB', size: 2 ** 30, of: partsOf('memory') },
	{ name: 'pods', unit: '', size: 1, of: partsOf('pods') },
	{ name: 'device', unit: '', size: 1, of: partsOf('device') },
	{ name: 'measured cpu', unit: ' %', size: 0.01, words: MEASURED, of: (row) => measuredParts(row, 'cpu') },
	{ name: 'measured memory', unit: ' %', size: 0.01, words: MEASURED, of: (row) => measuredParts(row, 'memory') },
];

const measured = perVersion('measured', (rows) => new Map(rows.map((row) => [row.node, row])));

function measuredParts({ node }, name) {
	const row = measured().get(node);
	const mean = row?.[name + 'Mean'];
	return Number.isFinite(mean) ? [1, mean, Math.min(num(row[name + 'Deviation']), Math.max(0, 1 - mean))] : [0, 0, 0];
}

function partsText({ name, unit, size, words = WORDS }, [total, used, reserved], device) {
	const title = (name === 'device' && device) || name;
	if (total <= 0) return 'no ' + title;
	const shown = (part) => figure(words === WORDS ? part / size : Math.round(part / size));
	const figures = [used, reserved, Math.max(0, total - used - reserved)].map((part, i) => shown(part) + ' ' + words[i]);
	return `${title}: ${figures.join(', ')} of ${shown(total)}${unit}`;
}

// The squares: `order` has the rows as they are drawn, x and y where.
const field = { order: [], byNode: new Map(), blocks: [], x: [], y: [], cell: 0, size: 0, width: 0, cursor: -1 };
const LABEL = 18; // pixels above a block of squares
const GAP = 14; // between blocks
const EDGE = 3; // around all, for outlines
const CELLS = [36, 28, 22, 18, 15, 13, 11, 9, 8, 7];
const collator = new Intl.Collator('en', { numeric: true });
// Most names are of one length: those need no collator, which is slow.
const naturally = (a, b) => (a === b ? 0 : a.length === b.length ? (a < b ? -1 : 1) : collator.compare(a, b));

// True: names or groups have changed.
function orderNodes(rows, group) {
	const isKnown = ({ node, zone, rack }) => {
		const before = field.order[field.byNode.get(node)];
		return before && before.zone === zone && before.rack === rack;
	};
	const isSame = group === field.group && rows.length === field.rows && rows.every(isKnown);
	if (!isSame) {
		const keys = { zone: ['zone'], rack: ['zone', 'rack'], '': [] }[group];
		const unique = new Map(rows.map((row) => [row.node, row])).values();
		const groups = Map.groupBy(unique, (row) => keys.map((key) => row[key] || 'no ' + key).join(' '));
		const names = [...groups.keys()].sort(naturally);
		const inOrder = (a, b) => naturally(str(a.rack), str(b.rack)) || naturally(str(a.node), str(b.node));
		field.blocks = names.map((name) => ({ name, length: groups.get(name).length }));
		field.byNode = new Map(names.flatMap((name) => groups.get(name).sort(inOrder)).map((row, i) => [row.node, i]));
		Object.assign(field, { group, rows: rows.length, order: [] });
	}
	for (const row of rows) field.order[field.byNode.get(row.node)] = row;
	return !isSame;
}

// Puts the blocks from left to right, about twice as wide as tall. Returns the height.
function layBlocks(width, cell) {
	const most = Math.max(1, Math.floor(width / cell));
	let [x, y, tall] = [0, 0, 0];
	for (const block of field.blocks) {
		const nice = Math.max(Math.ceil(Math.sqrt(block.length * 2)), Math.ceil(90 / cell));
		const columns = nice > most * 0.6 ? most : nice;
		if (x > 0 && x + columns * cell > width) [x, y, tall] = [0, y + tall + GAP, 0];
		Object.assign(block, { x: x + EDGE, y, columns, width: columns * cell });
		tall = Math.max(tall, LABEL + Math.ceil(block.length / columns) * cell);
		x += columns * cell + GAP;
	}
	return Math.ceil(y + tall) + EDGE;
}

// The largest squares with which the field is no taller than the window.
function layField(width) {
	const room = Math.max(360, window.innerHeight - 240);
	const lay = (cell) => layBlocks(width - 2 * EDGE, cell);
	const cell = CELLS.find((each) => lay(each) <= room) || CELLS[CELLS.length - 1];
	Object.assign(field, { cell, width, size: cell - (cell > 8 ? 2 : 1), height: lay(cell), x: [], y: [] });
	for (const block of field.blocks) {
		block.first = field.x.length;
		for (let i = 0; i < block.length; ++i) {
			field.x.push(block.x + (i % block.columns) * cell);
			field.y.push(block.y + LABEL + Math.floor(i / block.columns) * cell);
		}
	}
}

function paintField(thing, targets) {
	const canvas = at('field');
	const ratio = window.devicePixelRatio || 1;
	canvas.width = field.width * ratio;
	canvas.height = field.height * ratio;
	canvas.style.height = field.height + 'px';
	const pen = canvas.getContext('2d');
	const style = getComputedStyle(canvas);
	const colour = (name) => style.getPropertyValue('--' + name).trim();
	pen.scale(ratio, ratio);
	pen.fillStyle = colour('weak');
	pen.font = '12px system-ui, sans-serif';
	for (const { name, length, width, x, y } of field.blocks) {
		pen.fillText(cut(width > 150 ? `${name}  ${length} nodes` : name, Math.max(3, width / 6.5)), x, y + LABEL - 5);
	}
	const { true: marked = [], false: rest = [] } = Object.groupBy(field.order.keys(), (i) => targets.has(field.order[i].node));
	pen.globalAlpha = targets.size > 0 ? 0.4 : 1;
	paintSquares(pen, colour, thing, rest);
	pen.globalAlpha = 1;
	paintSquares(pen, colour, thing, marked);
	pen.strokeStyle = colour('text');
	pen.lineWidth = 2;
	for (const i of marked) pen.strokeRect(field.x[i] - 1, field.y[i] - 1, field.size + 2, field.size + 2);
}

// A colour after the other, since to change it costs. A node without the thing is a point.
function paintSquares(pen, colour, thing, indexes) {
	const { size, x, y, order } = field;
	const parts = indexes.map((i) => thing.of(order[i]));
	const paint = (name, draw) => {
		pen.fillStyle = pen.strokeStyle = colour(name);
		pen.beginPath();
		indexes.forEach((i, k) => draw(x[i], y[i], parts[k], order[i]));
	};
	const tall = (part, total) => (part > 0 ? Math.min(1, part / total) * size : 0);
	paint('free', (left, top, [total]) => (total > 0 ? pen.fillRect(left, top, size, size) : pen.fillRect(left + size / 2 - 1, top + size / 2 - 1, 2, 2)));
	paint('used', (left, top, [total, used]) => total > 0 && pen.fillRect(left, top + size - tall(used, total), size, tall(used, total)));
	paint('reserved', (left, top, [total, used, reserved]) => {
		if (total <= 0 || reserved <= 0) return;
		const height = Math.max(1, tall(reserved, total));
		pen.fillRect(left, Math.max(top, top + size - tall(used, total) - height), size, height);
	});
	pen.lineWidth = 1.2;
	paint('text', (left, top, part, { schedulable }) => {
		if (schedulable !== false) return;
		pen.moveTo(left, top);
		pen.lineTo(left + size, top + size);
	});
	pen.stroke();
	paint('kept', (left, top, part, { keptFor }) => keptFor && pen.fillRect(left + size / 4, top + size / 4, size / 2, size / 2));
}

function squareAt({ offsetX, offsetY }) {
	for (const block of field.blocks) {
		const column = Math.floor((offsetX - block.x) / field.cell);
		const i = Math.floor((offsetY - block.y - LABEL) / field.cell) * block.columns + column;
		if (column >= 0 && column < block.columns && i >= 0 && i < block.length) return block.first + i;
	}
	return -1;
}

// == The nodes ==

const closedText = (row) => row.schedulable === false && 'takes no pods (cordoned or not ready)';
const keptText = (row) => row.keptFor && 'kept for ' + row.keptFor;

function nodeText(row) {
	const { thing } = nodesView;
	const where = [row.node, row.zone, row.rack].map((text) => cut(str(text), 80));
	return joined([joined(where, ', '), partsText(thing, thing.of(row), row.device), closedText(row), row.reservedFor && 'reserved for ' + row.reservedFor, keptText(row)], '; ');
}

function nodesSummary({ rows, total }) {
	const { thing } = nodesView;
	const sums = [0, 0, 0];
	// Devices of different kinds are no sum.
	const alike = rows.filter((row) => thing.name !== 'device' || row.device === nodesView.device);
	// A load is a mean, of the measured.
	const some = thing.words ? alike.filter((row) => thing.of(row)[0] > 0) : alike;
	for (const row of some) thing.of(row).forEach((part, i) => { sums[i] += part / (thing.words ? some.length : 1); });
	const closed = rows.filter(closedText).length;
	return joined([count(rows.length, 'node') + (total > rows.length ? ' of ' + figure(total) : ''), closed && figure(closed) + ' of them take no pods', partsText(thing, sums, nodesView.device)], '; ') + '.';
}

function unitOptions() {
	const options = rowsOf('queue').slice(0, MOST_OPTIONS).map((row) => [str(row.unit), `${row.unit} (${podsText(row)}, ${row.state})`]);
	if (state.unit && !options.some(([unit]) => unit === state.unit)) options.push([state.unit, state.unit]);
	return [['', 'choose a unit that waits'], ...options];
}

function targetsOf(unit) {
	at('unit-why').hidden = !unit;
	if (!unit) return new Set();
	const some = [...membersOf(unit), ...field.order.filter(({ keptFor }) => keptFor === unit)];
	const nodes = new Set(some.map(({ node }) => node).filter(Boolean));
	const row = rowsOf('queue').find((each) => each.unit === unit);
	put(at('unit-why'), `${cut(unit, 100)}, ${count(nodes.size, 'node')} outlined. ` + (row ? whyText(row) : entry('queue').at ? 'It does not wait.' : ''));
	return nodes;
}

function drawNode() {
	const row = field.order[field.byNode.get(nodesView.node)];
	at('node').hidden = !row;
	if (!row) return;
	put(at('node-name'), str(row.node));
	const figures = THINGS.map((thing) => thing.of(row)[0] > 0 && partsText(thing, thing.of(row), row.device));
	put(at('node-facts'), joined([joined([row.zone, row.rack, closedText(row) || 'takes pods', keptText(row)], ' · '), ...figures], '\n'));
	const pods = byNode().get(row.node) || [];
	put(at('node-pods-title'), pods.length ? count(pods.length, 'pod') + ' of units that wait' : 'No unit that waits has a place here');
	nodesView.pods.show(pods);
}

const nodesView = {
	title: 'Nodes',
	needs: ['nodes', 'members', 'queue', 'measured'],
	thing: THINGS[0],
	width: 0,
	node: '', // whose details are shown
	start() {
		this.pods = new Rows(at('node-pods'), [column('Pod', '', 'pod'), column('State', '', 'state')], (row) => row.pod);
		const again = () => state.view === 'nodes' && draw();
		on(at('thing'), 'change', open);
		on(at('group'), 'change', again);
		on(at('unit'), 'change', () => location.replace('#nodes/' + encodeURIComponent(at('unit').value)));
		on(at('node-close'), 'click', () => this.choose(-1));
		on(at('node'), 'keydown', ({ key }) => key === 'Escape' && this.choose(-1));
		new ResizeObserver(([{ contentRect }]) => {
			this.width = Math.floor(contentRect.width) || this.width; // 0: not shown
			if (this.width !== field.width) again();
		}).observe(at('field-box'));
		on(matchMedia('(prefers-color-scheme: dark)'), 'change', again);
		listenOnField(at('field'));
	},
	summary: nodesSummary,
	draw() {
		const rows = rowsOf('nodes');
		const device = this.device = rows.find((row) => row.device)?.device;
		const things = THINGS.filter(({ name, words }) => (name !== 'device' || device) && (!words || (state.offered && isOffered('measured'))));
		this.thing = things.find(({ name }) => name === at('thing').value) || THINGS[0];
		fillSelect(at('thing'), things.map(({ name }) => [name, name === 'device' ? str(device) : name]), [this.thing.name]);
		fillSelect(at('unit'), unitOptions(), [state.unit]);
		at('field').ariaLabel = count(rows.length, 'node') + '. Arrow keys go to the next, Enter shows details.';
		(this.thing.words || WORDS).forEach((word, i) => put(at('legend').children[i].lastChild, word));
		const node = field.order[field.cursor]?.node;
		if (orderNodes(rows, at('group').value) || this.width !== field.width) layField(this.width);
		drawNode();
		paintField(this.thing, targetsOf(state.unit));
		this.point(field.byNode.get(node) ?? -1);
	},
	point(i) {
		const { style } = at('cursor');
		field.cursor = i;
		at('cursor').hidden = i < 0;
		style.width = style.height = field.size + 6 + 'px';
		style.transform = `translate(${field.x[i] - 3}px,${field.y[i] - 3}px)`;
		put(at('node-line'), i < 0 ? 'Point at a node, or use the arrow keys.' : nodeText(field.order[i]));
	},
	// Shows the details of a node; of the same, or of none: hides them.
	choose(i) {
		const node = field.order[i]?.node;
		this.node = node === this.node ? '' : node;
		drawNode();
		if (!this.node) at('field').focus({ preventScroll: true });
	},
};

// True: the key is one of the field.
function onFieldKey(key) {
	const { cursor, order, blocks } = field;
	const way = { ArrowUp: -1, ArrowDown: 1 }[key];
	const block = way && blocks.findLast(({ first }) => first <= Math.max(0, cursor));
	const to = block ? Math.max(0, Math.min(order.length - 1, cursor + way * block.columns)) : stepOf(key, cursor, order.length);
	if (to !== undefined) nodesView.point(to);
	else if ((key === 'Enter' || key === ' ') && cursor >= 0) nodesView.choose(cursor);
	else if (key === 'Escape' && nodesView.node) nodesView.choose(-1);
	else return false;
	return true;
}

function listenOnField(canvas) {
	on(canvas, 'pointermove click', (event) => {
		const i = squareAt(event);
		if (i >= 0 && i !== field.cursor) nodesView.point(i);
		if (i >= 0 && event.type === 'click') nodesView.choose(i);
	});
	on(canvas, 'keydown', (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || field.order.length === 0 || !onFieldKey(event.key)) return;
		event.preventDefault();
		at('cursor').scrollIntoView({ block: 'nearest' });
	});
}

// == Charts ==

const WIDE = 300; // of the drawing, in its own units
const TALL = 60;

// A line over time, with last, lowest and highest value as text, and the value at a pointer or cursor.
// data: { title, help, times (s), values (or null), step (draw steps), base (of a dashed line), parts(i) -> text }
class Chart {
	constructor() {
		this.root = at('chart').content.firstElementChild.cloneNode(true);
		for (const name of ['name', 'last', 'top', 'note', 'from', 'line', 'area', 'base', 'at']) this[name] = this.root.querySelector('.' + name);
		this.index = -1;
		on(this.root, 'pointermove', (event) => this.pointAt(event));
		on(this.root, 'pointerleave blur', () => this.point(-1));
		on(this.root, 'keydown', (event) => this.onKey(event));
	}

	show(data) {
		this.data = data;
		const { title, help, times, values, base } = data;
		const there = values.filter((value) => value !== null);
		const last = there.length > 0 ? figure(there[there.length - 1]) : 'none';
		this.highest = Math.max(...there, num(base), 0);
		this.lowest = Math.min(...there, 0);
		this.span = times[times.length - 1] - times[0] || 1;
		put(this.name, title, help);
		this.root.ariaLabel = cut(title, MOST_TEXT);
		put(this.top, figure(this.highest));
		put(this.from, duration(this.span * 1000) + ' ago');
		put(this.last, last);
		this.range = there.length > 0 ? `last ${last}, lowest ${figure(Math.min(...there))}, highest ${figure(Math.max(...there))}` : 'no values yet';
		this.trace();
		this.point(this.index);
	}

	x(i) {
		return (((this.data.times[i] - this.data.times[0]) / this.span) * WIDE).toFixed(1);
	}

	y(value) {
		return (TALL - ((value - this.lowest) / (this.highest - this.lowest || 1)) * TALL).toFixed(1);
	}

	// The line has gaps where values are absent, and so has the area below it.
	trace() {
		const { values, step, base } = this.data;
		let [line, area, begin] = ['', '', -1];
		for (let i = 0; i <= values.length; ++i) {
			const isGap = i === values.length || values[i] === null;
			if (isGap && begin >= 0) area += `V${this.y(0)}H${this.x(begin)}Z`;
			if (!isGap) {
				const [x, y] = [this.x(i), this.y(values[i])];
				const to = begin < 0 ? '' : step ? `H${x}V${y}` : `L${x} ${y}`;
				line += to || `M${x} ${y}`;
				area += to || `M${x} ${this.y(0)}V${y}`;
			}
			begin = isGap ? -1 : begin < 0 ? i : begin;
		}
		this.line.setAttribute('d', line);
		this.area.setAttribute('d', area);
		this.base.setAttribute('d', Number.isFinite(base) ? `M0 ${this.y(base)}H${WIDE}` : '');
	}

	pointAt(event) {
		const { left, width } = this.line.ownerSVGElement.getBoundingClientRect();
		const { times, step } = this.data;
		const time = times[0] + ((event.clientX - left) / (width || 1)) * this.span;
		const after = times.findIndex((each) => each > time);
		const isBefore = after > 0 && (step || time - times[after - 1] < times[after] - time);
		this.point(after < 0 ? times.length - 1 : after - isBefore);
	}

	onKey(event) {
		const to = stepOf(event.key, this.index, this.data.times.length);
		if (to === undefined || event.target !== this.root) return;
		event.preventDefault();
		this.point(to);
	}

	// Shows the value at an index; -1: the range of all.
	point(i) {
		const { times, values, parts } = this.data;
		this.index = i < times.length ? i : -1;
		this.note.ariaLive = this.index < 0 ? 'off' : 'polite';
		this.at.setAttribute('d', this.index < 0 ? '' : `M${this.x(i)} 0V${TALL}`);
		if (this.index < 0) return put(this.note, this.range);
		const clock = new Date(times[i] * 1000).toLocaleTimeString('en-GB');
		const more = parts?.(i);
		put(this.note, clock + ': ' + (values[i] === null ? 'no value' : figure(values[i])) + (more ? ` (${more})` : ''));
	}
}

// Charts that stay, by title, keep their elements.
function showCharts(box, list) {
	const before = box.charts || new Map();
	box.charts = new Map();
	for (const data of list) {
		const chart = before.get(data.title) || new Chart();
		if (!before.delete(data.title)) box.append(chart.root);
		box.charts.set(data.title, chart);
		chart.show(data);
	}
	for (const chart of before.values()) chart.root.remove();
}

// == The last hour ==

const PREFIX = 'outrigger_';
// What is shown first: [title, names (the first that there is), value of the label, or "!" and the one that it is not].
const SHOWN = [
	['Units that wait', ['qos_queue_length']],
	['Units without nodes', ['qos_held', 'gang_waiting']],
	['Age of the first unit, seconds', ['qos_head_age_seconds']],
	['Gangs placed per minute', ['gang_barriers_total'], 'opened'],
	['Barriers that ended otherwise, per minute', ['gang_barriers_total'], '!opened'],
	['Evictions per minute', ['gang_evictions_total']],
	["The scheduler's calls per minute", ['extender_requests_total']],
	['Calls that failed, per minute', ['extender_errors_total']],
];

// Per minute, of a counter: one that began again counts from 0, and so does one that is new.
function rates(values, times) {
	let [before, earlier] = [values[0] ?? null, 0];
	return values.map((value, i) => {
		if (i === 0 || value === null) return null;
		const grown = value < before ? value : value - before;
		// The last value is of now. A moment would be a peak: it counts with what came before.
		const [span, usual] = [times[i] - times[i - 1], times[i - 1] - times[i - 2]];
		const rate = span < usual / 2 ? (grown + earlier) / (span + usual) : grown / Math.max(10, span);
		[before, earlier] = [value, grown];
		return rate * 60;
	});
}

// The sum of series; the largest are named where the pointer is.
function sumChart(title, list, times) {
	const lines = list.map(({ agent, value, kind, values }) => {
		const all = times.map((time, i) => (Number.isFinite(values[i]) ? values[i] : null));
		return { name: cut(joined([agent, value], ' '), 40), values: kind === 'counter' ? rates(all, times) : all };
	});
	const values = times.map((time, i) => lines.reduce((sum, line) => (line.values[i] === null ? sum : sum + line.values[i]), null));
	const parts = (i) => {
		const some = lines.filter((line) => line.values[i]).sort((a, b) => b.values[i] - a.values[i]);
		return lines.length < 2 ? '' : some.slice(0, 4).map((line) => line.name + ' ' + figure(line.values[i])).join(', ');
	};
	return { title, help: str(list[0]?.help), times, values, parts };
}

// A counter without series, of an agent that is there, has counted nothing.
function shownCharts(series, times) {
	return SHOWN.map(([title, of, label]) => {
		const name = of.find((each) => series.some((one) => one.name === PREFIX + each)) || of[0];
		const list = series.filter((one) => one.name === PREFIX + name && (!label || (label[0] === '!' ? '!' + one.value !== label : one.value === label)));
		const isZero = name.endsWith('_total') && series.some((one) => one.name.startsWith(PREFIX + name.split('_')[0]));
		if (list.length > 0) return sumChart(title, list, times);
		return isZero && { title, times, values: times.map(() => 0) };
	}).filter(Boolean);
}

const timeView = {
	title: 'Time',
	needs: ['history'],
	start() {
		on(at('series'), 'change', draw);
	},
	summary: ({ everySeconds, started }) => `One value every ${everySeconds} s, for up to an hour. The process has run for ${age(started)}.`,
	draw(history) {
		if (!history) return;
		const { times } = history;
		const series = history.series.filter((one) => Array.isArray(one.values) && typeof one.name === 'string');
		const chosen = [...at('series').selectedOptions].map(({ value }) => value);
		fillSelect(at('series'), [...new Set(series.map(({ name }) => name))].sort().map((name) => [name, name]), chosen);
		showCharts(at('charts'), [...shownCharts(series, times), ...chosen.map((name) => {
			const list = series.filter((one) => one.name === name);
			return sumChart(name + (list[0]?.kind === 'counter' ? ' per minute' : ''), list, times);
		})]);
	},
};

// == A page as a table ==

const words = (name) => name.replace(/[A-Z]/g, (letter) => ' ' + letter.toLowerCase());

// The share of 1 that is shown as a bar; NaN: none.
function shareOf(page, name, row) {
	const value = typeof row[name] === 'number' ? row[name] : NaN;
	const shares = {
		'device-pools': { used: value / row.total },
		reward: { score: value, value, failures: value / (value + row.successes) },
		measured: { score: value / 10, overload: value / 10, balance: value / 10, [/(Mean|Deviation|Risk)$/.test(name) && name]: value },
	};
	return Math.max(0, Math.min(1, shares[page]?.[name] ?? NaN));
}

function shown(of, value) {
	if (value === null || value === undefined) return '';
	if (of.name === 'since') return age(value);
	return of.type === 'number' ? figure(Number(value)) : String(value);
}

function drawCell(cell, of, row) {
	const share = shareOf(state.table, of.name, row);
	if (share >= 0 && !cell.bar) {
		cell.bar = make('span', 'bar');
		cell.bar.append(make('i'));
		cell.text = make('span');
		cell.replaceChildren(cell.bar, cell.text);
	}
	if (cell.bar) cell.bar.firstChild.style.width = 100 * (share || 0) + '%';
	put(cell.text || cell, shown(of, row[of.name]), of.name === 'since' ? str(row.since) : '');
}

// Absent values come last, either way.
const compare = (a, b, way) => (a === b ? 0 : (a ?? null) === null ? 1 : (b ?? null) === null ? -1 : a < b ? -way : way);

const tableView = {
	summary({ agent, rows, total, truncated }) {
		const help = str(state.offered?.find((each) => each.page === state.table)?.help);
		const some = this.rows.items.length < rows.length ? figure(this.rows.items.length) + ' of ' : '';
		return joined([`Agent ${agent}: ${help}`, some + count(Math.max(rows.length, num(total)), 'row'), truncated && 'the answer holds the first ' + figure(rows.length)], '; ');
	},
	draw(page) {
		at('scroll').hidden = !page;
		if (isPenalty()) showCharts(at('charts'), penaltyCharts());
		const columns = page?.columns.filter((of) => typeof of?.name === 'string') || [];
		const key = state.table + JSON.stringify(columns);
		if (key !== this.key) this.build(columns);
		this.key = key;
		this.rows.show(this.chosen(page?.rows || [], columns));
	},
	build(columns) {
		Object.assign(this, { sort: null, down: false });
		this.rows?.more.remove();
		const draws = columns.map((of) => ({ classes: of.type === 'integer' || of.type === 'number' ? 'number' : '', draw: (cell, row) => drawCell(cell, of, row) }));
		this.rows = new Rows(at('table-rows'), draws, (row, index) => index);
		this.heads = [...at('table-rows').tHead.rows[0].cells];
		columns.forEach(({ name, help }, i) => {
			on(this.heads[i].appendChild(make('button')), 'click', () => this.sortBy(name));
			this.heads[i].title = cut(str(help), MOST_TITLE);
			this.heads[i].column = name;
		});
		this.drawHeads();
	},
	drawHeads() {
		for (const head of this.heads) {
			const way = this.sort !== head.column ? 'none' : this.down ? 'descending' : 'ascending';
			head.ariaSort = way;
			head.firstChild.textContent = words(head.column) + { none: '', descending: ' ↓', ascending: ' ↑' }[way];
		}
	},
	// A third click gives the agent's own order back.
	sortBy(name) {
		const again = this.sort === name;
		Object.assign(this, { sort: again && this.down ? null : name, down: again && !this.down });
		this.drawHeads();
		draw();
	},
	chosen(all, columns) {
		const wanted = at('filter').value.trim().toLowerCase();
		const rows = wanted ? all.filter((row) => columns.some((of) => shown(of, row[of.name]).toLowerCase().includes(wanted))) : all;
		const way = this.down ? -1 : 1;
		return this.sort ? rows.toSorted((a, b) => compare(a[this.sort], b[this.sort], way)) : rows;
	},
};

const isPenalty = () => state.table === 'penalty' || state.table === 'penalty-changes';

// The value of each class over time, made of its changes.
function penaltyCharts() {
	const now = Date.now() / 1000;
	const changes = rowsOf('penalty-changes').map((row) => ({ ...row, time: Date.parse(row.at) / 1000 })).filter(({ time }) => time > 0);
	changes.sort((a, b) => a.time - b.time);
	const begin = Math.min(now - 600, ...changes.map(({ time }) => time));
	return rowsOf('penalty').slice(0, 24).map((row) => {
		const own = changes.filter((change) => change.class === row.class);
		const times = [begin, ...own.map(({ time }) => time), now];
		const values = [own[0]?.before ?? row.value, ...own.map(({ after }) => after), row.value].map((value) => value ?? null);
		return { title: str(row.class), help: 'value of the class; dashed: its base', times, values, step: true, base: row.base };
	});
}

// == Which view, and its rounds of questions ==

const VIEWS = { queue: queueView, nodes: nodesView, time: timeView, table: tableView };

const isOffered = (name) => !state.offered || state.offered.some((each) => each.page === name);

// The paths of what the view shows. The first is asked for in any case.
function needs() {
	const table = isPenalty() ? new Set([state.table, 'penalty', 'penalty-changes']) : [state.table];
	const paths = VIEWS[state.view].needs || [...table];
	return paths.filter((path, i) => i === 0 || (isOffered(path) && (path !== 'measured' || nodesView.thing.words)));
}

function route() {
	let hash = location.hash.slice(1);
	try {
		hash = decodeURIComponent(hash);
	} catch {} // it stays as it is
	const [, name, rest] = /^([^/]*)\/?(.*)$/s.exec(hash);
	const to = { view: name, table: '', unit: name === 'nodes' ? rest : '' };
	if (['queue', 'nodes', 'time'].includes(name)) return to;
	// A name in kebab-case, and so no path to elsewhere.
	const table = ((name === 'table' && rest) || name).replace(/[^\w-]/g, '');
	if (table) return { ...to, view: 'table', table };
	if (isOffered('queue')) return { ...to, view: 'queue' };
	return { ...to, view: state.offered[0] ? 'table' : 'time', table: str(state.offered[0]?.page) };
}

function open() {
	const { view, table } = state;
	Object.assign(state, route());
	if (view !== state.view || table !== state.table) at('filter').value = '';
	showCharts(at('charts'), []);
	for (const name of Object.keys(VIEWS)) at('view-' + name).hidden = name !== state.view;
	put(at('title'), state.table || VIEWS[state.view].title);
	document.title = at('title').textContent + ' – Outrigger';
	at('filter-box').hidden = state.view === 'nodes' || state.view === 'time';
	drawLinks();
	draw();
	refresh();
}

function drawLinks() {
	const views = ['queue', 'nodes', 'time'].filter((name) => name === 'time' || name === state.view || isOffered(name));
	const tables = (state.offered || []).filter(({ page }) => page !== 'queue' && page !== 'nodes');
	const key = JSON.stringify([views, tables]);
	if (drawLinks.key !== key) {
		at('views').replaceChildren(...views.map((name) => link('#' + name, VIEWS[name].title)));
		at('tables').replaceChildren(...tables.map(({ page, agent, help }) => link('#table/' + encodeURIComponent(page), page, agent + ': ' + str(help))));
	}
	drawLinks.key = key;
	const here = state.view === 'table' ? '#table/' + encodeURIComponent(state.table) : '#' + state.view;
	for (const each of document.querySelectorAll('nav a')) each.ariaCurrent = each.getAttribute('href') === here ? 'page' : null;
}

// Leaves the duration of an update where tests can read it; not all are kept.
function measure(work) {
	const start = performance.now();
	try {
		work();
	} catch (error) {
		state.notReady = `This page failed to show the answer (${error.message}): reload it.`;
	}
	drawState();
	if (performance.getEntriesByName('outrigger-update').length > 200) performance.clearMeasures('outrigger-update');
	performance.measure('outrigger-update', { start, end: performance.now() });
}

function drawView() {
	const { value, fault } = entry(needs()[0]);
	VIEWS[state.view].draw(value);
	put(at('summary'), value ? VIEWS[state.view].summary(value) : fault ? 'Nothing is known yet.' : 'The agent is asked.');
}

const draw = () => measure(drawView);

function notReadyText({ text, status, ok, failed }) {
	const checks = text.split('\n').filter((line) => line.startsWith('[-]'));
	if (checks.length > 0) return checks.map((line) => line.slice(3)).join('\n');
	return ok ? '' : 'readyz: ' + (failed || 'HTTP ' + status);
}

function takeAll(answers) {
	for (const answer of answers) {
		if (answer.path === 'readyz?verbose') state.notReady = notReadyText(answer);
		else if (answer.path === 'version') put(at('version'), cut(str(parse(answer).value?.version), 40));
		else take(answer);
	}
	const { value, version } = entry('pages');
	if (takeAll.version === version || !value) return;
	// The list of pages is new: the links are made of it, and perhaps the view.
	takeAll.version = version;
	state.offered = value.rows.filter((row) => typeof row.page === 'string');
	drawLinks();
	const { view, table } = route();
	if (view !== state.view || table !== state.table) setTimeout(open);
}

async function refresh() {
	clearTimeout(state.timer);
	const round = ++state.round;
	state.begun = performance.now();
	const paths = needs();
	// A page that is not there any more: another process answers.
	const isNew = !state.offered || entry('pages').fault || paths.some((path) => entry(path).missing);
	const answers = await askAll([...paths, ...(isNew ? ['pages', 'version'] : []), 'readyz?verbose']);
	if (round !== state.round) return;
	const took = performance.now() - state.begun;
	Object.assign(state, { begun: 0, last: Date.now() });
	measure(() => {
		takeAll(answers);
		drawView();
	});
	const every = state.view === 'time' ? HISTORY_EVERY_MS : EVERY_MS;
	clearTimeout(state.timer);
	if (!document.hidden) state.timer = setTimeout(refresh, Math.max(every, Math.min(PATIENCE_MS, IDLE * took)));
}

for (const view of Object.values(VIEWS)) view.start?.();
on(window, 'hashchange', open);
on(document, 'visibilitychange', () => document.hidden || refresh());
on(at('filter'), 'input', draw);
setInterval(drawAge, 1000);
open();
