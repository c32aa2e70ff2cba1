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

  /** Shows a value and all that is in it, as lists within lists. */
  const show = (value, pointer, name, found) => {
    const item = document.createElement("li");
    const label = document.createElement("b");
    label.textContent = name;
    item.append(label, " ");
    if (value !== null && typeof value === "object") {
      const list = document.createElement("ul");
      const entries = Array.isArray(value) ? value.map((v, i) => [String(i + 1), v, i]) : Object.entries(value).map(([k, v]) => [k, v, k]);
      if (entries.length === 0) item.append(faint("nothing"));
      for (const [label, inner, step] of entries) {
        list.append(show(inner, `${pointer}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`, label, found));
      }
      item.append(list);
      return item;
    }
    if (value === null) {
      item.append(faint("not found"));
    } else {
      const text = document.createElement("span");
      text.className = "value";
      text.textContent = written(value);
      item.append(text);
      if (placesBelow(found.metadata, pointer).length > 0) {
        item.tabIndex = 0;
        lines.set(pointer, item);
        item.addEventListener("pointerenter", () => light(pointer, true));
        item.addEventListener("pointerleave", () => light(null));
        item.addEventListener("focus", () => light(pointer, true));
        item.addEventListener("blur", () => light(null));
      }
      const sure = found.metadata[pointer]?.confidence ?? 1;
      if (sure < 0.7) item.append(" ", badge(`doubtful, ${Math.round(sure * 100)} %`));
    }
    for (const violation of found.validation ?? []) if (violation.path === pointer) item.append(" ", badge(violation.message));
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
      for (const [name, value] of Object.entries(found.data)) list.append(show(value, `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, name, found));
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
