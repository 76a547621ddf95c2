// Buttons that copy a value; without this script the values are text that can be selected.
"use strict";
for (const button of document.querySelectorAll("button[data-copy]")) {
  const label = button.getAttribute("aria-label");
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
    } catch {
      const range = document.createRange();
      range.selectNodeContents(button.previousElementSibling);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      return;
    }
    const row = button.closest("div");
    row.classList.add("copied");
    button.setAttribute("aria-label", button.dataset.done);
    setTimeout(() => {
      row.classList.remove("copied");
      button.setAttribute("aria-label", label);
    }, 2000);
  });
}
