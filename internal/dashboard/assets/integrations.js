// A page that answers a form says where it can be had again: loading it anew must not do the same again.
const answer = document.querySelector("[data-address]");
if (answer) history.replaceState(null, "", answer.dataset.address);

// <form data-busy="Sending…"> says so while it is sent.
for (const form of document.querySelectorAll("form[data-busy]")) {
  form.addEventListener("submit", () => {
    const button = form.querySelector("button");
    button.disabled = true;
    button.textContent = form.dataset.busy;
  });
}
