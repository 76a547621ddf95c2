// Statements by drag and drop: one file after the other, with what has become of each; and the page follows what runs.
"use strict";

const form = document.getElementById("bank-drop");
const notice = document.getElementById("bank-progress");

const sent = document.getElementById("bank-sent");

function send(body, progress) {
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", location.pathname);
    request.upload.addEventListener("progress", (event) => { if (event.lengthComputable) progress(event.loaded / event.total); });
    request.addEventListener("loadend", () => done(request.status || 599));
    request.send(body);
  });
}

let underWay = false; // chosen files go at once: the button pressed meanwhile sends them no second time

async function upload(files) {
  if (underWay) return;
  underWay = true;
  sent.hidden = false;
  const most = Number(form.dataset.most);
  const left = [];
  let number = 0;
  for (const file of files) {
    number += 1;
    if (file.size > most) { left.push(`${file.name} ${form.dataset.tooLarge}`); continue; }
    notice.textContent = `${form.dataset.reading}: ${file.name} (${number}/${files.length})`;
    const body = new FormData(form);
    body.delete("files");
    body.append("files", file);
    const status = await send(body, (share) => { sent.value = (100 * (number - 1 + share)) / files.length; });
    if (status >= 400) left.push(`${file.name}: ${status}`);
  }
  underWay = !left.length;
  if (left.length) { notice.textContent = left.join(" · "); if (left.length === files.length) return; }
  if (!left.length) location.assign(location.pathname);
}

if (form) {
  for (const name of ["dragover", "dragenter"]) form.addEventListener(name, (event) => { event.preventDefault(); form.classList.add("over"); });
  for (const name of ["dragleave", "drop"]) form.addEventListener(name, () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => { event.preventDefault(); upload([...event.dataTransfer.files]); });
  form.elements.files.addEventListener("change", () => { if (form.elements.files.files.length) upload([...form.elements.files.files]); });
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
