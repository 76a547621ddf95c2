// What all pages share: menus that close, copying, choosing all rows. Pages bring their own module for more.
"use strict";

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) { menu.open = false; menu.querySelector("summary").focus(); event.preventDefault(); }
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

// After a form was sent the hands go on where the page says what is wrong with it, or what it did.
{
  const main = document.getElementById("main"), wrong = main?.querySelector("[aria-invalid=true]");
  const told = wrong ?? main?.querySelector(":scope > .notice[role], :scope > .alert[role]");
  const arrived = /\/(login|account)\b/.test(document.referrer);  // whoever has just signed in begins at the top
  if (told && !arrived && document.activeElement === document.body && !document.getElementById("queue")) {
    if (!wrong) told.tabIndex = -1;
    told.focus({ preventScroll: !wrong });
  }
}

// Keys of every page: find anything, jump to a page, move in a list. The queue of postings has more of its own.
(() => {
  const finder = document.getElementById("finder"), keys = document.getElementById("all-keys");
  if (!finder) return;
  const field = finder.querySelector("input"), list = document.getElementById("found");
  const pages = [...document.querySelectorAll(".side [data-jump]")];
  const typing = () => document.activeElement.matches("input:not([type=checkbox], [type=radio]), textarea, select");
  let jumping = false, asked = 0, waiting;

  for (const button of document.querySelectorAll("[data-finder]")) { button.hidden = false; button.addEventListener("click", find); }

  function find() {
    for (const menu of document.querySelectorAll("details.menu[open]")) menu.open = false;
    if (!finder.open) finder.showModal();
    field.select();
    show();
  }

  // A line of what was found: where it leads, and the pieces of the page that say what it is.
  function line(href, ...pieces) {
    const item = document.createElement("li"), link = document.createElement("a");
    item.role = "presentation";
    Object.assign(link, { href, role: "option", id: `found-${list.children.length}`, tabIndex: -1 });
    link.append(...pieces);
    item.append(link);
    list.append(item);
  }

  const options = () => [...list.querySelectorAll("a")];

  function choose(place) {
    const all = options(), at = all[(place + all.length) % all.length];
    for (const each of all) each.ariaSelected = String(each === at);
    if (at) { field.setAttribute("aria-activedescendant", at.id); at.scrollIntoView({ block: "nearest" }); }
  }

  function show() {
    const text = field.value.trim(), ask = ++asked;
    list.replaceChildren();
    for (const page of pages) if (page.textContent.trim().toLowerCase().includes(text.toLowerCase())) {
      const key = document.createElement("span");
      key.className = "num second";
      key.textContent = `G ${page.dataset.jump.toUpperCase()}`;
      line(page.href, page.querySelector("svg").cloneNode(true), page.childNodes[1].textContent, key);
    }
    if (text) for (const where of ["orders", "postings"]) line(`${list.dataset[where]}?q=${encodeURIComponent(text)}`, list.dataset[`in${where[0].toUpperCase()}${where.slice(1)}`].replace("{text}", text));
    choose(0);
    clearTimeout(waiting);
    if (text.length > 1) waiting = setTimeout(() => orders(text, ask), 200);
  }

  // The first orders that the list of orders finds, before all else.
  async function orders(text, ask) {
    const answer = await fetch(`${list.dataset.orders}?q=${encodeURIComponent(text)}`, { headers: { "HX-Request": "true" } }).catch(() => null);
    if (!answer?.ok || ask !== asked) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html"), others = [...list.children];
    list.replaceChildren();
    for (const row of [...page.querySelectorAll("table.rows tbody tr")].slice(0, 6)) {
      const link = row.querySelector("td a"), sum = document.createElement("span"), who = document.createElement("span");
      sum.className = "num";
      sum.append(...(row.querySelector("td.num")?.cloneNode(true).childNodes ?? []));
      who.textContent = [...row.cells].find((cell) => !cell.className && !cell.contains(link))?.textContent ?? "";
      const number = document.createElement("strong"), badge = row.querySelector(".badge");
      number.textContent = link.textContent;
      line(link.getAttribute("href"), number, who, ...(badge ? [badge.cloneNode(true)] : []), sum);
    }
    list.append(...others);
    options().forEach((each, place) => { each.id = `found-${place}`; });
    choose(0);
  }

  field.addEventListener("input", show);
  finder.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) choose(options().findIndex((each) => each.ariaSelected === "true") + step);
    else if (event.key === "Enter") list.querySelector("[aria-selected=true]")?.click();
    else if (event.key === "Escape") finder.close();  // a field of a search would first be emptied
    else return;
    event.preventDefault();
  });
  finder.addEventListener("click", (event) => { if (event.target === finder) finder.close(); });

  // The row that the hands are on is the one whose link has the focus.
  function move(step) {
    const links = [...document.querySelectorAll("#main table.rows tbody tr")].map((row) => row.querySelector("a[href]")).filter(Boolean);
    const row = document.activeElement.closest("tr"), at = links.findIndex((link) => link.closest("tr") === row);
    const next = links[at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
    return Boolean(next);
  }

  function pick() {
    const box = document.activeElement.closest("tr")?.querySelector("td input[type=checkbox]");
    box?.click();
    return Boolean(box);
  }

  function press(key) {
    if (jumping) {
      jumping = false;
      const page = pages.find((each) => each.dataset.jump === key);
      page?.click();
      return Boolean(page);
    }
    if (key === "g") { jumping = true; setTimeout(() => { jumping = false; }, 1500); return true; }
    if (document.getElementById("queue")) return false;
    if (key === "?") { keys.showModal(); return true; }
    if (key === "/") { const search = document.querySelector("#main input[type=search]"); search?.select(); search?.focus(); return Boolean(search); }
    if (key === "j" || key === "k") return move(key === "j" ? 1 : -1);
    return key === "x" && pick();
  }

  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) { event.preventDefault(); find(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (typing()) { if (event.key === "Escape" && !document.getElementById("queue")) document.activeElement.blur(); return; }
    if (press(event.key.toLowerCase())) { event.preventDefault(); event.stopImmediatePropagation(); }
  }, true);

  // Of a row of tabs that is wider than the window the present one is in view.
  for (const row of document.querySelectorAll("nav.chips, .q-tabs")) {
    const here = row.querySelector("[aria-current]");
    if (here && row.scrollWidth > row.clientWidth) row.scrollLeft = here.offsetLeft - (row.clientWidth - here.offsetWidth) / 2;
  }
})();
