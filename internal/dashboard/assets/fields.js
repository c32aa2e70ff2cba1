// The editor of a parser's fields: a list to rename, retype, nest and reorder, or a JSON Schema; beside it what they
// find in the sample.
import { announce, ask } from "./dashboard.js";
import { Sheets, pictureURLs, placesBelow, valuesAt, written } from "./sheets.js";

const $ = (id) => document.getElementById(id);
const bench = $("workbench");
const parser = `/parsers/${bench.dataset.parser}`;

/** Makes an element: make("p", {className: "x"}, children…). */
function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-")) element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children);
  return element;
}

function icon(path) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  element.setAttribute("class", "icon");
  element.setAttribute("viewBox", "0 0 20 20");
  element.setAttribute("aria-hidden", "true");
  const stroke = document.createElementNS("http://www.w3.org/2000/svg", "path");
  stroke.setAttribute("d", path);
  element.append(stroke);
  return element;
}
const icons = {
  grip: "M7 5v.01M13 5v.01M7 10v.01M13 10v.01M7 15v.01M13 15v.01",
  more: "M5 8l5 5 5-5",
  trash: "M4 6h12M8 6V4h4v2M6 6l1 11h6l1-11",
  plus: "M10 4v12M4 10h12",
};

// ---- Fields as they are written, and as they are shown ----

const types = [
  ["string", "Text"], ["number", "Number"], ["date", "Date"], ["boolean", "Yes or no"],
  ["object", "Group"], ["table", "Table"],
  ["list:string", "List of texts"], ["list:number", "List of numbers"], ["list:date", "List of dates"], ["list:boolean", "List of yes or no"], ["list", "List of anything"],
];
const nests = (type) => type === "object" || type === "table";
const hasEnum = (type) => ["string", "number", "date"].includes(type);

function shownType(field) {
  if (field.type !== "array") return field.type ?? "string";
  if (!field.items) return "list";
  if (field.items.type === "object") return "table";
  if (field.items.type === "array") return "other";
  return `list:${field.items.type ?? "string"}`;
}

let counter = 0;
const rows = new Map(); // key → row

/** Makes the row of a field. */
function newRow(field) {
  const key = `f${++counter}`;
  const row = make("li", { className: "field" });
  row.dataset.key = key;
  rows.set(key, row);
  row.original = field; // what the editor cannot show is kept

  const name = make("input", { className: "name", value: field.name ?? "", "aria-label": "Name", autocomplete: "off", spellcheck: false, maxLength: 200, placeholder: "name" });
  const type = make("select", { className: "type", "aria-label": "Type" });
  const chosen = shownType(field);
  if (chosen === "other") type.append(make("option", { value: "other", textContent: "Nested list" }));
  for (const [value, text] of types) type.append(make("option", { value, textContent: text }));
  type.value = chosen;
  const required = make("input", { type: "checkbox", className: "required", checked: field.required ?? false });
  const grip = make("button", { type: "button", className: "grip quiet square", title: "Drag, or move with the arrow keys" }, icon(icons.grip));
  const more = make("button", { type: "button", className: "more quiet square", "aria-expanded": "false", title: "Description, choices, order" }, icon(icons.more));
  const remove = make("button", { type: "button", className: "remove quiet square" }, icon(icons.trash));
  const description = make("input", { className: "description", value: field.description ?? "", placeholder: "What it is, and how it may be labelled", maxLength: 10000 });
  const choices = make("textarea", { className: "enum", rows: 2, value: (field.enum ?? []).join("\n"), placeholder: "One on each line" });
  const up = make("button", { type: "button", className: "up second", textContent: "Move up" });
  const down = make("button", { type: "button", className: "down second", textContent: "Move down" });

  const inner = field.type === "array" ? field.items?.fields : field.fields;
  row.append(
    make("div", { className: "line" }, grip, name, type, make("label", { className: "tick" }, required, make("span", { textContent: "Required" })), make("div", { className: "acts" }, more, remove)),
    make("p", { className: "wrong", hidden: true }),
    make("div", { className: "found" }),
    make("div", { className: "extra", hidden: true },
      make("label", {}, "Description", description),
      make("label", { className: "choices-of" }, "Only one of these", choices),
      make("div", { className: "acts" }, up, down)),
    newList(inner ?? [], () => row));
  name.addEventListener("input", () => (labelRow(row), changed()));
  for (const input of [description, choices]) input.addEventListener("input", changed);
  required.addEventListener("change", changed);
  type.addEventListener("change", () => {
    fitType(row);
    if (nests(type.value) && childList(row).children.length === 0) addTo(childList(row), {});
    changed();
  });
  more.addEventListener("click", () => toggle(row));
  remove.addEventListener("click", () => drop(row));
  up.addEventListener("click", () => (move(row, -1), up.focus()));
  down.addEventListener("click", () => (move(row, 1), down.focus()));
  grip.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    move(row, step);
    grip.focus();
  });
  grip.addEventListener("pointerdown", (event) => drag(event, row));
  row.addEventListener("keydown", (event) => {
    const step = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : 0;
    if (!step || event.target.closest(".field") !== row || event.target === grip) return;
    event.preventDefault();
    move(row, step);
    event.target.focus();
  });
  row.addEventListener("pointerover", (event) => event.target.closest(".field") === row && light(key, false));
  row.addEventListener("pointerleave", () => light(null));
  row.addEventListener("focusin", (event) => event.target.closest(".field") === row && light(key, true));
  labelRow(row);
  fitType(row);
  return row;
}

