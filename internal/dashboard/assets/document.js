// Reviewing a document: values and their places light each other up, and keys do what the forms do.
import { announce, ask } from "./dashboard.js";

const review = document.querySelector(".review");
const path = review.dataset.path;
const sheets = review.querySelector(".sheets");
const panel = review.querySelector(".panel");
const inspector = document.getElementById("selected");
const help = document.getElementById("help");

const quoted = (text) => `"${CSS.escape(text)}"`;
const valueOf = (pointer) => panel.querySelector(`.value[data-pointer=${quoted(pointer)}]`);
const boxesOf = (pointer) => review.querySelectorAll(`[data-box=${quoted(pointer)}]`);
const values = () => [...panel.querySelectorAll(".value")];

let selected = panel.querySelector(".value[aria-current]")?.dataset.pointer ?? null;
let editing = null; // the form that stands in place of a value

// --- lighting up -------------------------------------------------------------------------------------------------

function light(pointer) {
  for (const box of review.querySelectorAll(".box.lit")) box.classList.remove("lit");
  if (pointer !== null) for (const box of boxesOf(pointer)) box.classList.add("lit");
}

/** Brings a value's place into sight, on whatever page it is. */
function reveal(pointer) {
  const box = boxesOf(pointer)[0];
  if (!box) return;
  const inside = sheets.getBoundingClientRect();
  const place = box.getBoundingClientRect();
  const margin = 40;
  const above = place.top < inside.top + margin || place.bottom > inside.bottom - margin;
  const beside = place.left < inside.left || place.right > inside.right;
  if (!above && !beside) return;
  sheets.scrollBy({
    top: above ? (place.top + place.bottom) / 2 - (inside.top + inside.bottom) / 2 : 0,
    left: beside ? (place.left + place.right) / 2 - (inside.left + inside.right) / 2 : 0,
    behavior: matchMedia("(prefers-reduced-motion: reduce)").matches || Math.abs(place.top - inside.top) > 3000 ? "instant" : "smooth",
  });
}

let inspecting = null;
async function inspect(pointer) {
  inspecting?.abort();
  inspecting = new AbortController();
  try {
    const parts = await ask(`${path}?value=${encodeURIComponent(pointer)}`, { signal: inspecting.signal });
    if (pointer === selected && !inspector.contains(document.activeElement)) fill(inspector, parts.selected);
  } catch (error) {
    if (error.name !== "AbortError") announce(error.message);
  }
}

function select(pointer, { show = true } = {}) {
  if (selected === pointer) {
    light(pointer);
    return;
  }
  panel.querySelector(".value[aria-current]")?.removeAttribute("aria-current");
  selected = pointer;
  light(pointer);
  valueOf(pointer)?.setAttribute("aria-current", "true");
  if (show) reveal(pointer);
  history.replaceState(null, "", `?value=${encodeURIComponent(pointer)}`); // the page comes back as it was left
  inspect(pointer);
}

function goTo(link) {
  if (!link) return;
  link.focus({ preventScroll: true });
  uncover(link);
}

/** Scrolls a value out from under what stands over the list: above it, or on narrow windows above and below. */
function uncover(link) {
  const stacked = getComputedStyle(panel).overflowY === "visible";
  const box = inspector?.getBoundingClientRect();
  const inside = panel.getBoundingClientRect();
  const top = (stacked ? sheets.getBoundingClientRect().bottom : box?.bottom ?? inside.top) + 8;
  const bottom = (stacked ? box?.top ?? innerHeight : Math.min(inside.bottom, innerHeight)) - 8;
  const place = link.getBoundingClientRect();
  const scroller = stacked ? window : panel;
  if (place.top < top) scroller.scrollBy({ top: place.top - top - 40 });
  else if (place.bottom > bottom) scroller.scrollBy({ top: place.bottom - bottom + 40 });
}

function fill(element, html) {
  element.innerHTML = html; // made by our own server, where names and values are escaped
  for (const hint of element.querySelectorAll(".with-script")) hint.hidden = false;
}

