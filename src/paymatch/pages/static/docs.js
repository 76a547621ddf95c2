// Shows the API's own description; everything comes from this server.
"use strict";

const sans = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';
const mono = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';

Redoc.init(
  "/api/v2/openapi.json",
  {
    hideDownloadButton: false,
    downloadUrls: [{ title: "openapi.json", url: "/api/v2/openapi.json" }],
    jsonSampleExpandLevel: 3,
    pathInMiddlePanel: false,
    requiredPropsFirst: false,
    sortPropsAlphabetically: false,
    hideSchemaTitles: true,
    theme: {
      colors: { primary: { main: "#0f766e" }, text: { primary: "#17212b" } },
      typography: {
        fontFamily: sans,
        fontSize: "15px",
        headings: { fontFamily: sans, fontWeight: "600" },
        code: { fontFamily: mono, fontSize: "13px", color: "#0f5f59", backgroundColor: "#eef3f2" },
      },
      sidebar: { backgroundColor: "#f6f7f8", textColor: "#33404b", width: "270px" },
      rightPanel: { backgroundColor: "#182027" },
    },
  },
  document.getElementById("reference"),
);