/** Makes a list of fields, with what adds one to it. */
function newList(fields, owner) {
  const list = make("ol", { className: "fields" });
  list.append(...fields.map(newRow));
  const add = make("button", { type: "button", className: "add quiet" }, icon(icons.plus), make("span", { textContent: owner ? "Add a field to it" : "Add a field" }));
  add.addEventListener("click", () => {
    addTo(list, {}).querySelector(".name").focus();
    changed();
  });
  return make("div", { className: "nest" }, list, add);
}

const part = (row, selector) => [...row.querySelectorAll(selector)].find((e) => e.closest(".field") === row);
const childList = (row) => row.querySelector(":scope > .nest > .fields");
const nameOf = (row) => part(row, ".name").value.trim();

function addTo(list, field) {
  const row = newRow(field);
  list.append(row);
  return row;
}

/** Says to those who do not see it what each part of a row belongs to. */
function labelRow(row) {
  const name = nameOf(row) || "the new field";
  part(row, ".grip").setAttribute("aria-label", `Move ${name}: up and down arrow keys`);
  part(row, ".type").setAttribute("aria-label", `Type of ${name}`);
  part(row, ".more").setAttribute("aria-label", `More about ${name}`);
  part(row, ".remove").setAttribute("aria-label", `Drop ${name}`);
  part(row, ".required").setAttribute("aria-label", `${name} is required`);
}

/** Shows what the row's type has. */
function fitType(row) {
  const type = part(row, ".type").value;
  row.querySelector(":scope > .nest").hidden = !nests(type);
  part(row, ".choices-of").hidden = !hasEnum(type);
}

function toggle(row, open = part(row, ".extra").hidden) {
  part(row, ".extra").hidden = !open;
  part(row, ".more").setAttribute("aria-expanded", String(open));
}

function place(row) {
  const siblings = [...row.parentElement.children].filter((e) => e.classList.contains("field"));
  return `${nameOf(row) || "field"}, ${siblings.indexOf(row) + 1} of ${siblings.length}`;
}

function move(row, step) {
  const other = step < 0 ? row.previousElementSibling : row.nextElementSibling;
  if (!other) return announce(`${place(row)}. It goes no further.`);
  if (step < 0) other.before(row);
  else other.after(row);
  announce(place(row));
  changed();
}

/** Moves a row among its siblings with the pointer. */
function drag(event, row) {
  if (event.button !== 0) return;
  const grip = event.currentTarget;
  grip.setPointerCapture(event.pointerId);
  row.classList.add("dragged");
  let moved = false;
  const follow = (at) => {
    for (const other of row.parentElement.children) {
      if (other === row) continue;
      const box = other.getBoundingClientRect();
      const before = other.compareDocumentPosition(row) & Node.DOCUMENT_POSITION_FOLLOWING;
      if (before && at.clientY < box.top + box.height / 2) { other.before(row); moved = true; break; }
      if (!before && at.clientY > box.top + box.height / 2) { other.after(row); moved = true; }
    }
  };
  const end = () => {
    grip.removeEventListener("pointermove", follow);
    row.classList.remove("dragged");
    if (moved) {
      announce(place(row));
      changed();
    }
  };
  grip.addEventListener("pointermove", follow);
  grip.addEventListener("lostpointercapture", end, { once: true });
}

/** Takes a field out, and offers to bring it back. */
function drop(row) {
  const name = nameOf(row) || "the field";
  const undo = make("button", { type: "button", className: "quiet", textContent: "Bring it back" });
  const note = make("li", { className: "dropped" }, make("span", { className: "faint", textContent: `${name} is dropped.` }), undo);
  undo.addEventListener("click", () => {
    note.replaceWith(row);
    part(row, ".name").focus();
    announce(`${name} is back`);
    changed();
  });
  row.replaceWith(note);
  undo.focus();
  announce(`${name} is dropped`);
  light(null);
  changed();
}

