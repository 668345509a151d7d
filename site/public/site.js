// Runs the page: sends only the fields that are filled in, shows the release being served, links examples that exist.
const find = (id) => document.querySelector(id);

// The API rejects blank values. Without this script the form sends only the purpose, so the purpose is required there.
find("#more").disabled = false;
find("#purpose").required = false;
find("#search").addEventListener("formdata", ({ formData }) => {
  for (const [name, text] of [...formData]) {
    const value = name === "min_amount" ? text.replace(/[$,\s]/g, "") : text.trim();
    if (value === "") formData.delete(name);
    else formData.set(name, value);
  }
});

const status = await ask("/v1/status");
if (status === undefined) {
  showStaticHost();
} else {
  showRelease(status);
  // This page has a file; a smaller limit would run a search.
  const grants = (await ask("/v1/history"))?.data ?? [];
  linkExamples(grants.find((grant) => grant.recipient_ein !== null) ?? grants[0] ?? {});
}

/** The JSON of a response; undefined if there is none, as on a static host. */
async function ask(path) {
  const answer = await fetch(path).catch(() => undefined);
  return answer?.ok ? answer.json().catch(() => undefined) : undefined;
}

function showRelease({ records, funders, first_year, last_year, synced_at }) {
  const count = (value) => Number(value).toLocaleString("en-US");
  const counts = `${count(records)} grants of ${count(funders)} funders, ${first_year} to ${last_year}`;
  find("#status").prepend(`${counts}, synced ${synced_at.slice(0, 16).replace("T", " ")} UTC. `);
}

function showStaticHost() {
  find("#search").remove();
  for (const link of document.querySelectorAll('a[href^="/v1/"]')) link.replaceWith(...link.childNodes);
  find("#status").textContent =
    "This is a static copy without search. Every funder's pages are files, " +
    "such as /v1/funders/{funder_ein}/history-100-0.json.";
}

function linkExamples(grant) {
  const examples = new Set();
  for (const code of document.querySelectorAll("dt > code")) {
    const name = /\{(\w+_ein)\}/.exec(code.textContent)?.[1];
    if (!grant[name]) continue;
    const link = document.createElement("a");
    link.href = code.textContent.replace(`{${name}}`, grant[name]);
    code.replaceWith(link);
    link.append(code);
    examples.add(`${name} ${grant[name]}`);
  }
  if (examples.size > 0) find("#example").append(` The links above use ${[...examples].join(" and ")}.`);
}
