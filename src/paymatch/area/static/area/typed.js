// What was typed outlives the session: a form that ended at the sign-in is filled in again once its person is back.
"use strict";

{
  const KEPT = "paymatch-typed", LONGEST_HOURS = 1, MOST = 100_000;
  const person = document.body.dataset.person ?? "", back = document.getElementById("typed-back");
  const NEVER = "[type=hidden], [type=password], [type=file], [type=submit], [autocomplete='one-time-code'], button";
  const fields = (form) => [...form.elements].filter((field) => field.name && !field.matches(NEVER));
  const forms = () => [...document.querySelectorAll("#main form[method=post]")];

  function read() {
    try { return JSON.parse(sessionStorage.getItem(KEPT)); } catch { return null; }
  }

  function write(typed) {
    try {
      const text = JSON.stringify(typed);
      if (typed && text.length <= MOST) sessionStorage.setItem(KEPT, text);
      else sessionStorage.removeItem(KEPT);
    } catch { /* a browser that keeps nothing: what was typed is lost, as without this */ }
  }

  document.addEventListener("submit", (event) => {
    const place = forms().indexOf(event.target);
    if (place < 0 || !person) return;
    const values = fields(event.target).map((field) => [field.name, field.matches("[type=checkbox], [type=radio]") ? field.checked : field.value]);
    write({ person, path: location.pathname, action: event.target.getAttribute("action") ?? "", place, values, at: Date.now() });
  }, true);

  function fill(typed) {
    const alike = forms().filter((form) => (form.getAttribute("action") ?? "") === typed.action);
    const form = alike.find((each) => forms().indexOf(each) === typed.place) ?? (alike.length === 1 ? alike[0] : null);
    const here = form ? fields(form) : [];
    if (here.length !== typed.values.length || here.some((field, place) => field.name !== typed.values[place][0])) return;
    let changed = false;
    here.forEach((field, place) => {
      const value = typed.values[place][1], key = typeof value === "boolean" ? "checked" : "value";
      if (field[key] === value) return;
      field[key] = value;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      changed = true;
    });
    if (!changed) return;
    for (let around = form.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
    const notice = back.content.firstElementChild.cloneNode(true);
    form.before(notice);
    notice.focus();
  }

  const typed = read();
  if (typed && Date.now() - typed.at > LONGEST_HOURS * 3_600_000) write(null);
  else if (typed && !back) write({ ...typed, away: true });  // the sign-in, a second factor, or why the form was not taken
  else if (typed && (!typed.away || typed.person !== person)) write(null);
  else if (typed && typed.path === location.pathname) { write(null); fill(typed); }
}
