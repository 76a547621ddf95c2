// What all pages share: menus that close, copying, choosing all rows. Pages bring their own module for more.
"use strict";

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) { menu.open = false; menu.querySelector("summary").focus(); }
});

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.lastElementChild.textContent = button.dataset.done;
  });
}

for (const box of document.querySelectorAll("input[data-all]")) {
  box.hidden = false;
  box.addEventListener("change", () => {
    for (const each of document.querySelectorAll(`input[type=checkbox][form="${box.dataset.all}"]`)) each.checked = box.checked;
  });
}
