// Starts the Downloads page, which is in the HTML but for its numbers.
import "../docs/docs.css";
import "./downloads.css";
import { useStatus } from "../api/useCall.ts";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { startPage } from "../shell/start.tsx";
import { Downloads } from "./downloads.tsx";
import { useFiles } from "./files.ts";

/** The page; before the first release, the notice that it is being made. */
export function DownloadsPage() {
  const status = useStatus();
  const files = useFiles();
  if (status.failure?.code === "not_ready")
    return (
      <div class="wide page downloads">
        <h1>Download all grants</h1>
        <FailureNotice progress={status} />
      </div>
    );
  return <Downloads origin={location.origin} files={files} records={status.found?.body.records} isLive />;
}

startPage(DownloadsPage);
