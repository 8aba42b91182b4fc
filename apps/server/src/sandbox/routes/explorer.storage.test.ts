import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";

let world: HttpWorld;
beforeAll(async () => {
  world = await makeHttpWorld();
});
afterAll(() => world.close());

test("the explorer link of a sandbox transaction leads to a page of the sandbox", async () => {
  const network = world.deps.catalogue().network("bitcoin");
  const url = network?.explorerTransactionUrl ?? "";
  expect(url).toBe(`${world.deps.publicUrl}/sandbox/transactions/bitcoin/{hash}`);
  const { chain } = world.deps;
  const intentId = randomUUID();
  const output = { assetReference: "btc", address: "<b>address</b>", memo: null, units: 150_000n };
  const signed = await (chain ?? expect.fail("no chain")).sign({
    id: intentId,
    networkCode: "bitcoin",
    purpose: "payout",
    place: { kind: "nonce", nonce: 7n },
    outputs: [{ intentId, ...output }],
  });
  const page = (hash: string) => world.call({ url: `/sandbox/transactions/bitcoin/${hash}` });
  expect((await page(signed.transactionHash)).status).toBe(404);
  await chain?.broadcast(signed);
  const shown = await page(signed.transactionHash);
  expect([shown.status, shown.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
  expect(shown.text).toContain("0.0015 BTC");
  expect(shown.text).toContain("&lt;b&gt;address");
  expect((await page("%3Cscript%3E")).status).toBe(404);
});
