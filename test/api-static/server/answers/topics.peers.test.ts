// Tests that the peers of funders and recipients equal those of an oracle, on the sample and on real filings.
import { describe, expect, it } from "vitest";
import type { GrantRecord } from "../../../../api-static/contract/answers/record.ts";
import { answerPeers } from "../../../../api-static/server/answers/topics.ts";
import { proofs } from "../../../proofs.ts";
import { isRealTested, realWarehouse } from "../../../realWarehouse.ts";
import { findPeers, type Link, type Peer } from "../../peersOracle.ts";
import { type Served, useRelease } from "../release.fixture.ts";
import { expectNoSearchForFunder } from "./computed.fixture.ts";

type Peers = ReturnType<typeof findPeers>;

/** The peers of all funders, and of all recipients, from the record lines. */
function readPeers(lines: readonly string[]): Record<"funder" | "recipient", Peers> {
  const records = lines.map((line) => JSON.parse(line) as GrantRecord);
  const links = records.flatMap(({ funder_ein, recipient_ein }): Link[] =>
    recipient_ein === null ? [] : [[funder_ein, recipient_ein]],
  );
  return { funder: findPeers(links), recipient: findPeers(links.map(([one, other]) => [other, one])) };
}

/** The peers of those with the most counterparts, and of others, evenly spread, that may have none. */
function choose({ eins, peersOf }: Peers): [string, Peer[]][] {
  const step = Math.ceil(eins.length / proofs.anyPeers);
  const chosen = eins.filter((_, index) => index < 5 || index % step === 0);
  return chosen.map((ein) => [ein, peersOf(ein)]);
}

/** Compares answers with the oracle; returns how many peers they had. */
async function checkPeers({ askText, lines }: Served): Promise<{ funders: number; recipients: number }> {
  const counts = { funders: 0, recipients: 0 };
  const { funder, recipient } = readPeers(lines);
  for (const [ein, expected] of choose(funder)) {
    const peers = expected.map(({ peer, shared, counterparts, score }) => ({
      ...{ funder_ein: peer, shared_recipients: shared, recipients: counterparts, score },
    }));
    const body = `${JSON.stringify({ success: true, data: { funder_ein: ein, peers } })}\n`;
    expect(await askText(`/v1/funders/${ein}/peers`)).toBe(body);
    counts.funders += peers.length;
  }
  for (const [ein, expected] of choose(recipient)) {
    const peers = expected.map(async ({ peer, shared, counterparts, score }) => ({
      recipient_ein: peer,
      recipient_name: JSON.parse(await askText(`/v1/recipients/${peer}/summary`)).data.recipient_name,
      ...{ shared_funders: shared, funders: counterparts, score },
    }));
    const data = { recipient_ein: ein, peers: await Promise.all(peers) };
    expect(await askText(`/v1/recipients/${ein}/peers`)).toBe(`${JSON.stringify({ success: true, data })}\n`);
    counts.recipients += peers.length;
  }
  return counts;
}

const served = useRelease({ sampleRows: 4_000 });

describe("peers", () => {
  it("equal those of an oracle, for funders and recipients of the sample", async () => {
    const { funders, recipients } = await checkPeers(served());
    expect(funders).toBeGreaterThan(10);
    expect(recipients).toBeGreaterThan(10);
  });

  it("of a funder or recipient without any are an empty list", async () => {
    const peers = readPeers(served().lines);
    const findEmpty = ({ eins, peersOf }: Peers) => eins.findLast((ein) => peersOf(ein).length === 0);
    const [funder, recipient] = [findEmpty(peers.funder), findEmpty(peers.recipient)];
    expect(await served().askText(`/v1/funders/${funder}/peers`)).toBe(
      `{"success":true,"data":{"funder_ein":"${funder}","peers":[]}}\n`,
    );
    expect(await served().askText(`/v1/recipients/${recipient}/peers`)).toBe(
      `{"success":true,"data":{"recipient_ein":"${recipient}","peers":[]}}\n`,
    );
  });

  it("of an unknown funder take no place in the queue, and do not count as the client's search", async () => {
    const { release } = served();
    await expectNoSearchForFunder(release, (unknown, admit) =>
      answerPeers(release, { kind: "peers", ...unknown }, admit),
    );
  });
});

describe.skipIf(!isRealTested("peers"))("peers in real filings", () => {
  const served = useRelease({ warehouse: realWarehouse });

  it("equal those of an oracle", async () => {
    const { funders, recipients } = await checkPeers(served());
    expect(funders).toBeGreaterThan(10);
    expect(recipients).toBeGreaterThan(0);
  });

  it("are organizations of the same kind", async () => {
    const { data } = JSON.parse(await served().askText("/v1/recipients/135613797/peers"));
    const names = data.peers.map((peer: { recipient_name: string }) => peer.recipient_name);
    expect(names).toEqual(["March of Dimes", "AMERICAN CANCER SOCIETY"]); // of the American Heart Association
  });
});
