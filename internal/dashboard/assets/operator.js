// Keeps the figures of the queue up to date while somebody looks.
const interval = 5_000;

async function refresh() {
  const before = document.getElementById("live");
  if (document.hidden || before.contains(document.activeElement)) return;
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!response.ok || response.redirected) return; // signed out, or away for a moment
  const now = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("live");
  if (now) before.replaceWith(document.adoptNode(now));
}

setInterval(() => refresh().catch(() => {}), interval);
