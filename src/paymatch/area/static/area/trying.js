// Try the API: the calls of the description to choose from, the request as curl, and its answer.
(() => {
  const form = document.getElementById("try");
  if (!form) return;
  const field = (name) => document.getElementById(`try-${name}`);
  const [call, method, path, body, key] = ["call", "method", "path", "body", "key"].map(field);
  const [answer, status, waiting, curl, copy] = ["answer", "status", "waiting", "curl", "copy"].map(field);
  const calls = new Map();

  const sends = () => method.value === "POST" && body.value.trim() !== "";
  const target = () => `${form.dataset.base}/${path.value.trim().replace(/^\//, "")}`;
  const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

  function showCurl() {
    body.disabled = method.value !== "POST";
    const parts = [`curl -s ${quoted(location.origin + target())}`, `-H "X-Service-API-Key: $KEY"`];
    if (method.value === "POST") parts.push(sends() ? `-H "Content-Type: application/json" -d ${quoted(body.value)}` : "-X POST");
    curl.textContent = `export KEY=pm_test_...\n${parts.join(" \\\n  ")}`;
  }

  function show(text, words, colour) {
    waiting.hidden = true;
    answer.hidden = status.hidden = false;
    answer.textContent = text;
    status.textContent = words;
    status.className = `badge ${colour}`;
  }

  const indented = (text) => { try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; } };

  async function send(event) {
    event.preventDefault();
    if (!key.value.trim().startsWith("pm_test_")) return show(form.dataset.refused, "–", "amber");
    const headers = { "X-Service-API-Key": key.value.trim() };
    if (sends()) headers["Content-Type"] = "application/json";
    try {
      const reply = await fetch(target(), { method: method.value, headers, body: sends() ? body.value : undefined, credentials: "omit" });
      const colour = reply.ok ? "green" : reply.status < 500 ? "amber" : "red";
      show(indented(await reply.text()), `${reply.status} ${reply.statusText}`, colour);
    } catch {
      show(form.dataset.unreachable, "–", "red");
    }
  }

  async function listCalls() {
    const description = await (await fetch(form.dataset.description, { credentials: "omit" })).json();
    for (const [route, operations] of Object.entries(description.paths)) {
      for (const [verb, operation] of Object.entries(operations)) {
        const content = operation.requestBody?.content ?? {};
        if ((verb !== "get" && verb !== "post") || content["multipart/form-data"]) continue;
        const json = content["application/json"];
        const example = json?.example ?? Object.values(json?.examples ?? {})[0]?.value;
        const name = `${verb.toUpperCase()} ${route}`;
        calls.set(name, { verb: verb.toUpperCase(), route, example });
        call.add(new Option(name, name));
      }
    }
  }

  call.addEventListener("change", () => {
    const chosen = calls.get(call.value);
    if (!chosen) return;
    method.value = chosen.verb;
    path.value = chosen.route.replace(/^\//, "").replace("{orderNumber}", "A-1001");
    body.value = chosen.example === undefined ? "" : JSON.stringify(chosen.example, null, 2);
    showCurl();
  });
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(curl.textContent);
    copy.querySelector("span").textContent = form.dataset.copied;
  });
  for (const each of [method, path, body]) each.addEventListener("input", showCurl);
  form.addEventListener("submit", send);
  showCurl();
  const first = "POST /order/{orderNumber}";  // what the form holds already
  listCalls().then(() => { if (calls.has(first)) call.value = first; }).catch(() => {});
})();
