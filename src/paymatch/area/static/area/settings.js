// Settings: what a switch governs is shown with it, colours are picked, and what is not saved yet is counted.
"use strict";

for (const form of document.querySelectorAll(".settings-form")) {
  const rows = form.querySelectorAll("[data-needs]"), unsaved = form.querySelector("[data-unsaved]");
  const value = (name) => { const field = form.elements[name]; return field?.type === "checkbox" ? (field.checked ? "on" : "off") : field?.value; };
  const show = () => {
    for (const row of rows) if (form.elements[row.dataset.needs]) row.hidden = value(row.dataset.needs) === "off";
    const changed = [...form.querySelectorAll(".setting-row")].filter((row) => [...row.querySelectorAll("input, select, textarea")].some((field) =>
      field.name && (field.type === "checkbox" ? field.checked !== field.defaultChecked
        : field.tagName === "SELECT" ? [...field.options].some((option) => option.selected !== option.defaultSelected) && field.selectedIndex !== Math.max(0, [...field.options].findIndex((option) => option.defaultSelected))
        : field.value !== field.defaultValue)));
    const names = changed.map((row) => row.querySelector("label, legend").textContent.trim());
    if (unsaved) unsaved.textContent = names.length ? `${names.join(", ")}: ${unsaved.dataset.unsaved}` : "";
  };
  form.addEventListener("input", show);
  form.addEventListener("change", show);
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