/** Reads the fields of a list, as the server takes them. */
function collect(list) {
  return [...list.children].filter((e) => e.classList.contains("field")).map((row) => {
    const type = part(row, ".type").value;
    const field = { name: nameOf(row), type };
    if (part(row, ".description").value) field.description = part(row, ".description").value;
    if (part(row, ".required").checked) field.required = true;
    const [kind, of] = type.split(":");
    if (type === "other") {
      field.type = "array";
      field.items = row.original.items;
    } else if (type === "object") {
      field.fields = collect(childList(row));
    } else if (type === "table") {
      field.type = "array";
      field.items = { ...kept(row, "object"), type: "object", fields: collect(childList(row)) };
    } else if (kind === "list") {
      field.type = "array";
      if (of) field.items = { ...kept(row, of), type: of };
    }
    const choices = part(row, ".enum").value.split("\n").map((line) => line.trim()).filter(Boolean);
    if (hasEnum(type) && choices.length > 0) field.enum = type === "number" ? choices.map((c) => (isNaN(c) ? c : Number(c))) : choices;
    return field;
  });
}

/** Gives what was said of an array's elements that rows do not show, while their type stays. */
function kept(row, type) {
  const items = row.original.items;
  if (items?.type !== type) return {};
  const { description, enum: choices } = items;
  return { ...(description && { description }), ...(choices && { enum: choices }) };
}

const root = () => $("editor").querySelector(":scope > .nest > .fields");

function showFields(fields) {
  rows.clear();
  $("editor").replaceChildren(newList(fields, null));
  $("try-label").hidden = !bench.dataset.sample && fields.length === 0;
  if (fields.length === 0) {
    $("editor").prepend(make("p", { className: "faint", textContent: "Name what you want to read, such as invoice_number or total. A description helps where the name is not what is printed." }));
  }
}

// ---- What they find ----

const sheets = new Sheets($("sheets"), {
  pointed: (key) => light(key, false, true),
  chosen: (key) => {
    const row = rows.get(key);
    row?.scrollIntoView({ block: "center" });
    if (row) part(row, ".name").focus({ preventScroll: true });
  },
});

function light(key, reveal = false, fromPage = false) {
  sheets.light(new Set(key ? [key] : []), { reveal });
  for (const [k, row] of rows) row.classList.toggle("lit", k === key);
  if (fromPage && key) rows.get(key)?.scrollIntoView({ block: "nearest" });
}

const perPage = bench.dataset.perPage === "true";

/** Gives the path of a row's values in what was extracted. */
function pathOf(row) {
  const steps = [nameOf(row)];
  for (let list = row.parentElement, owner; (owner = list.closest(".field")); list = owner.parentElement) {
    if (part(owner, ".type").value === "table") steps.unshift("*");
    steps.unshift(nameOf(owner));
  }
  return perPage ? ["pages", "*", ...steps] : steps;
}

const doubtful = Number(bench.dataset.doubtful);

/** Shows at each field what was found for it. */
function showFound(found) {
  const marks = [];
  for (const [key, row] of rows) {
    const shown = part(row, ".found");
    shown.replaceChildren();
    if (!found || !row.isConnected) continue;
    const type = part(row, ".type").value;
    const values = valuesAt(found.data, pathOf(row));
    const places = values.flatMap(({ pointer }) => placesBelow(found.metadata, pointer));
    if (nests(type)) {
      // Marks are those of the fields in it.
      const count = type === "table" ? values.reduce((n, { value }) => n + (Array.isArray(value) ? value.length : 0), 0) : 0;
      if (type === "table") shown.append(make("span", { className: "faint", textContent: count === 1 ? "1 row" : `${count} rows` }));
      continue;
    }
    for (const [, { page, boxes }] of places) marks.push({ key, page, boxes });
    if (values.length === 0) {
      shown.append(make("span", { className: "faint", textContent: "not found here" }));
      continue;
    }
    const text = values.slice(0, 3).map(({ value }) => written(value)).join(" · ") + (values.length > 3 ? ` · and ${values.length - 3} more` : "");
    shown.append(make("span", { className: "value", textContent: text }));
    const lowest = Math.min(...places.map(([, m]) => m.confidence), ...values.map(({ pointer }) => found.metadata[pointer]?.confidence ?? 1));
    if (lowest < doubtful) shown.append(make("span", { className: "badge warn", textContent: `doubtful, ${Math.round(lowest * 100)} %` }));
    const told = found.validation.filter((v) => values.some(({ pointer }) => v.path === pointer));
    for (const { message } of told) shown.append(make("span", { className: "badge warn", textContent: message }));
  }
  sheets.mark(marks);
}

