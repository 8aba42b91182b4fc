import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LOST } from "./world/xrp-node.ts";
import { makeXrpWorld, type XrpWorld } from "./world/xrp-world.ts";

/** Server 0 is the operator's own. The other two are strangers', and are enough to agree. */
describe("deposits on the XRP Ledger, with a node of the operator", () => {
  let world: XrpWorld;

  beforeEach(async () => {
    world = await makeXrpWorld({ own: 1 });
  });
  afterEach(() => world.close());

  const strangers = () => world.servers.slice(1);

  test("two servers that give a deposit another order's tag credit nobody, and its order has it later", async () => {
    const [from, to] = [world.tag(1), world.tag(2)].map((tag) => `"DestinationTag":${tag}`);
    for (const server of strangers()) {
      server.rewrite = ({ method }, answer) =>
        method === "account_tx"
          ? JSON.parse(JSON.stringify(answer).replaceAll(from ?? "", to ?? ""))
          : answer;
    }
    world.pay(1, 25_000_000n);
    expect(await world.step()).toBe("failed");
    expect(await world.credited()).toEqual({});
    expect([...(await world.movements(1)), ...(await world.movements(2))]).toEqual([]);
    for (const server of strangers()) server.rewrite = (_, answer) => answer;
    await world.scan();
    expect(await world.credited()).toEqual({ 1: 25_000_000n });
  });

  test("two servers that name another ledger do not stop the network", async () => {
    for (const server of strangers()) {
      server.rewrite = ({ method }, answer) =>
        method === "ledger" ? { ...answer, ledger_hash: "AB".repeat(32) } : answer;
    }
    world.chain.close();
    expect(await world.step()).toBe("failed");
    expect(await world.problem()).toContain("must agree");
    for (const server of strangers()) server.rewrite = (_, answer) => answer;
    world.pay(1, 5n);
    await world.scan();
    expect(await world.credited()).toEqual({ 1: 5n });
  });

  test("a node that stays one ledger behind delays deposits by a ledger, and fails no step", async () => {
    const [own] = world.servers;
    if (own) own.behind = 1;
    for (const units of [5n, 6n]) {
      world.pay(1, units);
      await world.scan();
    }
    expect(await world.credited()).toEqual({ 1: 5n });
    world.chain.close();
    await world.scan();
    expect(await world.credited()).toEqual({ 1: 11n });
  });

  test("while the node does not answer nothing is credited, and nothing is lost", async () => {
    const [own] = world.servers;
    if (own) own.rewrite = () => LOST;
    world.pay(1, 5n);
    expect(await world.step()).toBe("failed");
    expect(await world.credited()).toEqual({});
    if (own) own.rewrite = (_, answer) => answer;
    await world.scan();
    expect(await world.credited()).toEqual({ 1: 5n });
  });
});