panel.addEventListener("focusin", (event) => {
  const link = event.target.closest(".value");
  if (link) select(link.dataset.pointer);
});
panel.addEventListener("mouseover", (event) => {
  const link = event.target.closest(".value");
  if (!link) return;
  light(link.dataset.pointer);
  reveal(link.dataset.pointer);
});
panel.addEventListener("mouseout", (event) => {
  if (event.target.closest(".value")) light(selected);
});
panel.addEventListener("click", (event) => {
  const link = event.target.closest("a.value");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  link.focus();
});
panel.addEventListener("dblclick", (event) => {
  const link = event.target.closest("a.value");
  if (link) edit(link);
});
sheets.addEventListener("mouseover", (event) => {
  const pointer = event.target.dataset?.box;
  if (pointer === undefined) return;
  light(pointer);
  valueOf(pointer)?.classList.add("pointed");
});
sheets.addEventListener("mouseout", (event) => {
  const pointer = event.target.dataset?.box;
  if (pointer === undefined) return;
  valueOf(pointer)?.classList.remove("pointed");
  light(selected);
});
sheets.addEventListener("click", (event) => {
  const pointer = event.target.dataset?.box;
  if (pointer !== undefined) goTo(valueOf(pointer));
});

// --- moving ------------------------------------------------------------------------------------------------------

function step(direction, wanted = () => true) {
  const all = values();
  const at = all.findIndex((link) => link.dataset.pointer === selected);
  const start = at < 0 ? (direction > 0 ? -1 : all.length) : at;
  for (let n = start + direction; n >= 0 && n < all.length; n += direction) if (wanted(all[n])) return all[n];
  return null;
}

const isDoubtful = (link) => link.dataset.state === "doubtful";

function nextDoubtful(direction = 1) {
  const found = step(direction, isDoubtful) ?? (direction > 0 ? values().find(isDoubtful) : values().findLast(isDoubtful));
  if (found) goTo(found);
  else announce("No value is in doubt.");
  return found;
}

// --- acting ------------------------------------------------------------------------------------------------------

let queue = Promise.resolve();

/** Sends a form as the browser would, one after the other, and takes in what has changed. */
function send(form, after) {
  const data = new URLSearchParams(new FormData(form));
  const url = form.getAttribute("action");
  const act = queue.then(async () => {
    data.set("revision", review.dataset.revision ?? data.get("revision"));
    const parts = await ask(url, { method: "POST", body: data });
    takeIn(parts);
    after?.(parts);
  });
  queue = act.catch((error) => tell(error, form));
  return act;
}

function tell(error, form) {
  announce(error.message);
  let place = form.isConnected ? form : inspector;
  place.querySelector(".wrong")?.remove();
  const text = Object.assign(document.createElement("p"), { className: "wrong", textContent: error.message });
  text.setAttribute("role", "alert");
  place.append(text);
  const field = form.isConnected ? form.querySelector("[name=value]") : null;
  field?.setAttribute("aria-invalid", "true");
  field?.focus();
}

function takeIn(parts) {
  review.dataset.revision = parts.revision;
  const open = document.querySelector(".history")?.open;
  const scroll = panel.scrollTop;
  editing = null;
  fill(document.getElementById("values"), parts.values);
  fill(document.getElementById("history"), parts.history);
  fill(document.getElementById("progress"), parts.progress);
  fill(inspector, parts.selected);
  const pages = review.querySelectorAll(".sheet");
  parts.boxes.forEach((html, n) => {
    const leaf = pages[n]?.querySelector(".leaf");
    leaf?.querySelector(".boxes")?.remove();
    leaf?.insertAdjacentHTML("beforeend", html);
  });
  if (open) document.querySelector(".history")?.setAttribute("open", "");
  panel.scrollTop = scroll;
  if (selected !== null) {
    valueOf(selected)?.setAttribute("aria-current", "true");
    light(selected);
  }
}

