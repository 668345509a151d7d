// Shows the footer: a place for the release being shown, and the version of the service.
import { version } from "../../../api-static/contract/version.ts";

/** The footer; the page's script fills `#release`. */
export function Footer() {
  return (
    <footer class="footer">
      <div class="wide footer-row">
        <p id="release">
          <a href="/v1/status">Status of the data</a>
        </p>
        <p>Version {version}</p>
      </div>
    </footer>
  );
}
