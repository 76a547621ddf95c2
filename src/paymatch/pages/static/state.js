// The start page says whether the service can work, and under which address it was opened.
"use strict";

document.getElementById("origin").textContent = window.location.origin;

fetch("/readyz", { cache: "no-store" })
  .then((answer) => answer.ok)
  .catch(() => false)
  .then((ready) => {
    const state = document.getElementById("state");
    state.dataset.state = ready ? "ready" : "down";
    state.textContent = ready ? "Ready: the merchant API answers at /api/v2" : "Not ready: the database does not answer or takes no changes";
  });