/** A form that is not on the page. */
function formOf(action, fields) {
  const form = document.createElement("form");
  form.setAttribute("action", action);
  for (const [name, value] of Object.entries({ revision: currentRevision(), ...fields })) {
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  return form;
}

const currentRevision = () => review.dataset.revision ?? document.querySelector("#values [name=revision]").value;

function accept(link) {
  if (!link) return;
  const pointer = link.dataset.pointer;
  const wasDoubtful = isDoubtful(link);
  return send(formOf(`${path}/corrections`, { kind: "accept", pointer }), () => {
    announce("Accepted");
    if (!wasDoubtful || !nextDoubtful()) goTo(valueOf(pointer));
  });
}

function takeBack(link) {
  if (!link?.dataset.number) return;
  const pointer = link.dataset.pointer;
  return send(formOf(`${path}/corrections/${link.dataset.number}/take-back`, { pointer }), () => {
    announce("Taken back");
    goTo(valueOf(pointer));
  });
}

/** The control in which a value of the link's type is entered. */
function controlFor(link, text) {
  const { type } = link.dataset;
  const choices = link.dataset.enum ? JSON.parse(link.dataset.enum) : type === "boolean" ? ["yes", "no"] : null;
  if (choices) {
    const list = document.createElement("select");
    list.append(new Option("none", ""), ...choices.map((choice) => new Option(choice, choice, false, choice === text)));
    return list;
  }
  if (type === "string" && (text.length > 40 || text.includes("\n"))) {
    return Object.assign(document.createElement("textarea"), { value: text, rows: Math.min(6, 1 + text.split("\n").length) });
  }
  const input = Object.assign(document.createElement("input"), { type: type === "date" ? "date" : "text", value: text, autocomplete: "off" });
  if (type === "number") input.inputMode = "decimal";
  return input;
}

/** The value that a link shows, without its marks. */
const textOf = (link) => (link.classList.contains("nothing") ? "" : link.firstChild.textContent);

function edit(link) {
  if (!link || editing) return;
  const pointer = link.dataset.pointer;
  const wasDoubtful = isDoubtful(link);
  const form = formOf(`${path}/corrections`, { kind: "set", pointer });
  form.className = "in-place";
  const control = controlFor(link, textOf(link));
  control.name = "value";
  control.setAttribute("aria-label", link.closest(".field")?.querySelector(".name")?.textContent ?? "Value");
  const save = Object.assign(document.createElement("button"), { type: "submit", className: "second", textContent: "Save" });
  form.append(control, save);
  const cancel = () => {
    editing = null;
    form.replaceWith(link);
    goTo(link);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopPropagation();
    send(form, () => {
      announce("Saved");
      if (!wasDoubtful || !nextDoubtful()) goTo(valueOf(pointer));
    }).catch(() => {});
  });
  form.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") cancel();
    if (event.key === "Enter" && control.tagName === "TEXTAREA" && !event.shiftKey) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  editing = form;
  link.replaceWith(form);
  control.focus({ preventScroll: true });
  control.select?.();
  uncover(form);
}

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-act], form[data-edit]");
  if (!form || !review.contains(form)) return;
  event.preventDefault();
  const array = form.dataset.act; // of a row to add: its array
  const adding = form.elements.kind?.value === "add";
  send(form, () => {
    if (!adding) return void announce("Done");
    const last = values().findLast((link) => link.dataset.pointer.startsWith(`${array}/`));
    const added = last?.closest("tr, li")?.querySelector(".value"); // the first of its row
    goTo(added);
    if (added) edit(added);
  }).catch(() => {});
});

// --- keys --------------------------------------------------------------------------------------------------------

