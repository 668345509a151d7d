// Makes requests of the current revision of the protocol, as they are sent.

/** A request of the current revision as it is sent. */
export function modernRequest(method: string, params: Record<string, unknown> = {}) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const name = typeof params.name === "string" ? { "mcp-name": params.name } : {};
  return {
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
    headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...name },
  };
}
