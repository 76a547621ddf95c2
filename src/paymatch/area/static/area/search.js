// Find anything: the dialog of Ctrl K, in which one hand types and the arrows choose; the page does the same by itself.
"use strict";
(() => {
  // The answer of the result that the hands are on stands beside the results.
  function show(root, place) {
    for (const each of root.querySelectorAll("[data-detail]")) each.hidden = each.dataset.detail !== place;
    for (const each of root.querySelectorAll("button[data-answer]")) each.hidden = false;
  }

  async function copy(button) {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.answer).textContent.trim());
    button.lastElementChild.textContent = button.dataset.done;
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-answer]");
    if (button) copy(button);
  });
  for (const kind of ["focusin", "mouseover"]) document.addEventListener(kind, (event) => {
    const result = event.target.closest(".find-page a[data-result]");
    if (result) show(result.closest(".find-columns"), result.dataset.result);
  });
  for (const each of document.querySelectorAll(".find-page button[data-answer]")) each.hidden = false;

  const finder = document.getElementById("finder");
  if (!finder) return;
  const field = finder.querySelector("input"), form = finder.querySelector("form"), found = document.getElementById("found");
  const sum = finder.querySelector("[data-found-sum]"), pages = [...document.querySelectorAll(".side [data-jump]")];
  let kind = "", asked = 0, waiting, pending = false, entered = false;

  const options = () => [...found.querySelectorAll("[role=option]")];
  const chosen = () => found.querySelector("[aria-selected=true]");

  function open() {
    for (const menu of document.querySelectorAll("details.menu[open]")) menu.open = false;
    if (!finder.open) finder.showModal();
    field.select();
    ask(0);
  }

  for (const link of document.querySelectorAll("[data-finder]")) link.addEventListener("click", (event) => { event.preventDefault(); open(); });
  finder.querySelector("[data-finder-close]").addEventListener("click", () => finder.close());
  finder.addEventListener("click", (event) => { if (event.target === finder) finder.close(); });

  function choose(place) {
    const all = options(), at = all[(place + all.length) % all.length];
    for (const each of all) each.ariaSelected = String(each === at);
    if (!at) { field.removeAttribute("aria-activedescendant"); return; }
    field.setAttribute("aria-activedescendant", at.id);
    at.scrollIntoView({ block: "nearest" });
    show(found, at.dataset.result ?? "");
  }

  // Pages of the area whose name begins so, behind what was found; all of them before anything is typed.
  function pageList(text) {
    const list = document.createElement("ul");
    list.className = "find-pages";
    list.role = "presentation";  // part of the list of results, where there is one
    for (const page of pages) {
      const name = page.childNodes[1].textContent.trim();
      if (!name.toLowerCase().startsWith(text.toLowerCase())) continue;
      const item = document.createElement("li"), link = document.createElement("a"), key = document.createElement("span");
      item.role = "presentation";
      Object.assign(link, { href: page.href, role: "option", id: `find-page-${page.dataset.jump}`, tabIndex: -1, className: "find-result" });
      key.className = "second find-end";
      key.textContent = `G ${page.dataset.jump.toUpperCase()}`;
      link.append(page.querySelector("svg").cloneNode(true), name, key);
      item.append(link);
      list.append(item);
    }
    return list.children.length ? list : null;
  }

  // What the server found becomes a list of options of the field.
  function take(html, text) {
    const page = new DOMParser().parseFromString(html, "text/html");
    for (const each of page.querySelectorAll("noscript")) each.remove();  // parsed here as if nothing could run
    found.replaceChildren(...page.body.childNodes);
    for (const each of found.querySelectorAll(".find-list section")) each.role = "group";
    for (const each of found.querySelectorAll(".find-list :is(h2, ul, li, p)")) each.role = "presentation";
    found.querySelectorAll(".find-list a").forEach((each, place) => Object.assign(each, { role: "option", tabIndex: -1, id: `found-${place}` }));
    sum.textContent = found.querySelector("[data-sum]")?.textContent ?? "";
    found.querySelector("[data-sum]")?.remove();
    const more = kind ? null : pageList(text), list = found.querySelector(".find-list") ?? more;
    if (more) (list === more ? found : list).append(more);
    if (list) Object.assign(list, { role: "listbox", id: "found-list", ariaLabel: found.dataset.label });
    field.ariaExpanded = String(Boolean(list));
    choose(0);
    pending = false;
    if (entered) enter(false);
  }

  // Enter that comes before the answer waits for it: what still stands there was found by other words.
  function enter(inNewTab) {
    const at = chosen();
    entered = pending;
    if (pending) return;
    if (at && inNewTab) window.open(at.href, "_blank", "noopener");
    else if (at) location.assign(at.href);
    else form.requestSubmit();
  }

  function ask(after) {
    const text = field.value.trim(), turn = ++asked;
    clearTimeout(waiting);
    pending = Boolean(text);
    entered = false;
    if (!text) { kind = ""; take("", ""); return; }
    waiting = setTimeout(async () => {
      const address = `${form.action}?q=${encodeURIComponent(text)}&kind=${kind}`;
      const answer = await fetch(address, { headers: { "HX-Request": "true" } }).catch(() => null);
      const html = answer?.ok ? await answer.text() : null;
      if (turn !== asked) return;
      if (html !== null) take(html, text);
      pending = false;
    }, after);
  }

  field.addEventListener("input", () => ask(150));
  found.addEventListener("mousemove", (event) => {
    const option = event.target.closest("[role=option]");
    if (option && option !== chosen()) choose(options().indexOf(option));
  });
  found.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-kind]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    kind = link.dataset.kind;
    field.focus();
    ask(0);
  });

  function nextKind() {
    const kinds = [...found.querySelectorAll("a[data-kind]")].map((each) => each.dataset.kind);
    if (!kinds.length) return false;
    kind = kinds[(kinds.indexOf(kind) + 1) % kinds.length];
    ask(0);
    return true;
  }

  function press(event) {
    const inField = event.target === field, at = chosen(), step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") { finder.close(); return true; }  // a field of a search would first be emptied
    if (!inField) return false;
    if (step) { choose(options().indexOf(at) + step); return true; }
    if (event.key === "Tab" && !event.shiftKey) return nextKind();
    if (event.key === "Enter") { enter(event.ctrlKey || event.metaKey); return true; }
    const detail = found.querySelector("[data-detail]:not([hidden])"), isAtEnd = field.selectionStart === field.value.length;
    if (event.key === "ArrowRight" && isAtEnd && !event.shiftKey) { detail?.querySelector("[data-payment]")?.click(); return Boolean(detail); }
    const copies = event.key.toLowerCase() === "c" && (event.ctrlKey || event.metaKey) && field.selectionStart === field.selectionEnd;
    if (copies && detail) { copy(detail.querySelector("[data-answer]")); return true; }
    return false;
  }

  finder.addEventListener("keydown", (event) => { if (press(event)) event.preventDefault(); });
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) { event.preventDefault(); open(); }
  }, true);
})();
