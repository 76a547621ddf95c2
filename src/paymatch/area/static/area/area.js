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

// How many rows are ticked and their sums per currency, beside the button that books them.
for (const form of document.querySelectorAll("form[data-counts-ticked]")) {
  const boxes = [...form.querySelectorAll("input[type=checkbox][data-minor]")], status = form.querySelector("[data-ticked-sums]");
  const money = (minor, currency, digits) => `${new Intl.NumberFormat(document.documentElement.lang, { minimumFractionDigits: digits }).format(minor / 10 ** digits)}\u00a0${currency}`;
  const count = () => {
    const ticked = boxes.filter((box) => box.checked), sums = new Map();
    for (const { dataset } of ticked) {
      const [minor] = sums.get(dataset.currency) ?? [0];
      sums.set(dataset.currency, [minor + Number(dataset.minor), Number(dataset.digits)]);
    }
    const words = status.dataset.words.replace("{n}", ticked.length).replace("{all}", boxes.length);
    status.textContent = [words, [...sums].map(([currency, [minor, digits]]) => money(minor, currency, digits)).join(", ")].filter(Boolean).join(": ");
    form.querySelector("[data-ticked]").textContent = ` (${ticked.length})`;
  };
  form.addEventListener("change", count);
  count();
}

// What narrows a list does so at once; without a script the button beside it does.
for (const choice of document.querySelectorAll("select[data-narrows]")) choice.addEventListener("change", () => choice.form.requestSubmit());

// After a form was sent the hands go on where the page says what is wrong with it, or what it did.
{
  const main = document.getElementById("main"), wrong = main?.querySelector("[aria-invalid=true]");
  const notice = wrong ?? main?.querySelector(":scope > .notice[role], :scope > .alert[role]");
  const arrived = /\/(login|account)\b/.test(document.referrer);  // whoever has just signed in begins at the top
  if (notice && !arrived && document.activeElement === document.body && !document.getElementById("queue")) {
    if (!wrong) notice.tabIndex = -1;
    notice.focus({ preventScroll: !wrong });
  }
}

// Keys of every page: jump to a page, move in a list. The queue of postings has more of its own, so has search.js.
(() => {
  const keys = document.getElementById("all-keys");
  if (!keys) return;
  const pages = [...document.querySelectorAll(".side [data-jump]")];
  const typing = () => document.activeElement.matches("input:not([type=checkbox], [type=radio]), textarea, select");
  const CHORD_MS = 3000;
  let jumping = -Infinity;  // when G was pressed, by the browser's clock

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

  function press(key, moment) {
    const chord = moment - jumping < CHORD_MS;
    jumping = -Infinity;
    if (chord) {
      const page = pages.find((each) => each.dataset.jump === key);
      page?.click();
      return Boolean(page);
    }
    if (key === "g") { jumping = moment; return true; }
    if (document.getElementById("queue")) return false;
    if (key === "?") { keys.showModal(); return true; }
    if (key === "/") { const search = document.querySelector("#main input[type=search]"); search?.select(); search?.focus(); return Boolean(search); }
    if (key === "j" || key === "k") return move(key === "j" ? 1 : -1);
    return key === "x" && pick();
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (typing()) { if (event.key === "Escape" && !document.getElementById("queue")) document.activeElement.blur(); return; }
    if (press(event.key.toLowerCase(), event.timeStamp)) { event.preventDefault(); event.stopImmediatePropagation(); }
  }, true);

  // Of a row of tabs that is wider than the window the present one is in view.
  for (const row of document.querySelectorAll("nav.chips, .q-tabs")) {
    const here = row.querySelector("[aria-current]");
    if (here && row.scrollWidth > row.clientWidth) row.scrollLeft = here.offsetLeft - (row.clientWidth - here.offsetWidth) / 2;
  }
})();

// Ctrl+Enter sends the form that the hands are in by its main button; with Shift by the one that is marked for it.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
  const form = document.activeElement.form ?? document.activeElement.closest("form");
  if (form?.method !== "post" || document.activeElement.matches("button, a")) return;
  const buttons = [...form.elements].filter((each) => each.type === "submit" && !each.disabled && each.checkVisibility());
  const main = event.shiftKey ? buttons.filter((each) => "shiftEnter" in each.dataset) : buttons.filter((each) => each.matches(".btn-primary"));
  const button = main.length === 1 ? main[0] : !event.shiftKey && buttons.length === 1 ? buttons[0] : undefined;
  if (!button) return;
  event.preventDefault();
  form.requestSubmit(button);
});

// Days: the field takes what people write; a button beside it opens the browser's calendar, which writes it like that.
document.querySelectorAll("input[data-day]").forEach((field) => {
  const picker = Object.assign(document.createElement("input"), { type: "date", className: "day-picker", tabIndex: -1 });
  const button = Object.assign(document.createElement("button"), { type: "button", className: "icon-button day-button" });
  const german = document.documentElement.lang === "de", around = document.createElement("span");
  if (!picker.showPicker) return;
  button.setAttribute("aria-label", german ? "Kalender" : "Calendar");
  button.innerHTML = '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M4 7a2 2 0 0 1 2 -2h12a2 2 0 0 1 2 2v12a2 2 0 0 1 -2 2h-12a2 2 0 0 1 -2 -2z"/><path d="M16 3v4M8 3v4M4 11h16"/></svg>';
  picker.setAttribute("aria-hidden", "true");
  around.className = "day-field";
  field.replaceWith(around);
  around.append(field, picker, button);
  button.addEventListener("click", () => picker.showPicker());
  picker.addEventListener("change", () => {
    const [year, month, day] = picker.value.split("-");
    const name = new Date(`${picker.value}T12:00`).toLocaleDateString("en-GB", { month: "short" }).slice(0, 3);
    field.value = german ? `${day}.${month}.${year}` : `${Number(day)} ${name} ${year}`;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
});

// A form whose answer takes long says so, and is not sent a second time meanwhile.
document.addEventListener("submit", (event) => {
  const form = event.target, words = form.dataset.busy;
  if (!words || event.defaultPrevented) return;
  if (form.getAttribute("aria-busy")) return void event.preventDefault();
  form.setAttribute("aria-busy", "true");
  const line = Object.assign(document.createElement("p"), { className: "busy", role: "status" });
  line.append(document.createElement("progress"), ` ${words}`);
  (event.submitter?.closest("p, .import-actions") ?? form.lastElementChild).after(line);
  line.firstChild.setAttribute("aria-label", words);
});
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[aria-busy]")) { form.removeAttribute("aria-busy"); form.querySelector(".busy")?.remove(); }
});
