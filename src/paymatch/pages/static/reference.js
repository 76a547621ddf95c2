// The reference without this script is complete; with it the examples have the reader's address and key, and are copied.
"use strict";

document.documentElement.classList.add("scripted");

const fill = (place, text) => {
  for (const each of document.querySelectorAll(`[data-place="${place}"]`)) each.textContent = text;
};
fill("BASE", `${window.location.origin}/api/v2`);

const key = document.getElementById("key");
if (key) {
  key.addEventListener("input", () => fill("KEY", key.value.replace(/[^\w.~-]/g, "") || "$KEY"));
}

for (const pre of document.querySelectorAll("figure pre")) {
  const button = document.createElement("button");
  const name = pre.closest("section").querySelector("h2").textContent;
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", `Copy: ${pre.previousElementSibling.firstChild.textContent.trim()}, ${name}`);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(pre.textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  pre.previousElementSibling.append(button);
}

const shown = () => {
  const at = document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
  if (at instanceof HTMLDetailsElement) at.open = true;
};
window.addEventListener("hashchange", shown);
shown();

const find = document.getElementById("find");
const found = document.getElementById("found");
const page = document.getElementById("page");
let asked = 0;
const close = () => {
  found.hidden = true;
  page.hidden = false;
};
find.addEventListener("input", async () => {
  const turn = ++asked;
  const words = find.value.trim();
  if (!words) return close();
  const answer = await fetch(`/docs/search?q=${encodeURIComponent(words)}`);
  const text = await answer.text();
  if (turn !== asked) return undefined;
  found.replaceChildren(new DOMParser().parseFromString(text, "text/html").getElementById("hits"));
  found.hidden = false;
  page.hidden = true;
  return undefined;
});
found.addEventListener("click", (event) => {
  if (event.target.closest("a")) close();
});
document.addEventListener("keydown", (event) => {
  const writes = event.target.closest("input, textarea, select");
  if (event.key === "/" && !writes && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    find.focus();
  }
  if (event.key === "Escape" && event.target === find) {
    find.value = "";
    asked += 1;
    close();
  }
});
