// Tries a parser on a file of this computer, of which nothing is kept.
import { announce, ask } from "./dashboard.js";
import { Sheets, pictureURLs, placesBelow, written } from "./sheets.js";

const $ = (id) => document.getElementById(id);
const form = $("try");

if (form) {
  const lines = new Map(); // key → the element of a value
  const light = (key, reveal) => {
    sheets.light(new Set(key ? [key] : []), { reveal });
    for (const [k, line] of lines) line.classList.toggle("lit", k === key);
  };
  const sheets = new Sheets($("sheets"), {
    pointed: (key) => {
      light(key, false);
      lines.get(key)?.scrollIntoView({ block: "nearest" });
    },
    chosen: (key) => lines.get(key)?.focus(),
  });

  const below = (pointer, step) => `${pointer}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const isScalar = (value) => value === null || typeof value !== "object";

  /** Fills an element with a value that has no others in it; it lights its place on the page. */
  const fill = (element, value, pointer, found) => {
    if (value === null) {
      element.append(faint("not found"));
    } else {
      element.append(Object.assign(document.createElement("span"), { className: "value", textContent: written(value) }));
      if (placesBelow(found.metadata, pointer).length > 0) {
        element.tabIndex = 0;
        lines.set(pointer, element);
        element.addEventListener("pointerenter", () => light(pointer, true));
        element.addEventListener("pointerleave", () => light(null));
        element.addEventListener("focus", () => light(pointer, true));
        element.addEventListener("blur", () => light(null));
      }
      const sure = found.metadata[pointer]?.confidence ?? 1;
      if (sure < Number($("workbench").dataset.doubtful)) element.append(" ", badge(`doubtful, ${Math.round(sure * 100)} %`));
    }
    for (const { path, message } of found.validation) if (path === pointer) element.append(" ", badge(message));
    return element;
  };

  /** Shows rows that have the same columns as a table. */
  const table = (rows, pointer, found) => {
    const element = document.createElement("table");
    const columns = Object.keys(rows[0]);
    const head = element.createTHead().insertRow();
    for (const name of columns) head.append(Object.assign(document.createElement("th"), { textContent: name, scope: "col" }));
    const body = element.createTBody();
    rows.forEach((row, i) => {
      const line = body.insertRow();
      for (const name of columns) fill(line.insertCell(), row[name] ?? null, below(below(pointer, i), name), found);
    });
    const frame = Object.assign(document.createElement("div"), { className: "scroll" });
    frame.append(element);
    return frame;
  };

  /** Shows a value and all that is in it, as lists within lists. */
  const show = (value, pointer, name, found) => {
    const item = document.createElement("li");
    item.append(Object.assign(document.createElement("b"), { textContent: name }), " ");
    if (isScalar(value)) return fill(item, value, pointer, found);
    if (Array.isArray(value) && value.length > 0 && value.every((row) => !isScalar(row) && !Array.isArray(row) && Object.values(row).every(isScalar))) {
      item.append(table(value, pointer, found));
      return item;
    }
    const entries = Array.isArray(value) ? value.map((v, i) => [String(i + 1), v, i]) : Object.entries(value).map(([k, v]) => [k, v, k]);
    if (entries.length === 0) item.append(faint("nothing"));
    const list = document.createElement("ul");
    list.append(...entries.map(([label, inner, step]) => show(inner, below(pointer, step), label, found)));
    item.append(list);
    return item;
  };
  const faint = (text) => Object.assign(document.createElement("span"), { className: "faint", textContent: text });
  const badge = (text) => Object.assign(document.createElement("span"), { className: "badge warn", textContent: text });

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    $("wrong").hidden = true;
    $("state").textContent = "Looking at it…";
    try {
      const found = await ask(form.action, { method: "POST", body: new FormData(form) });
      $("plain")?.remove();
      $("workbench").hidden = false;
      $("file-head").textContent = found.filename;
      sheets.show(pictureURLs(found.pictures), found.filename);
      lines.clear();
      const list = document.createElement("ul");
      list.className = "found-values";
      for (const [name, value] of Object.entries(found.data)) list.append(show(value, below("", name), name, found));
      $("values").replaceChildren(list);
      sheets.mark([...lines.keys()].flatMap((key) => placesBelow(found.metadata, key).map(([, { page, boxes }]) => ({ key, page, boxes }))));
      $("state").textContent = "";
      announce("What was found is shown");
    } catch (error) {
      $("wrong").textContent = error.message;
      $("wrong").hidden = false;
      $("state").textContent = "";
    } finally {
      button.disabled = false;
    }
  });
  $("file").addEventListener("change", () => $("file").files.length > 0 && form.requestSubmit());
}
