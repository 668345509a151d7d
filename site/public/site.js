// Leaves blank fields out of a search, because the API refuses blank values, and tells what is served now.
document.querySelector("#search").addEventListener("formdata", ({ formData }) => {
  for (const [name, value] of [...formData]) if (value.trim() === "") formData.delete(name);
});

const answer = await fetch("/v1/status").catch(() => undefined);
if (answer?.ok) {
  const status = await answer.json();
  const count = (value) => Number(value).toLocaleString("en-US");
  document
    .querySelector("#status")
    .prepend(
      `${count(status.records)} grants of ${count(status.funders)} funders, ${status.first_year} to ${status.last_year}, ` +
        `synced ${status.synced_at.slice(0, 16).replace("T", " ")} UTC. `,
    );
}
