// Tests nginx in the documents: the lines to adapt, the commands on a fresh Debian, HTTPS, and CloudFront's lines.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:http2";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  isNginxInstalled,
  type Nginx,
  nginxConfiguration,
  runNginx,
  setPlaces,
} from "../api-static/edge/nginx.fixture.ts";
import { askRaw, until } from "../api-static/server/socket.fixture.ts";
import { writeCertificate } from "../certificate.fixture.ts";
import { inherited } from "../inherited.ts";
import { findPorts } from "../ports.ts";
import { findProgram, isInstalled } from "../programs.ts";
import { findBlocks, findSection, readDocument } from "./markdown.fixture.ts";

const page = readDocument("docs/nginx.md");
const machine = readDocument("docs/one-machine.md");
const configuration = readFileSync(nginxConfiguration, "utf8");
const isOpensslInstalled = isInstalled("openssl", "nginx's HTTPS lines");

let root = "";
/** Answers with the address of the client and the scheme that it was sent. */
const upstream = createServer(({ headers }, response) => {
  response.end(`client ${headers["x-forwarded-for"]} by ${headers["x-forwarded-proto"]}`);
});
let upstreamPort = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "nginx-page-"));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  upstreamPort = (upstream.address() as AddressInfo).port;
});

afterAll(async () => {
  upstream.close();
  await rm(root, { recursive: true });
});

/** The first block of a section in a language, without its indent. */
function blockOf(document: string, section: string, language: string, index = 0): string {
  const blocks = findBlocks(findSection(document, section)).filter((one) => one.language === language);
  return (blocks[index]?.code ?? "").replace(/^ +/gm, "");
}

/** Programs that change the machine, or nginx's arguments, in a folder for PATH. */
function writePrograms(folder: string, options: string): void {
  mkdirSync(folder);
  const programs = {
    sudo: 'exec "$@"',
    "apt-get": "exit 0",
    usermod: "exit 0",
    nginx: `exec "${findProgram("nginx")}" ${options} "$@"`,
  };
  for (const [name, command] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${command}\n`);
    chmodSync(join(folder, name), 0o755);
  }
}

describe("the documents about nginx", () => {
  it("explain every line to adapt", () => {
    const places = configuration.split("\n").filter((line) => /# set\b/.test(line));
    expect(places.length).toBe(4);
    for (const place of ["127.0.0.1:8080", "/var/cache/nginx/grants", "listen 80", "/srv/grants-data"]) {
      expect(places.filter((line) => line.includes(place)).length, place).toBe(1);
      expect(page, place).toContain(place);
    }
  });

  it.skipIf(!isNginxInstalled)("have commands that make a fresh Debian answer", async () => {
    const [etc, cache] = [join(root, "etc/nginx"), join(root, "var/cache/nginx")];
    for (const folder of ["conf.d", "sites-enabled"]) mkdirSync(join(etc, folder), { recursive: true });
    mkdirSync(join(root, "var/cache"), { recursive: true });
    // Debian's nginx.conf includes both folders, and its default server listens on port 80.
    const includes = `include ${etc}/conf.d/*.conf; include ${etc}/sites-enabled/*;`;
    let nginx: Nginx | undefined;
    try {
      nginx = await runNginx((home, port) => {
        const site = `server { listen 127.0.0.1:${port} default_server; return 404; }`;
        writeFileSync(join(etc, "sites-enabled/default"), site);
        const text = setPlaces(configuration, home, port, join(root, "data"), [upstreamPort]);
        mkdirSync(join(root, "api-static/edge"), { recursive: true });
        writeFileSync(
          join(root, "api-static/edge/nginx.conf"),
          text.replace(join(home, "cache"), join(cache, "grants")),
        );
        writePrograms(join(root, "bin"), `-p "${home}" -e "${home}/error.log" -c "${home}/nginx.conf"`);
        return includes;
      });
      const { PATH = "", ...others } = inherited();
      const commands = blockOf(machine, "nginx", "sh")
        .replaceAll("/etc/nginx", etc)
        .replaceAll("/var/cache/nginx", cache)
        .replaceAll("127.0.0.1/", `127.0.0.1:${nginx.port}/`);
      const [install = "", curl = ""] = commands.split(/^(?=curl )/m);
      const env = { ...others, PATH: `${join(root, "bin")}:${PATH}` };
      await promisify(execFile)("bash", ["-ec", install], { cwd: root, env });
      const answer = await until(async () => {
        const { stdout } = await promisify(execFile)("bash", ["-ec", curl], { cwd: root, env });
        return stdout.includes("client ") ? stdout : undefined;
      });
      expect(answer).toContain("client 127.0.0.1 by http");
    } finally {
      await nginx?.stop();
    }
  });

  it.skipIf(!isNginxInstalled || !isOpensslInstalled)(
    "have lines with which nginx answers HTTP/2, redirects from port 80, and sends the scheme and the client's address of CloudFront's header",
    async () => {
      const plainPort = await findPorts(1);
      const { key, cert } = writeCertificate(root);
      const cloudFront = blockOf(readDocument("docs/cloudfront.md"), "Set up", "nginx");
      const nginx = await runNginx((home, port) => {
        const lines = (blockOf(machine, "HTTPS", "nginx") + cloudFront)
          .replace(/\/\S+\/fullchain\.pem/, cert)
          .replace(/\/\S+\/privkey\.pem/, key)
          .replace("listen 443 ", "listen 80 ");
        const text = configuration.replace(/^ *listen 80 .*\n/m, lines);
        const redirect = blockOf(machine, "HTTPS", "nginx", 1).replace(
          "listen 80 ",
          `listen 127.0.0.1:${plainPort} `,
        );
        return setPlaces(text, home, port, join(root, "data"), [upstreamPort]) + redirect;
      });
      try {
        const body = await askOverTls(nginx.port, {
          "X-Forwarded-For": "6.6.6.6, 203.0.113.9",
          "X-Forwarded-Proto": "http",
        });
        expect(body).toBe("client 203.0.113.9 by https");
        const session = connect(`https://127.0.0.1:${nginx.port}`, { rejectUnauthorized: false });
        await once(session, "connect");
        expect(session.alpnProtocol).toBe("h2");
        session.close();
        const { status, headers } = await askRaw(plainPort, "/v1/history?limit=1", {
          Host: "grants.example.org",
        });
        expect([status, headers.location]).toEqual([308, "https://grants.example.org/v1/history?limit=1"]);
      } finally {
        await nginx.stop();
      }
    },
  );
});

function askOverTls(port: number, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path: "/v1/status", headers, rejectUnauthorized: false };
    request(options, async (response) => {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk;
      resolve(text);
    })
      .on("error", reject)
      .end();
  });
}
