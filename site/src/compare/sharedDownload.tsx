// Offers the shared recipients as a CSV file, which the browser makes from the loaded grants.
import { Icon } from "../parts/icon.tsx";
import type { Compared, SharedRecipient } from "./compared.ts";
import { formatSharedCsv } from "./sharedCsv.ts";

type Properties = {
  readonly shared: readonly SharedRecipient[];
  readonly compared: readonly Compared[];
  readonly nameOf: (ein: string) => string;
};

/** A button that saves "shared-recipients.csv"; its place is reserved until there is something to save. */
export function SharedDownload({ shared, compared, nameOf }: Properties) {
  const save = () => {
    const text = formatSharedCsv(
      shared,
      compared.map(({ ein }) => ({ ein, name: nameOf(ein) })),
    );
    const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    const link = Object.assign(document.createElement("a"), { href: url, download: "shared-recipients.csv" });
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <button type="button" class="button" disabled={shared.length === 0} onClick={save}>
      <Icon name="download" /> Shared recipients, CSV
    </button>
  );
}