let asking = null;
let tried = null; // a file of this computer that is looked at instead of the sample

async function lookNow() {
  if (!bench.dataset.sample && !tried) return;
  if (view !== "fields") return;
  const fields = collect(root());
  if (fields.length === 0) return showFound(null);
  if (!fields.every(isNamed)) return; // one is being written
  asking?.abort();
  const mine = (asking = new AbortController());
  bench.classList.add("looking");
  try {
    const found = await ask(...request(JSON.stringify(fields), mine.signal));
    if (tried && !tried.shown) {
      sheets.show(pictureURLs(found.pictures), tried.file.name);
      tried.shown = true;
    }
    showFound(found);
    wrongAt([]);
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!error.status) throw error;
    showFound(null);
    if (tried && !tried.shown && !error.details?.some((d) => d.field.startsWith("fields"))) {
      say(error.message, true); // it lies in the file
      showSample();
      lookSoon();
    }
    wrongAt(error.details ?? []);
  } finally {
    if (asking === mine) bench.classList.remove("looking");
  }
}

const isNamed = (field) => field.name !== "" && [...(field.fields ?? []), ...(field.items?.fields ?? [])].every(isNamed);

function request(fields, signal) {
  const body = tried ? new FormData() : new URLSearchParams({ view: "fields" });
  body.append("fields", fields);
  if (tried) body.append("file", tried.file);
  return [`${parser}/${tried ? "try" : "preview"}`, { method: "POST", body, signal }];
}

let timer = 0;
function lookSoon() {
  clearTimeout(timer);
  timer = setTimeout(lookNow, 400);
}

// ---- What is wrong, and what is saved ----

let view = $("view").value;
let unsaved = false;

function say(text, bad = false) {
  $("state").textContent = text;
  $("state").classList.toggle("wrong", bad);
}

function changed() {
  unsaved = true;
  say("Not saved yet");
  lookSoon();
}

/** Tells at their rows what is wrong with fields such as fields[2].fields[0].name; the rest is given back. */
function wrongAt(details) {
  for (const row of rows.values()) {
    part(row, ".wrong").hidden = true;
    part(row, ".name").removeAttribute("aria-invalid");
  }
  const rest = [];
  for (const { field, message } of details) {
    let list = root();
    let row = null;
    for (const [, i] of (field ?? "").matchAll(/fields\[(\d+)\]/g)) {
      row = [...(list?.children ?? [])].filter((e) => e.classList.contains("field"))[Number(i)];
      list = row && childList(row);
    }
    if (!row) {
      rest.push(message);
      continue;
    }
    const told = part(row, ".wrong");
    told.hidden = false;
    told.textContent = message.replace(/^fields\S*:? /, "");
    part(row, ".name").setAttribute("aria-invalid", "true");
  }
  return rest;
}

function showSchemaFaults(details) {
  $("schema-faults").replaceChildren(...details.map(({ line, message }) => {
    const item = make("li");
    if (line) {
      const go = make("button", { type: "button", className: "quiet", textContent: `Line ${line}` });
      go.addEventListener("click", () => goToLine(line));
      item.append(go, " ");
    }
    item.append(message);
    return item;
  }));
  $("schema-text").setAttribute("aria-invalid", String(details.length > 0));
  numberLines(new Set(details.map((d) => d.line)));
}

function goToLine(line) {
  const text = $("schema-text");
  const lines = text.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0);
  text.focus();
  text.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  text.scrollTop = text.scrollHeight * Math.max(0, line - 4) / lines.length;
}

let faultyLines = new Set();
function numberLines(faulty = faultyLines) {
  faultyLines = faulty;
  const count = $("schema-text").value.split("\n").length;
  $("line-numbers").replaceChildren(...Array.from({ length: count }, (_, i) =>
    make("span", { className: faulty.has(i + 1) ? "wrong-line" : "", textContent: `${i + 1}\n` })));
  $("line-numbers").scrollTop = $("schema-text").scrollTop;
}

/** Gives what the view holds, as the server takes it. */
const given = () => new URLSearchParams(view === "schema" ? { view, schema: $("schema-text").value } : { view, fields: JSON.stringify(collect(root())) });

