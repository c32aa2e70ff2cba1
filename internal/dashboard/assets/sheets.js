// Pages of a file with the places of values on them.

const svg = "http://www.w3.org/2000/svg";

/** Shows pages in an element; tells by `pointed(key)` and `chosen(key)` at which mark someone points or presses. */
export class Sheets {
  constructor(element, { pointed, chosen }) {
    this.element = element;
    this.pointed = pointed;
    this.chosen = chosen;
    this.overlays = [];
  }

  /** Shows pictures by their addresses. */
  show(sources, name) {
    this.put(sources.map((source, i) => {
      const sheet = document.createElement("figure");
      sheet.className = "sheet";
      sheet.append(Object.assign(document.createElement("img"), { alt: `Page ${i + 1} of ${name}`, src: source }));
      return sheet;
    }));
  }

  /** Shows sheets that are there already. */
  put(sheets) {
    for (const image of this.element.querySelectorAll("img")) if (image.src.startsWith("blob:")) URL.revokeObjectURL(image.src);
    this.overlays = sheets.map((sheet) => {
      const overlay = document.createElementNS(svg, "svg");
      overlay.setAttribute("viewBox", "0 0 1 1");
      overlay.setAttribute("preserveAspectRatio", "none");
      overlay.setAttribute("aria-hidden", "true");
      sheet.querySelector("svg")?.remove();
      sheet.append(overlay);
      return overlay;
    });
    this.element.replaceChildren(...sheets);
    this.element.hidden = sheets.length === 0;
    this.element.scrollTop = 0;
  }

  /** Draws marks: each has a page, boxes in fractions of it, and the key of what stands there. */
  mark(marks) {
    for (const overlay of this.overlays) overlay.replaceChildren();
    for (const { key, page, boxes } of marks) {
      const overlay = this.overlays[page - 1];
      for (const [x0, y0, x1, y1] of overlay ? boxes : []) {
        const rect = document.createElementNS(svg, "rect");
        const around = 0.003;
        rect.setAttribute("x", x0 - around);
        rect.setAttribute("y", y0 - around);
        rect.setAttribute("width", x1 - x0 + 2 * around);
        rect.setAttribute("height", y1 - y0 + 2 * around);
        rect.dataset.key = key;
        rect.addEventListener("pointerenter", () => this.pointed(key));
        rect.addEventListener("pointerleave", () => this.pointed(null));
        rect.addEventListener("click", () => this.chosen(key));
        overlay.append(rect);
      }
    }
  }

  /** Lights the marks of keys; the first of them comes into view if it is wanted. */
  light(keys, { reveal = false } = {}) {
    let first = null;
    for (const overlay of this.overlays) {
      for (const rect of overlay.children) {
        const lit = keys.has(rect.dataset.key);
        rect.classList.toggle("lit", lit);
        if (lit) first ??= rect;
      }
    }
    if (!first || !reveal) return;
    // Only the pages move, never the window under the pointer.
    const place = first.getBoundingClientRect();
    const frame = this.element.getBoundingClientRect();
    if (place.top < frame.top || place.bottom > frame.bottom) {
      this.element.scrollTop += place.top - frame.top - frame.height / 3;
    }
  }
}

/** Makes pictures that came as base64 into addresses. */
export function pictureURLs(pictures) {
  return pictures.map(({ type, content }) => URL.createObjectURL(new Blob([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], { type })));
}

/** Escapes a name for a JSON pointer. */
const escaped = (name) => String(name).replaceAll("~", "~0").replaceAll("/", "~1");

/** Gives the values that stand at a path of names, in which "*" is every element of an array, each with its JSON pointer. */
export function valuesAt(data, path, pointer = "") {
  if (data === undefined || data === null) return [];
  if (path.length === 0) return [{ pointer, value: data }];
  const [step, ...rest] = path;
  if (step === "*") {
    if (!Array.isArray(data)) return [];
    return data.flatMap((element, i) => valuesAt(element, rest, `${pointer}/${i}`));
  }
  if (typeof data !== "object" || Array.isArray(data)) return [];
  return valuesAt(data[step], rest, `${pointer}/${escaped(step)}`);
}

/** Gives everything below a pointer that has a place: [pointer, metadata]. */
export function placesBelow(metadata, pointer) {
  return Object.entries(metadata).filter(([p, m]) => (p === pointer || p.startsWith(pointer + "/")) && m.boxes.length > 0);
}

/** Writes a value for people. */
export function written(value) {
  if (value === true) return "yes";
  if (value === false) return "no";
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}
