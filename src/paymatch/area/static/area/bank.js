// Statements by drag and drop: one file after the other, with what has become of each; and the page follows what runs.
"use strict";

const form = document.getElementById("bank-drop");
const told = document.getElementById("bank-progress");

async function upload(files) {
  const most = Number(form.dataset.most);
  const left = [];
  let number = 0;
  for (const file of files) {
    number += 1;
    if (file.size > most) { left.push(`${file.name} ${form.dataset.tooLarge}`); continue; }
    told.textContent = `${form.dataset.reading}: ${file.name} (${number}/${files.length})`;
    const body = new FormData(form);
    body.delete("files");
    body.append("files", file);
    const answer = await fetch(location.pathname, { method: "POST", body });
    if (!answer.ok) left.push(`${file.name}: ${answer.status}`);
  }
  if (left.length) { told.textContent = left.join(" · "); if (left.length === files.length) return; }
  if (!left.length) location.assign(location.pathname);
}

if (form) {
  for (const name of ["dragover", "dragenter"]) form.addEventListener(name, (event) => { event.preventDefault(); form.classList.add("over"); });
  for (const name of ["dragleave", "drop"]) form.addEventListener(name, () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => { event.preventDefault(); upload([...event.dataTransfer.files]); });
  form.addEventListener("submit", (event) => {
    const files = [...form.elements.files.files];
    if (files.length) { event.preventDefault(); upload(files); }
  });
}

async function follow() {
  const shown = document.getElementById("bank-offered");
  if (!shown || !("running" in shown.dataset)) return;
  const answer = await fetch(location.href, { headers: { "HX-Request": "true" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("bank-offered");
  if (fresh && !shown.contains(document.activeElement)) shown.replaceWith(fresh);
  setTimeout(follow, 2000);
}
setTimeout(follow, 2000);
