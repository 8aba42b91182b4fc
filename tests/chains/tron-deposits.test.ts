import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { toEvmForm } from "../../apps/server/src/adapters/chains/tron/addresses.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import type { TronNode } from "./world/tron-node.ts";
import { rawDataOf, transferFields } from "./world/tron-transactions.ts";
import { makeTronWorld, type TronWorld } from "./world/tron-world.ts";

const LEFT = statement(
  "test_tron_left",
  "select source from chain_wallet_movements where network_code = 'tron' order by source",
);

/** The rows D1 to D8 and N1 to N3 of the scenarios of chains, on servers that speak as java-tron does. */
describe.skipIf(ANVIL_PATH === "")("deposits on Tron", () => {
  let world: TronWorld;

  beforeEach(async () => {
    world = await makeTronWorld();
  });
  afterEach(() => world.close());

  const isRight = async (expected: Readonly<Record<string, bigint>>): Promise<void> => {
    expect(await world.credited()).toEqual(expected);
    expect(await world.holds()).toEqual(expected);
  };
  const statesOf = async (index: number): Promise<readonly string[]> =>
    (await world.movements(index)).map(({ source, state }) => `${source} ${state}`);

  /** Something happens once, when the first server is asked for a balance. The others wait for it. */
  const beforeBalances = (happen: () => Promise<unknown>): (() => boolean) => {
    let happened: Promise<unknown> | undefined;
    for (const server of world.servers) {
      server.before = async ({ method }) => {
        if (!method.startsWith("/walletsolidity/")) return;
        happened ??= happen();
        await happened;
      };
    }
    return () => happened !== undefined;
  };

  test("TRX and a TRC-20 token are seen, final with the solidified block, and credited once", async () => {
    const id = await world.pay(0, "trx", 5n);
    await world.pay(1, "usdt", 7n);
    await world.scan();
    expect([await statesOf(0), await statesOf(1)]).toEqual([["value seen"], ["event seen"]]);
    const [movement] = await world.movements(0);
    expect(movement?.address).toMatch(/^T[1-9A-HJ-NP-Za-km-z]{33}$/);
    expect(movement?.transactionHash).toBe(id);
    await isRight({});
    // The block eight below the head is final, and the first deposit is in the one before the head.
    await world.mine(6);
    await world.scan();
    await isRight({});
    await world.mine(1);
    await world.scan();
    await isRight({ "0:trx": 5n });
    await world.mine(1);
    await world.scan();
    await isRight({ "0:trx": 5n, "1:usdt": 7n });
    await world.settle();
    await isRight({ "0:trx": 5n, "1:usdt": 7n });
  });

  test("a dropped deposit is taken back, and one that is mined again is the same one", async () => {
    const dropped = await world.pay(0, "trx", 5n);
    await world.scan();
    await world.reorganise(1);
    await world.mine(1);
    await world.scan();
    expect(await statesOf(0)).toEqual(["value orphaned"]);
    const again = await world.pay(1, "usdt", 7n);
    await world.scan();
    const [seen] = await world.movements(1);
    await world.reorganise(1, [again]);
    await world.scan();
    const [moved, ...others] = await world.movements(1);
    expect(others).toEqual([]);
    expect(moved).toMatchObject({ id: seen?.id, state: "seen" });
    expect(moved?.blockHash).not.toBe(seen?.blockHash);
    await world.settle();
    await isRight({ "1:usdt": 7n });
    expect(dropped).not.toBe(again);
  });

  test("TRX that a contract pays is credited by the balance, at the final block", async () => {
    await world.payByContract(2, 9n);
    await world.pay(2, "trx", 4n);
    await world.scan();
    expect(await statesOf(2)).toEqual(["value seen"]);
    await world.settle();
    await isRight({ "2:trx": 13n });
    expect((await statesOf(2)).toSorted()).toEqual(["balance final", "value final"]);
    // At an address where nothing was seen, it is found when the address has its turn.
    await world.payByContract(5, 3n);
    for (let turn = 0; turn < 3; turn += 1) await world.settle();
    await isRight({ "2:trx": 13n, "5:trx": 3n });
  });

  test("a worthless TRC-10 token, which Ethereum's words show as TRX, is not a deposit", async () => {
    await world.payTrc10(0, 1_000_000_000n);
    await world.settle();
    expect(await world.movements(0)).toEqual([]);
    await isRight({});
  });

  test("a transaction whose bytes show us more than a node executes is credited by the balance only", async () => {
    const id = await world.pay(0, "trx", 5n);
    const [us, stranger] = [toEvmForm(world.address(0)), `0x${"11".repeat(20)}`];
    // To a node, the tag is that of the amount too, and the last amount counts.
    const fields = [...transferFields(stranger, us, 1_000n), Buffer.from("988080801005", "hex")];
    const type = { type: 1n, name: "TransferContract", fields };
    const rawData = rawDataOf(type, Buffer.alloc(32));
    const txID = createHash("sha256").update(rawData).digest("hex");
    for (const server of world.servers) {
      server.rewrite = ({ method }, answer) =>
        method === "/wallet/getblockbylimitnext"
          ? JSON.parse(JSON.stringify(answer), (_, one) =>
              one?.txID === id ? { ...one, txID, raw_data_hex: rawData.toString("hex") } : one,
            )
          : answer;
    }
    for (let turn = 0; turn < 3; turn += 1) await world.settle();
    await isRight({ "0:trx": 5n });
    expect(await statesOf(0)).toEqual(["balance final"]);
    expect(await world.problem()).toBeNull();
  });

  test("a token that refuses to say balances waits, and TRX is credited", async () => {
    for (const server of world.servers) {
      server.rewrite = ({ method }, answer) =>
        method === "/walletsolidity/triggerconstantcontract"
          ? { result: { result: true, message: "REVERT opcode executed" }, constant_result: [""] }
          : answer;
    }
    await world.pay(0, "trx", 5n);
    await world.pay(1, "usdt", 7n);
    await world.settle();
    expect(await world.credited()).toEqual({ "0:trx": 5n });
    expect(await world.problem()).toBeNull();
    for (const server of world.servers) server.rewrite = (_, answer) => answer;
    await world.settle();
    await isRight({ "0:trx": 5n, "1:usdt": 7n });
  });

  test("a worker that was away for hundreds of blocks catches up", async () => {
    for (let round = 0; round < 3; round += 1) {
      await world.mine(90);
      await world.pay(round, "trx", BigInt(round + 1));
      await world.mine(9);
    }
    // A node says one balance at a time, so two addresses are compared at each final block.
    await world.settle();
    expect(Object.keys(await world.credited())).toHaveLength(2);
    await world.settle();
    await isRight({ "0:trx": 1n, "1:trx": 2n, "2:trx": 3n });
  });

  test("a balance of a later solidified block credits no deposit twice, and misses none", async () => {
    await world.pay(0, "trx", 5n);
    await world.pay(0, "trx", 7n);
    await world.payByContract(0, 11n);
    await world.mine(6);
    // The head is eight above the first payment, and moves on before the balances are read.
    const moved = beforeBalances(() => world.mine(2));
    await world.scan();
    expect(moved()).toBe(true);
    // The balance has 16 more, of which 7 are a payment of a later block.
    expect(await world.credited()).toEqual({ "0:trx": 5n + 11n });
    await world.settle();
    await isRight({ "0:trx": 23n });
  });

  test("a balance of a block that was not read yet is not believed", async () => {
    await world.pay(0, "trx", 5n);
    await world.mine(7);
    beforeBalances(async () => {
      await world.pay(0, "trx", 7n);
      await world.mine(12);
    });
    expect(await world.step()).toBe("failed");
    await isRight({});
    await world.settle();
    await isRight({ "0:trx": 12n });
  });

  test("coins that their owner collects with a wallet are explained, fees too", async () => {
    await world.pay(3, "trx", 10n ** 15n);
    await world.pay(3, "usdt", 50n);
    await world.settle();
    await world.sendFrom(3, "usdt", 30n);
    await world.sendFrom(3, "trx", 10n ** 14n);
    await world.settle();
    expect(await world.credited()).toEqual({ "3:trx": 10n ** 15n, "3:usdt": 50n });
    await world.pay(3, "trx", 6n);
    await world.settle();
    expect(await world.credited()).toEqual({ "3:trx": 10n ** 15n + 6n, "3:usdt": 50n });
    const left = await world.database.query<{ source: string }>(LEFT);
    expect(left.map(({ source }) => source)).toEqual(["event", "fee", "fee", "value"]);
    expect(await world.problem()).toBeNull();
  });

  test("one server that invents or hides a deposit is not believed, and is named", async () => {
    await world.pay(0, "usdt", 7n);
    await world.pay(1, "trx", 8n);
    const [liar] = world.servers;
    if (liar) {
      liar.rewrite = ({ method }, answer) => {
        if (method === "eth_getLogs") return [];
        if (method === "/walletsolidity/getaccount") return { balance: 999 };
        return answer;
      };
    }
    await world.settle();
    await isRight({ "0:usdt": 7n, "1:trx": 8n });
    expect(new Set(world.suspects)).toEqual(new Set(["server 0"]));
  });

  test("wrong bytes, a wrong id or no blocks are the server's fault, and the others are believed", async () => {
    const [liar, other] = world.servers;
    let expected = 0n;
    for (const [member, value] of [
      ["raw_data_hex", "00"],
      ["blockID", "f".repeat(64)],
      ["block", []],
    ] as const) {
      const wrong = new RegExp(`"${member}":("[^"]*"|\\[.*\\])`, "g");
      const lie: TronNode["rewrite"] = ({ method }, answer) =>
        method === "/wallet/getblockbylimitnext"
          ? JSON.parse(
              JSON.stringify(answer).replaceAll(wrong, `"${member}":${JSON.stringify(value)}`),
            )
          : answer;
      if (liar) liar.rewrite = lie;
      await world.pay(0, "trx", 5n);
      await world.settle();
      expected += 5n;
      await isRight({ "0:trx": expected });
      // With two of them nothing is believed, and nothing is lost.
      if (other) other.rewrite = lie;
      await world.pay(0, "trx", 6n);
      await world.mine(12);
      expect(await world.step()).toBe("failed");
      await isRight({ "0:trx": expected });
      for (const server of world.servers) server.rewrite = (_, answer) => answer;
      await world.settle();
      expected += 6n;
      await isRight({ "0:trx": expected });
    }
  });
});
