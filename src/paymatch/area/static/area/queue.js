// Postings to decide by keyboard: keys press what the page shows, forms and links replace the page's content in place,
// and the split shows what is left while a person types. Keys that are pressed while a step is under way wait for it.
// Without this module all of it works by full page loads.
"use strict";

(() => {
  const main = document.getElementById("main");
  let busy = false, ahead = [];
  document.documentElement.classList.add("scripted");

  const queue = () => document.getElementById("queue");
  const typing = () => /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "") && !/^(radio|checkbox)$/.test(document.activeElement.type);

  // Going on without leaving the page: what the server answers takes the place of the content, and the address follows.
  async function go(url, options = {}) {
    if (busy) return;
    busy = true;
    const slow = setTimeout(() => main.setAttribute("aria-busy", "true"), 300), held = handsOn();
    const rows = document.querySelector(".q-rows"), scrolled = rows?.scrollTop ?? 0;
    try {
      const answer = await fetch(url, { credentials: "same-origin", ...options });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const content = page.getElementById("main");
      if (!content?.querySelector("#queue")) { location.assign(answer.url); return; }
      main.replaceChildren(...content.childNodes);
      takeCounts(page);
      const shown = document.querySelector(".q-numbers");
      if (shown) shown.open = numbers;
      document.title = page.title;
      if (options.method !== "POST" || answer.redirected) history.pushState(null, "", answer.url);
      const now = document.querySelector(".q-rows");
      if (now) now.scrollTop = scrolled;
      document.querySelector(".q-row[aria-current]")?.scrollIntoView({ block: "nearest" });
      if (!focusFirst()) (document.querySelector(held) ?? document.querySelector(".q-scroll") ?? main).focus({ preventScroll: true });
      if (document.querySelector("#main > .notice:is(.red, .amber), #q-sure")) ahead = [];  // typed for a step that was refused
    } catch {
      ahead = [];
      location.assign(url);
    } finally {
      clearTimeout(slow);
      main.removeAttribute("aria-busy");
      busy = false;
    }
    while (ahead.length && !busy) act(ahead.shift());
  }

  // How to find again, in the new content, what has the focus now. The posting has it next where nothing had, where a
  // row was opened, and where what had it is not there any more: it is read aloud, and Enter books it.
  function handsOn() {
    const at = document.activeElement;
    if (!at?.matches("#main *") || at.matches("input, textarea, select, .q-link")) return ".q-scroll";
    const key = at.dataset.key, address = at.getAttribute("href");
    return at.id ? `#${CSS.escape(at.id)}` : key ? `[data-key="${CSS.escape(key)}"]` : address ? `#queue a[href="${CSS.escape(address)}"]` : ".q-scroll";
  }

  // What waits is counted in the navigation too.
  function takeCounts(page) {
    for (const links of [".nav-list a", ".tabbar > a"]) {
      const fresh = page.querySelectorAll(links);
      document.querySelectorAll(links).forEach((link, at) => { if (fresh[at]) link.replaceChildren(...fresh[at].childNodes); });
    }
  }

  function send(form, button) {
    const data = new URLSearchParams(new FormData(form));
    if (button?.name) data.set(button.name, button.value);
    if (form.method === "get") return go(`${form.action.split("?")[0]}?${data}`);
    return go(form.action, { method: "POST", body: data });
  }

  // Where the hands go on: into the split's first amount, or the field that finds orders.
  function focusFirst() {
    const wrong = document.querySelector("#queue .q-form [aria-invalid=true]"), split = document.getElementById("q-split");
    if (wrong) { wrong.focus(); return true; }
    if (!split) return false;
    const found = split.querySelector(".q-found .btn");
    const field = split.querySelector("[aria-invalid]") ?? found ?? split.querySelector("[name=credited]") ?? split.querySelector("#q-find");
    field?.focus();
    field?.select?.();
    return Boolean(field);
  }

  document.addEventListener("submit", (event) => {
    if (!event.target.closest("#queue")) return;
    event.preventDefault();
    send(event.target, event.submitter);
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("#queue a[href]");
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || link.dataset.file !== undefined) return;
    if (link.origin !== location.origin || !link.pathname.includes("/postings") || /\/(accept|rules|rules\/new)$/.test(link.pathname)) return;
    event.preventDefault();
    go(link.href);
  });

  addEventListener("popstate", () => location.reload());

  // The usual reasons while the form for setting aside is open: a key each, as long as no other reason is begun.
  const giveReason = (key) => {
    const reason = document.querySelector(`#q-aside[open] [data-reason-key="${CSS.escape(key.toLowerCase())}"]`);
    reason?.click();
    return Boolean(reason);
  };

  const press = (key) => {
    if (giveReason(key)) return true;
    const target = document.querySelector(`#queue [data-key="${key}"]`);
    if (!target) return false;
    if (target.tagName === "SUMMARY") {
      target.parentElement.open = true;
      target.parentElement.querySelector("input:not([type=hidden]), textarea")?.focus();
    } else if (target.tagName === "INPUT") target.focus();
    else target.click();
    return true;
  };

  document.addEventListener("keydown", (event) => {
    if (!queue() || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;  // Escape may have closed a menu
    if (busy && event.key !== "Tab") {
      event.preventDefault();
      if (event.key === "Escape") ahead = [];
      else if (!event.repeat && (event.key.length === 1 || /^(Enter|Backspace|Arrow(Up|Down))$/.test(event.key))) ahead.push(event.key);
      return;
    }
    if (typing() ? steer(event.key) : !(event.repeat && !/^([jk]|Arrow(Up|Down))$/i.test(event.key)) && !(event.key === "Enter" && document.activeElement?.matches("a, button, summary")) && command(event.key)) event.preventDefault();
  });

  // A key that was pressed before the page could take it: a command, or what goes into the field that has the focus.
  function act(key) {
    if (!typing()) { command(key); return; }
    const field = document.activeElement;
    if (steer(key)) return;
    if (key === "Enter") { if (field.tagName !== "TEXTAREA") field.form?.requestSubmit(); return; }
    const from = field.selectionStart, to = field.selectionEnd;
    if (key === "Backspace") field.setRangeText("", from === to ? Math.max(from - 1, 0) : from, to, "end");
    else if (key.length === 1) field.setRangeText(key, from, to, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  // What a key does in a field, beyond writing; whether it did.
  function steer(key) {
    const field = document.activeElement;
    if (key === "Escape") leave(field);
    else if (field.id === "q-reason" && !field.value && giveReason(key)) return true;
    else if (key === "Enter" && field.id === "q-find" && field.value) field.form.querySelector("[data-find]").click();
    else if (key.toLowerCase() === "f" && /^(credited|withheld)$/.test(field.name)) press("f");
    else return false;
    return true;
  }

  // Out of a field: to the button of the form that it is in, which closes, else to the posting.
  function leave(field) {
    const form = field.closest("details[open]");
    if (form) form.open = false;
    (form?.querySelector("summary") ?? document.querySelector(".q-scroll") ?? main).focus({ preventScroll: true });
  }

  function command(pressed) {
    const key = { ArrowDown: "j", ArrowUp: "k" }[pressed] ?? pressed.toLowerCase();
    return key === "?" ? toggleHelp() : key === "u" ? undo() : key === "n" ? toggleNumbers() : key === "o" ? openRule() : press(key) || (key === "j" && nextPage());
  }

  function toggleHelp() {
    const help = document.getElementById("q-help");
    help.open = !help.open;
    return true;
  }

  // Strength in numbers, which the words stand for; it stays open from posting to posting.
  let numbers = false;
  function toggleNumbers() {
    const shown = document.querySelector(".q-numbers");
    if (shown) shown.open = numbers = !shown.open;
    return Boolean(shown);
  }

  function openRule() {
    const link = document.querySelector("[data-offered-rule]");
    link?.click();
    return Boolean(link);
  }

  function undo() {
    const form = document.getElementById("q-undo");
    form?.requestSubmit();
    return Boolean(form);
  }

  function nextPage() {
    const link = document.querySelector("[data-next-page]");
    link?.click();
    return Boolean(link);
  }

  // The live remainder: amounts as the server reads them, of two separators the last is the decimal one.
  const decimalMark = new Intl.NumberFormat(document.documentElement.lang).format(1.5)[1];
  const minor = (text, digits) => {
    const plain = text.replace(/[\s']/g, "").replace("\u2212", "-"), last = Math.max(plain.lastIndexOf("."), plain.lastIndexOf(","));
    const lone = last >= 0 && !plain.includes(plain[last] === "." ? "," : ".");
    const grouping = lone && plain.length - last - 1 === 3 && digits !== 3 && plain[last] !== decimalMark;
    const value = last < 0 || grouping ? plain.replace(/[.,]/g, "") : `${plain.slice(0, last).replace(/[.,]/g, "")}.${plain.slice(last + 1)}`;
    return value === "" ? 0 : Math.round(Number(value) * 10 ** digits);
  };

  document.addEventListener("input", (event) => {
    const form = event.target.closest("#q-split");
    if (!form || !/^(credited|withheld)$/.test(event.target.name)) return;
    const digits = Number(form.dataset.digits), total = Number(form.dataset.total);
    const sum = (name) => [...form.querySelectorAll(`[name=${name}]`)].reduce((all, field) => all + minor(field.value, digits), 0);
    const credited = sum("credited"), withheld = sum("withheld"), left = total - credited + withheld;
    const words = (value) => Number.isNaN(value) ? "–" : (value / 10 ** digits).toLocaleString(document.documentElement.lang, { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "\u2212");
    document.getElementById("q-credited").textContent = words(credited);
    document.getElementById("q-withheld").textContent = words(withheld);
    const badge = document.getElementById("q-left");
    badge.firstElementChild.textContent = words(left);
    badge.className = `q-left badge plain-badge ${left === 0 ? "green" : left < 0 ? "red" : "amber"}`;
  });

  // How long what was decided can still be undone without a callback.
  setInterval(() => {
    for (const left of document.querySelectorAll("#queue [data-seconds]")) left.textContent = Math.max(Number(left.textContent) - 1, 0);
  }, 1000);

  // Others decide too: the list is asked for anew while nobody types.
  setInterval(async () => {
    if (busy || document.hidden || typing() || document.querySelector("#queue details[open], #q-split")) return;
    const before = location.href;
    const answer = await fetch(before, { credentials: "same-origin", headers: { "HX-Request": "true" } }).catch(() => null);
    if (!answer?.ok || busy || location.href !== before || typing()) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector(".q-list"), now = document.querySelector(".q-list");
    if (!fresh || !now || now.contains(document.activeElement)) return;
    const scrolled = now.querySelector(".q-rows")?.scrollTop ?? 0;
    now.replaceWith(fresh);
    takeCounts(page);
    const rows = fresh.querySelector(".q-rows");
    if (rows) rows.scrollTop = scrolled;
  }, 15000);

  focusFirst();
})();
