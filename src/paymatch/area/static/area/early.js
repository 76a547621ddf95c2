// Keys typed before the page's modules listen: this small script runs first, keeps them, and presses them again afterwards.
"use strict";

{
  const typed = [], writes = (at) => at?.matches?.("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");

  function keep(event) {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || !/^[\w/?]$/.test(event.key) || writes(event.target)) return;
    typed.push(event.key);
    event.preventDefault();
  }

  // A key may lead into a field: what follows is written there.
  function press(key) {
    const at = document.activeElement ?? document.body;
    if (!at.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })) || !writes(at) || !at.setRangeText) return;
    at.setRangeText(key, at.selectionStart, at.selectionEnd, "end");
    at.dispatchEvent(new Event("input", { bubbles: true }));
  }

  addEventListener("keydown", keep, true);
  document.addEventListener("DOMContentLoaded", () => {  // modules with "defer" have run by then
    removeEventListener("keydown", keep, true);
    typed.forEach(press);
  });
}