const keys = {
  n: () => nextDoubtful(1),
  p: () => nextDoubtful(-1),
  a: () => accept(valueOf(selected ?? "")),
  e: () => edit(valueOf(selected ?? "")),
  u: () => takeBack(valueOf(selected ?? "")),
  "+": () => zoom(level * 1.25),
  "=": () => zoom(level * 1.25),
  "-": () => zoom(level / 1.25),
  0: () => zoom(1),
  r: () => turnAll(),
  "]": () => review.querySelector("a[rel=next]")?.click(),
  "[": () => review.querySelector("a[rel=prev]")?.click(),
  "?": () => help.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
  const onValue = event.target.closest(".value");
  if (onValue && event.key === "Enter") {
    event.preventDefault();
    accept(onValue)?.catch(() => {});
    return;
  }
  if (onValue && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    goTo(step(event.key === "ArrowDown" ? 1 : -1));
    return;
  }
  const act = keys[event.key];
  if (!act || !inspector && "npaeu".includes(event.key)) return;
  event.preventDefault();
  act()?.catch?.(() => {});
});

// --- zoom and pages ----------------------------------------------------------------------------------------------

let level = 1;
function zoom(to) {
  const middle = (sheets.scrollTop + sheets.clientHeight / 2) / sheets.scrollHeight;
  level = Math.min(4, Math.max(0.25, to));
  if (Math.abs(level - 1) < 0.05) level = 1;
  const list = sheets.querySelector(".sheet-list");
  list.style.width = `${level * 100}%`;
  for (const image of list.querySelectorAll("img")) image.sizes = `${Math.round(sheets.clientWidth * level)}px`;
  sheets.querySelector("[data-zoom-level]").textContent = `${Math.round(level * 100)} %`;
  sheets.scrollTop = middle * sheets.scrollHeight - sheets.clientHeight / 2;
}

for (const button of sheets.querySelectorAll("[data-zoom]")) {
  button.addEventListener("click", () => zoom({ in: level * 1.25, out: level / 1.25, fit: 1 }[button.dataset.zoom]));
}
sheets.querySelector(".zoom").hidden = false;

/** Shows a page, with the places on it, turned clockwise: scans may lie on their side. */
function turn(sheet, degrees) {
  sheet.dataset.turn = degrees;
  const leaf = sheet.querySelector(".leaf");
  const image = leaf.querySelector("img");
  const [width, height] = [image.getAttribute("width"), image.getAttribute("height")].map(Number);
  const lying = degrees % 180 !== 0;
  sheet.classList.toggle("turned", degrees !== 0);
  sheet.style.aspectRatio = degrees === 0 ? "" : lying ? `${height} / ${width}` : `${width} / ${height}`;
  leaf.style.width = lying ? `${(100 * width) / height}%` : degrees === 0 ? "" : "100%";
  leaf.style.transform = degrees === 0 ? "" : `translate(-50%, -50%) rotate(${degrees}deg)`;
}

function turnAll() {
  for (const sheet of review.querySelectorAll(".sheet")) turn(sheet, (Number(sheet.dataset.turn ?? 0) + 90) % 360);
  light(selected);
}

for (const sheet of review.querySelectorAll(".sheet[data-turn]")) turn(sheet, Number(sheet.dataset.turn));
sheets.querySelector("[data-turn-all]").addEventListener("click", turnAll);

const seen = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      const thumb = review.querySelector(`[data-thumb="${entry.target.dataset.page}"]`);
      if (entry.isIntersecting) thumb?.setAttribute("aria-current", "true");
      else thumb?.removeAttribute("aria-current");
    }
  },
  { root: sheets, rootMargin: "-45% 0px" },
);
for (const page of review.querySelectorAll(".sheet")) seen.observe(page);

const helpButton = document.getElementById("help-button");
helpButton.hidden = false;
helpButton.addEventListener("click", () => help.showModal());
for (const hint of review.querySelectorAll(".with-script")) hint.hidden = false;
document.addEventListener("click", (event) => {
  for (const menu of review.querySelectorAll(".drop-menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});
if (selected !== null) {
  reveal(selected);
  const link = valueOf(selected);
  if (link) uncover(link);
}
