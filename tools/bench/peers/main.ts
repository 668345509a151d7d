// Runs in the process of a peer: answers the requests of `process.ts` one at a time and measures each of them.
import { peerKinds } from "./names.ts";
import { type Grants, type Peer, Unavailable } from "./peer.ts";
import type { Ask, PeerMessage } from "./process.ts";

const [name = "", folder = ""] = process.argv.slice(2);
const kind = peerKinds[name];
if (kind === undefined)
  throw new Error(`the peer must be one of ${Object.keys(peerKinds).join(", ")}, got "${name}"`);
let peer: Peer | undefined;

process.on("SIGINT", () => {}); // the parent ends first and disconnects
process.on("disconnect", () => void (peer?.close() ?? Promise.resolve()).finally(() => process.exit()));
process.on("message", (ask: Ask) => {
  answer(ask).then(
    (message) => process.send?.(message),
    (error: Error) =>
      process.send?.({
        failure: error.message,
        isUnavailable: error instanceof Unavailable,
      } satisfies PeerMessage),
  );
});

async function answer(ask: Ask): Promise<PeerMessage> {
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
      if (peer === undefined) throw new Error("received a request before the peer was open");
      const start = performance.now();
      const found = await peer.answer(ask.request);
      return { ...found, milliseconds: performance.now() - start };
    }
  }
}

async function load(grants: Grants): Promise<void> {
  await kind?.load(grants, folder);
}
