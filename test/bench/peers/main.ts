// Owns the process of a peer: it answers what `process.ts` asks, one request at a time, and measures each where it runs.
import { peerKinds } from "./names.ts";
import { type Grants, type Peer, Unavailable } from "./peer.ts";
import type { Ask, Told } from "./process.ts";

const [name = "", folder = ""] = process.argv.slice(2);
const kind = peerKinds[name];
if (kind === undefined)
  throw new Error(`a peer was expected: ${Object.keys(peerKinds).join(", ")}, got "${name}"`);
let peer: Peer | undefined;

process.on("SIGINT", () => {}); // the one who asks ends first, and says so by hanging up
process.on("disconnect", () => void (peer?.close() ?? Promise.resolve()).finally(() => process.exit()));
process.on("message", (ask: Ask) => {
  answer(ask).then(
    (told) => process.send?.(told),
    (error: Error) =>
      process.send?.({ failure: error.message, isUnavailable: error instanceof Unavailable } satisfies Told),
  );
});

async function answer(ask: Ask): Promise<Told> {
  switch (ask.what) {
    case "load":
      await load(ask.grants);
      return {};
    case "open":
      peer = await kind?.open(ask.grants, folder);
      return { version: peer?.version ?? name };
    case "close":
      await peer?.close();
      peer = undefined;
      return {};
    case "answer": {
      if (peer === undefined) throw new Error("a request came before the peer was open");
      const start = performance.now();
      const found = await peer.answer(ask.request);
      return { ...found, milliseconds: performance.now() - start };
    }
  }
}

async function load(grants: Grants): Promise<void> {
  await kind?.load(grants, folder);
}
