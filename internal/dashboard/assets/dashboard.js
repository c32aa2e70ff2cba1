// What all pages share. Each page works without it.

/** Tells what happened to people who do not see it. */
export function announce(text) {
  document.getElementById("announce").textContent = text;
}

const unit = (n, one) => `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;

function span(seconds) {
  if (seconds < 3600) return unit(Math.round(seconds / 60), "minute");
  if (seconds < 48 * 3600) return unit(Math.round(seconds / 3600), "hour");
  if (seconds < 60 * 86400) return unit(Math.round(seconds / 86400), "day");
  return unit(Math.round(seconds / 86400 / 30), "month");
}

/** Tells a time as the server does: see ago in functions.go. */
export function ago(time, now = Date.now()) {
  const seconds = (now - time) / 1000;
  if (seconds < -60) return `in ${span(-seconds)}`;
  if (seconds < 60) return "just now";
  return `${span(seconds)} ago`;
}

function refreshTimes() {
  for (const element of document.querySelectorAll("time[data-ago]")) {
    const text = ago(Date.parse(element.dateTime));
    if (element.textContent !== text) element.textContent = text;
  }
}
setInterval(refreshTimes, 30_000);

/** Asks the server as our scripts do; throws an Error with the server's sentence, and its details. */
export async function ask(url, options = {}) {
  const response = await fetch(url, { ...options, headers: { Accept: "application/json", ...options.headers } });
  if (response.status === 204) return null;
  const body = await response.json().catch((error) => {
    if (error.name === "AbortError") throw error; // nobody wants it any more
    return null;
  });
  if (!response.ok || body === null) {
    const error = new Error(body?.error?.message ?? "The server could not be reached. Try again.");
    error.details = body?.error?.details ?? [];
    error.status = response.status;
    throw error;
  }
  return body;
}

// <button type="button" data-copy="#id"> copies what an element holds. It is shown only where it works.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const from = document.querySelector(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(from.value ?? from.textContent);
    } catch {
      // Without HTTPS browsers give no clipboard: it is selected, ready for the keys.
      getSelection().selectAllChildren(from);
      announce("Selected. Copy it with the keyboard.");
      return;
    }
    const label = button.querySelector("span") ?? button;
    const before = label.textContent;
    label.textContent = "Copied";
    announce("Copied");
    setTimeout(() => (label.textContent = before), 2000);
  });
}

// <form data-confirm="Sentence?" data-confirm-button="Delete"> asks before it is sent.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.confirm || form.dataset.confirmed) return;
  event.preventDefault();
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "confirm-text");
  const text = Object.assign(document.createElement("p"), { id: "confirm-text", textContent: form.dataset.confirm });
  const acts = Object.assign(document.createElement("div"), { className: "acts" });
  const no = Object.assign(document.createElement("button"), { type: "button", className: "second", textContent: "Cancel" });
  const yes = Object.assign(document.createElement("button"), { type: "button", className: "danger", textContent: form.dataset.confirmButton ?? "Go on" });
  no.addEventListener("click", () => dialog.close());
  yes.addEventListener("click", () => {
    form.dataset.confirmed = "yes";
    dialog.close();
    form.requestSubmit(event.submitter);
  });
  dialog.addEventListener("close", () => dialog.remove());
  acts.append(no, yes);
  dialog.append(text, acts);
  document.body.append(dialog);
  dialog.showModal();
});
