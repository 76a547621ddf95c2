// A form shows what it would do while it is filled in: the part of the page that it names comes anew from the server.
"use strict";

for (const form of document.querySelectorAll("form[data-preview]")) {
  const nonce = document.querySelector("script[nonce]").nonce;  // of the styles in a frame, which is the page's too
  let waiting = 0;
  let asked = 0;
  // What the server has filled in from what it knows: only into fields that are still empty, and never under the hands.
  const fill = ({ dataset }, page) => {
    for (const name of dataset.fills?.split(" ") ?? []) {
      const field = form.elements[name], filled = page.querySelector(`form[data-preview] [name="${name}"]`);
      if (field && filled && field !== document.activeElement && (!field.value || field.type === "hidden")) field.value = filled.value;
    }
    for (const id of dataset.shows?.split(" ") ?? []) document.getElementById(id)?.replaceChildren(page.getElementById(id)?.textContent ?? "");
  };
  const show = async () => {
    const number = asked += 1;
    const body = new FormData(form);
    body.set("do", "preview");
    const answer = await fetch(location.href, { method: "POST", body });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById(form.dataset.preview);
    for (const frame of fresh?.querySelectorAll("iframe[srcdoc]") ?? []) frame.srcdoc = frame.srcdoc.replace(/<style nonce="[^"]*">/, `<style nonce="${nonce}">`);
    if (!fresh || number !== asked) return;
    const old = document.getElementById(form.dataset.preview);
    const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
    fill(fresh, page);
    old.replaceWith(fresh);
    if (focused) document.getElementById(focused)?.focus();
  };
  for (const button of form.querySelectorAll("[data-asks-preview]")) button.hidden = true;  // it comes by itself
  form.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(show, 300); });
  if ("previewAtOnce" in form.dataset) show();
}