async function save(event) {
  event.preventDefault();
  $("save").disabled = true;
  say("Saving…");
  try {
    const both = await ask(`${parser}/fields`, { method: "POST", body: given() });
    unsaved = false;
    $("schema-text").value = both.schema;
    $("loses").hidden = !both.loses;
    showSchemaFaults([]);
    if (view === "schema") showFields(both.fields);
    else for (const note of document.querySelectorAll(".dropped")) note.remove();
    wrongAt([]);
    say("Saved");
    lookNow();
  } catch (error) {
    if (view === "schema") {
      showSchemaFaults(error.details?.length ? error.details : [{ message: error.message }]);
      say("Not saved", true);
    } else {
      const rest = wrongAt(error.details ?? []);
      say(["Not saved.", ...(error.details?.length ? rest : [error.message])].join(" "), true);
      document.querySelector('.name[aria-invalid="true"]')?.focus();
    }
  } finally {
    $("save").disabled = false;
  }
}

/** Changes the view; the server brings what was written from one to the other. */
async function turn(to) {
  if (to === view) return;
  try {
    const both = await ask("/parsers/convert", { method: "POST", body: given() });
    $("schema-text").value = both.schema;
    if (to === "fields") showFields(both.fields);
    $("loses").hidden = !both.loses;
    showSchemaFaults([]);
  } catch (error) {
    if (view === "schema") showSchemaFaults(error.details?.length ? error.details : [{ message: error.message }]);
    else say(wrongAt(error.details ?? []).join(" ") || "Put right what is marked first.", true);
    return;
  }
  view = to;
  $("view").value = to;
  $("as-fields").hidden = to !== "fields";
  $("as-schema").hidden = to !== "schema";
  for (const name of ["fields", "schema"]) {
    if (name === to) $(`view-${name}`).setAttribute("aria-current", "true");
    else $(`view-${name}`).removeAttribute("aria-current");
  }
  numberLines();
  announce(to === "schema" ? "JSON Schema" : "Fields");
  lookNow();
}

let checking = 0;
$("schema-text").addEventListener("input", () => {
  unsaved = true;
  say("Not saved yet");
  numberLines();
  clearTimeout(checking);
  checking = setTimeout(async () => {
    try {
      await ask("/parsers/convert", { method: "POST", body: given() });
      showSchemaFaults([]);
    } catch (error) {
      showSchemaFaults(error.details ?? []);
    }
  }, 500);
});
$("schema-text").addEventListener("scroll", () => ($("line-numbers").scrollTop = $("schema-text").scrollTop));

for (const name of ["fields", "schema"]) {
  $(`view-${name}`).addEventListener("click", (event) => {
    event.preventDefault();
    turn(name);
  });
}
$("form").addEventListener("submit", save);
document.addEventListener("keydown", (event) => {
  if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    $("form").requestSubmit();
  }
});
window.addEventListener("beforeunload", (event) => unsaved && event.preventDefault());

// A sample is on its way: it may take a while.
for (const form of document.querySelectorAll("form[data-busy]")) {
  form.addEventListener("submit", () => {
    if (form.dataset.confirm && !form.dataset.confirmed) return; // it is asked about first
    unsaved = false;
    const button = form.querySelector("button[type=submit]");
    button.textContent = form.dataset.busy;
    setTimeout(() => (button.disabled = true));
    announce(form.dataset.busy);
  });
}

// A file of this computer can be looked at instead of the sample.
const sampleSheets = [...$("sheets").children];
const sampleName = $("shown-file").textContent;
function showSample() {
  tried = null;
  $("back-to-sample").hidden = true;
  $("shown-file").textContent = sampleName;
  sheets.put(sampleSheets);
}
function tryFile(file) {
  tried = { file, shown: false };
  $("shown-file").textContent = file.name;
  $("back-to-sample").hidden = !bench.dataset.sample;
  lookNow();
}
$("try-file").addEventListener("change", () => {
  const [file] = $("try-file").files;
  if (file) tryFile(file);
  $("try-file").value = "";
});

// One that is dropped becomes the sample where there is none and nothing to lose, and is tried otherwise.
const left = bench.querySelector(".bench");
for (const type of ["dragenter", "dragover"]) {
  left.addEventListener(type, (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    left.classList.add("over");
  });
}
for (const type of ["dragleave", "drop"]) left.addEventListener(type, () => left.classList.remove("over"));
left.addEventListener("drop", (event) => {
  const { files } = event.dataTransfer;
  if (files.length === 0) return;
  event.preventDefault();
  const form = $("detect");
  if (form && collect(root()).length === 0) {
    form.querySelector("input[type=file]").files = files;
    form.querySelector("button[type=submit]").focus();
  } else tryFile(files[0]);
});
$("back-to-sample").addEventListener("click", () => {
  showSample();
  lookNow();
});

showFields(JSON.parse($("fields-text").value || "[]"));
numberLines();
$("save").hidden = false;
showSample();
lookNow();
