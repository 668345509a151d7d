// Connects the SDK's client to the service over a socket, in either era of the protocol.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { TestApp } from "../release.fixture.ts";
import { listen } from "../socket.fixture.ts";

/** The revisions of the protocol: the current one, and those before it. */
export const eras = ["2026-07-28", "legacy"] as const;

export type Era = (typeof eras)[number];

/** A result as the client has it, after it has compared it with the tool's schema. */
export type ToolResult = {
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
};

/** Serves on a free port of this machine. */
export async function serveAgents(app: Pick<TestApp, "handle">) {
  const { server, port } = await listen((request) => app.handle(request));
  const url = `http://127.0.0.1:${port}/mcp`;
  const connect = async (era: Era) => {
    const client = new Client(
      { name: "test", version: "1" },
      { versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: era } } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    await client.listTools(); // the client then checks every result
    const call = async (name: string, args: Record<string, unknown> = {}) =>
      (await client.callTool({ name, arguments: args })) as ToolResult;
    return { client, call, close: () => client.close() };
  };
  /** Sends a body as it is. */
  const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: "POST",
      body: body as string,
      headers: { "content-type": "application/json", ...headers },
    });
  const close = () => new Promise((resolve) => server.close(resolve));
  return { url, port, connect, post, close };
}

/** The values of a result. @throws Error if it is an error */
export function valuesOf<Values = Record<string, unknown>>({
  isError,
  structuredContent,
  content,
}: ToolResult) {
  if (isError === true || structuredContent === undefined)
    throw new Error(content.map(({ text }) => text).join("\n"));
  return structuredContent as Values;
}

export function textOf({ content }: ToolResult): string {
  return content.map(({ text }) => text).join("\n");
}
