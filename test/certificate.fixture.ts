// Makes a certificate that nobody signed, for servers that tests connect to.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Writes `key.pem` and `cert.pem` into a folder. @throws Error if openssl fails */
export function writeCertificate(folder: string): { readonly key: string; readonly cert: string } {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  const options = ["req", ...kind, "-subj", "/CN=localhost", "-keyout", key, "-out", cert];
  const { status, stderr } = spawnSync("openssl", options, { encoding: "utf8" });
  if (status !== 0) throw new Error(`openssl ended with ${status}: ${stderr}`);
  return { key, cert };
}
