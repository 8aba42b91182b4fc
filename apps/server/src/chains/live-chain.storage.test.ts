import { afterEach, beforeEach, expect, test } from "vitest";
import { readXrpDepositAccount } from "../adapters/chains/xrp/addresses.ts";
import type { ChainGateway } from "../domain/ports/chain-gateway.ts";
import type { DepositAccount } from "../domain/ports/chain-reader.ts";
import { makeWorld, type World } from "../testing/world.ts";
import { withLiveNetworks } from "./live-chain.ts";

const ACCOUNT = readXrpDepositAccount("rnrbiYDUYTJS4JVdSV5FtyCj4HFuRjfLKM");
let world: World;
beforeEach(async () => {
  world = await makeWorld();
});
afterEach(() => world.close());

const open = (account: DepositAccount): ChainGateway =>
  withLiveNetworks({
    database: world.database,
    accounts: new Map([["xrpl", account]]),
    assetReference: String,
    paying: new Set(),
    nextPlace: async () => 0n,
    sends: new Map(),
    tanks: new Map(),
    listUnmined: async () => [],
    listUnread: async () => [],
    base: undefined,
  });
const tagOf = async (gateway: ChainGateway, reference: string): Promise<string> => {
  const { memo } = await gateway.depositAddress({ networkCode: "xrpl", reference });
  return memo ?? "none";
};

test("nobody can tell the tags of the next orders from the tags of the last ones", async () => {
  const gateway = open(ACCOUNT);
  const tags: string[] = [];
  for (let order = 0; order < 8; order += 1) tags.push(await tagOf(gateway, String(order)));
  const steps = tags.slice(1).map((tag, at) => (Number(tag) - Number(tags[at])) >>> 0);
  expect(new Set(steps).size).toBe(steps.length);
  expect(tags).not.toContain("0");
  expect(await tagOf(gateway, "3")).toBe(tags[3]);
});

test("an order does not get a tag that another order has", async () => {
  const indexes = [7, 7, 7, 8];
  const gateway = open({ ...ACCOUNT, newIndex: () => indexes.shift() ?? 9 });
  expect(await tagOf(gateway, "first")).toBe("8");
  expect(await tagOf(gateway, "second")).toBe("9");
  expect(await tagOf(gateway, "first")).toBe("8");
});
