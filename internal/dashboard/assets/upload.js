// Submitting files: drop them anywhere, see how each goes. Without it the form is a plain one.
import { announce } from "./dashboard.js";

const form = document.querySelector("form[data-upload]");
const most = 50; // files a submission

const size = (bytes) => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
const element = (name, properties = {}, ...inside) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...inside);
  return made;
};

if (form) {
  const input = form.querySelector("input[type=file]");
  const drop = form.querySelector(".drop");
  const list = form.querySelector(".files");
  const wrong = form.querySelector(".wrong");
  const button = form.querySelector("button[type=submit]");
  let chosen = []; // {file, line, bar}
  let sent = 0; // submissions so far: each has a name of its own, under which it is accepted once
  form.classList.add("with-script");
  input.required = false;

  const fail = (text) => {
    wrong.textContent = text;
    wrong.hidden = !text;
  };

  const show = () => {
    list.hidden = chosen.length === 0;
    list.replaceChildren(...chosen.map((one) => one.line));
    const batches = Math.ceil(chosen.length / most);
    button.textContent = chosen.length === 0 ? "Extract" : `Extract from ${chosen.length === 1 ? "1 file" : `${chosen.length} files`}`;
    fail(batches > 1 ? `These become ${batches} extractions, of up to ${most} files each.` : "");
  };

  const add = (files) => {
    for (const file of files) {
      if (chosen.some((one) => one.file.name === file.name && one.file.size === file.size && one.file.lastModified === file.lastModified)) continue;
      const one = { file };
      one.bar = element("progress", { max: Math.max(file.size, 1), value: 0, hidden: true });
      one.bar.setAttribute("aria-label", `Sent of ${file.name}`);
      const remove = element("button", { type: "button", className: "quiet square", textContent: "×" });
      remove.setAttribute("aria-label", `Leave ${file.name} out`);
      remove.addEventListener("click", () => {
        chosen = chosen.filter((other) => other !== one);
        show();
        input.focus();
      });
      one.remove = remove;
      one.line = element("li", {}, element("span", { className: "file-name", textContent: file.name }), element("span", { className: "faint small", textContent: size(file.size) }), one.bar, remove);
      chosen.push(one);
    }
    show();
    announce(`${chosen.length} files chosen`);
  };

  input.addEventListener("change", () => {
    add(input.files);
    input.value = "";
  });

  // Files may be dropped anywhere on the page.
  const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
  let depth = 0;
  addEventListener("dragenter", (event) => {
    if (!carriesFiles(event)) return;
    depth++;
    drop.classList.add("over");
  });
  addEventListener("dragleave", () => {
    if (depth > 0 && --depth === 0) drop.classList.remove("over");
  });
  addEventListener("dragover", (event) => {
    if (carriesFiles(event)) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth = 0;
    drop.classList.remove("over");
    add(event.dataTransfer.files);
    drop.scrollIntoView({ block: "nearest" });
  });

  // One request carries all files, in order: what was sent of it tells how far each is.
  const send = (batch, name, url) =>
    new Promise((resolve, reject) => {
      const data = new FormData();
      data.append("parser_id", form.elements.parser_id.value);
      if (name) data.append("name", name);
      for (const one of batch) data.append("files", one.file, one.file.name);
      const total = batch.reduce((sum, one) => sum + one.file.size, 0);
      const request = new XMLHttpRequest();
      request.open("POST", url);
      request.setRequestHeader("Accept", "application/json");
      request.upload.onprogress = (event) => {
        let sent = event.lengthComputable ? (event.loaded / event.total) * total : event.loaded;
        for (const one of batch) {
          one.bar.value = Math.max(0, Math.min(sent, one.file.size));
          sent -= one.file.size;
        }
      };
      request.onload = () => {
        let answer = null;
        try {
          answer = JSON.parse(request.responseText);
        } catch {
          // told below
        }
        if (request.status >= 200 && request.status < 300 && answer) resolve(answer);
        else reject(new Error(answer?.error?.message ?? "The files could not be sent. Try again."));
      };
      request.onerror = () => reject(new Error("The server could not be reached. Try again."));
      request.send(data);
    });

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (chosen.length === 0) {
      fail("Choose at least one file, or drop some here.");
      input.focus();
      return;
    }
    fail("");
    button.disabled = true;
    let answer = null;
    try {
      while (chosen.length > 0) {
        const some = chosen.slice(0, most);
        for (const one of some) {
          one.bar.hidden = false;
          one.remove.hidden = true;
        }
        const name = form.elements.name.value.trim();
        answer = await send(some, name && sent > 0 ? `${name} ${sent + 1}` : name, `${form.getAttribute("action")}-${sent}`);
        sent++;
        if (chosen.length > most) announce(`${some.length} files are submitted`);
        chosen = chosen.slice(most);
      }
      location.href = `${answer.url}?done=submitted`;
    } catch (error) {
      button.disabled = false;
      for (const one of chosen) {
        one.bar.hidden = true;
        one.bar.value = 0;
        one.remove.hidden = false;
      }
      show();
      fail(error.message);
    }
  });
}
