// Settings: what a switch governs is shown with it, colours are picked, and what is not saved yet is counted.
"use strict";

for (const form of document.querySelectorAll(".settings-form")) {
  const rows = [...form.querySelectorAll(".setting-row")], bar = form.querySelector(".save-bar [role=status]"), discard = form.querySelector(".save-bar [type=reset]");
  const value = (name) => { const field = form.elements[name]; return field?.type === "checkbox" ? (field.checked ? "on" : "off") : field?.value; };
  const usual = (field) => { const at = [...field.options].findIndex((option) => option.defaultSelected); return field.options[Math.max(0, at)]; };
  const differs = (field) => field.type === "checkbox" ? field.checked !== field.defaultChecked
    : field.tagName === "SELECT" ? field.options[field.selectedIndex] !== usual(field) : field.value !== field.defaultValue;
  // What a field held and holds, as it is read beside it.
  const change = (row, field) => {
    const nothing = bar.dataset.nothing;
    if (field.type === "password" || row.querySelector("fieldset, textarea")) return "";
    if (field.type === "checkbox") { const [on, off] = [...row.querySelectorAll(".switch-word > span")].map((word) => word.textContent); return field.checked ? `${off} → ${on}` : `${on} → ${off}`; }
    if (field.tagName === "SELECT") return `${usual(field).textContent} → ${field.options[field.selectedIndex].textContent}`;
    return `${field.defaultValue || nothing} → ${field.value || nothing}`;
  };
  const show = () => {
    for (const row of rows) if (row.dataset.needs && form.elements[row.dataset.needs]) row.hidden = value(row.dataset.needs) === "off";
    const changed = rows.map((row) => [row, [...row.querySelectorAll("input, select, textarea")].find((field) => field.name && differs(field))]).filter(([, field]) => field);
    const names = changed.map(([row, field]) => `${row.querySelector("label, legend").textContent.trim()} ${change(row, field)}`.trim());
    discard.hidden = !names.length;
    bar.replaceChildren();
    if (!names.length) return;
    const sum = document.createElement("strong");
    sum.textContent = names.length === 1 ? bar.dataset.one : bar.dataset.many.replace("{n}", names.length);
    bar.append(sum, `: ${names.join(", ")}`);
  };
  form.addEventListener("input", show);
  form.addEventListener("change", show);
  form.addEventListener("reset", () => setTimeout(show));
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "s") return;
    event.preventDefault();
    form.requestSubmit();
  });
  for (const box of form.querySelectorAll("[data-only-changed]")) {
    box.closest("label").hidden = false;
    box.addEventListener("change", (event) => { form.classList.toggle("only-changed", box.checked); event.stopPropagation(); });
  }
}

for (const field of document.querySelectorAll("input[data-picker=colour]")) {
  const around = Object.assign(document.createElement("span"), { className: "colour-field" });
  const picker = Object.assign(document.createElement("input"), { type: "color", value: /^#[0-9a-f]{6}$/i.test(field.value) ? field.value : "#3457cf" });
  picker.setAttribute("aria-label", field.labels[0]?.textContent.trim() ?? "");
  field.replaceWith(around);
  around.append(field, picker);
  picker.addEventListener("input", () => { field.value = picker.value; field.dispatchEvent(new Event("input", { bubbles: true })); });
  field.addEventListener("input", () => { if (/^#[0-9a-f]{6}$/i.test(field.value)) picker.value = field.value; });
}
