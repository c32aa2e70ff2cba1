// Keeps what is marked with data-live up to date: the server says that something changed, and the page fetches itself.

let last = null;
let source = null;
let timer = null;
let fetching = false;
let again = false;

async function refresh() {
  if (fetching) {
    again = true;
    return;
  }
  fetching = true;
  try {
    const response = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (response.ok && !response.redirected) replace(new DOMParser().parseFromString(await response.text(), "text/html"));
  } catch {
    // The next change comes, or the page is loaded anew.
  }
  fetching = false;
  if (again) {
    again = false;
    refresh();
  }
}

function replace(page) {
  for (const old of document.querySelectorAll("[data-live]")) {
    const now = page.getElementById(old.id);
    if (!now) {
      if ("reload" in old.dataset) location.reload(); // the page has become another one
      continue;
    }
    if (old.isEqualNode(now) || old.contains(document.activeElement) && document.activeElement.matches("input, select")) continue;
    const focused = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    const wasBusy = "busy" in old.dataset && !("busy" in now.dataset);
    old.replaceWith(document.importNode(now, true));
    if (focused) document.querySelector(`#${now.id} [href="${CSS.escape(focused)}"]`)?.focus();
    if (wasBusy) document.getElementById("announce").textContent = "All documents are finished.";
  }
}

function heard(changed) {
  if (changed !== last) refresh(); // the first time too: something may have happened since the page was made
  last = changed;
}

function listen() {
  if (source || timer) return;
  if (!window.EventSource) return poll();
  source = new EventSource("/events");
  source.onmessage = (event) => heard(event.data);
  let failures = 0;
  source.onopen = () => (failures = 0);
  source.onerror = () => {
    // A stream ends by itself now and then, and is opened again. One that never opens is not to be had here.
    if (source.readyState !== EventSource.CLOSED && ++failures < 3) return;
    source.close();
    source = null;
    poll();
  };
}

function poll() {
  timer = setInterval(async () => {
    try {
      const response = await fetch("/events", { headers: { Accept: "application/json" } });
      if (response.status === 403) location.reload(); // signed out elsewhere: the page says so
      if (response.ok) heard(String((await response.json()).changed));
    } catch {
      // It is asked again.
    }
  }, 3000);
}

function stop() {
  source?.close();
  clearInterval(timer);
  source = timer = null;
}

// Browsers allow few connections to one server; hidden tabs need none.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) stop();
  else listen();
});
addEventListener("pagehide", stop);
listen();
