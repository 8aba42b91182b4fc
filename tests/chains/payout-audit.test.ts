import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readDepositAccount } from "../../apps/server/src/adapters/chains/evm/deposit-addresses.ts";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { makeReleaseKey } from "../../apps/server/src/signer/ceremony.ts";
import { insertAddress } from "../../apps/server/src/storage/chains/addresses.ts";
import { readBooks } from "../../apps/server/src/storage/chains/books.ts";
import { findCursor } from "../../apps/server/src/storage/chains/cursors.ts";
import { readBalance } from "../../apps/server/src/storage/ledger/balances.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { ORDERS, payInstruction, placeAndAsk } from "../../apps/server/src/testing/orders.ts";
import { openSession } from "../../apps/server/src/testing/world.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { XPUB } from "./world/chain-world.ts";
import {
  CONTRACTS,
  HOT,
  hex,
  makePayingWorld,
  newAddress,
  type PayingWorld,
} from "./world/paying-world.ts";
import { TOKEN_CODES } from "./world/token-codes.ts";

const word = (text: string): string => text.slice(2).padStart(64, "0");

interface ShownBreak {
  readonly check: string;
  readonly problem: string;
}

/** The audit beside the whole service, with payouts through the real signer. The chain's own balance judges. */
describe.skipIf(ANVIL_PATH === "")("the books of a live network", () => {
  let world: PayingWorld;
  /** The units that we paid to the deposit address of another order. They stay there. */
  let paidOver = 0n;

  beforeAll(async () => {
    world = await makePayingWorld();
    await world.start();
  });
  afterAll(() => world?.close());

  const breaks = (): Promise<readonly ShownBreak[]> => world.line.runJson("ledger", "breaks");
  const stops = async (): Promise<readonly string[]> =>
    (await world.line.runJson<{ subject: string }[]>("payouts", "stops")).map(
      ({ subject }) => subject,
    );
  const bookedOf = (assetId: number): Promise<bigint> =>
    readBalance(world.world.database, { merchantId: "all", purpose: "chain_wallet", assetId });
  const buyBitcoin = async (): Promise<OrderView> => {
    const { deps } = world.service();
    const place = { deps, openSession: (id: string) => openSession(deps, id) };
    const view = await placeAndAsk(place, ORDERS.buyByBank);
    await payInstruction({ ...deps, books: deps.database }, view);
    return view;
  };
  const isExact = async (): Promise<void> => {
    const { database } = world.world;
    // Once the newest block is final, the wallet has at it what it has now.
    const isFinal = async (height: bigint): Promise<boolean> => {
      await world.mine(1);
      return ((await findCursor(database, "ethereum"))?.finalHeight ?? 0n) > height;
    };
    const head = BigInt(await world.node.call("eth_blockNumber"));
    await expect.poll(() => isFinal(head)).toBe(true);
    const held = [(await world.holds(HOT, "eth")) + paidOver, await world.holds(HOT, "usdt")];
    await expect.poll(async () => [await bookedOf(1010), await bookedOf(1020)]).toEqual(held);
    const books = await readBooks(database, "ethereum");
    expect(books.map(({ difference }) => difference)).toEqual(books.map(() => 0n));
  };

  test("the wallet's first balance is capital, and payouts and their fees keep the books exact", async () => {
    await isExact();
    for (const asset of ["eth", "usdt"] as const) {
      const view = await world.buy(asset, newAddress());
      await expect.poll(() => world.status(view)).toBe("sending");
      await expect
        .poll(async () => {
          await world.mine(3);
          return world.status(view);
        })
        .toBe("completed");
    }
    await isExact();
    expect(await breaks()).toEqual([]);
    expect(await stops()).toEqual([]);
    // One for each asset that the wallet had.
    expect(await world.line.runJson("ledger", "float")).toHaveLength(3);
  });

  test("a refill that the operator sends is capital", async () => {
    await world.send({ to: HOT, value: 77n });
    await isExact();
    const floats = await world.line.runJson<{ amount: string }[]>("ledger", "float");
    expect(floats.map(({ amount }) => amount)).toContain("0.000000000000000077");
  });

  test("what a paid contract sends us within the payout's own transaction is capital too", async () => {
    const giver = newAddress();
    const slot = await world.node.call("web3_sha3", `0x${word(giver)}${word("0x")}`);
    await world.node.call("anvil_setStorageAt", CONTRACTS.usdc, slot, `0x${word("0x5")}`);
    // It sends its caller 5 units of the token and all coins that it was paid, or reverts.
    const transfer = [
      ...["63a9059cbb60e01b600052", "33600452", "6005602452"],
      ...["60006000604460006000", `73${CONTRACTS.usdc.slice(2)}`, "5af1"],
    ];
    const giveBack = ["6000600060006000", "34335af1", "16"];
    const end = ["15604757", "00", "5b60006000fd"];
    await world.node.call(
      "anvil_setCode",
      giver,
      `0x${[...transfer, ...giveBack, ...end].join("")}`,
    );
    await world.mine(12);
    const view = await world.buy("eth", giver);
    await world.growToStatus(view, "completed", () => world.mine(3));
    expect(await world.holds(giver, "usdc")).toBe(0n);
    expect(await world.holds(giver, "eth")).toBe(0n);
    await isExact();
    const floats = await world.line.runJson<{ amount: string }[]>("ledger", "float");
    expect(floats.map(({ amount }) => amount)).toContain("0.000005");
    expect(await stops()).toEqual([]);
  });

  test("what a token returns within its payout is not part of the units that left, and the books stay exact", async () => {
    await world.setToken("usdt", TOKEN_CODES.returning);
    const view = await world.buy("usdt", newAddress());
    const floats = async () => {
      await world.mine(3);
      const listed = await world.line.runJson<{ amount: string }[]>("ledger", "float");
      return listed.map(({ amount }) => amount);
    };
    await expect.poll(floats, { timeout: 60_000 }).toContain("0.000006");
    await expect.poll(stops).toEqual(["chain:ethereum"]);
    await world.setToken("usdt");
    await world.resume();
    const { id, units } = found((await world.read(view)).payout);
    const say = ["payouts", "resolve", id, "--outcome", "paid", "--as", "anna", "--left"];
    const coins = (left: bigint) =>
      String(left)
        .replace(/(\d{6})$/, ".$1")
        .replace(/\.?0+$/, "");
    expect((await world.line.run(...say, coins(units - 6n))).errors).toContain(
      `moved ${coins(units)} usdt-ethereum out of our wallet`,
    );
    expect(await world.line.run(...say, coins(units))).toMatchObject({ status: 0 });
    await world.growToStatus(view, "completed", () => world.mine(3));
    await isExact();
    expect(await breaks()).toEqual([]);
    expect(await stops()).toEqual([]);
  });

  test("the statement of the network has every line, and ends with the chain's own balance", async () => {
    const statement = await world.line.runJson<{
      lines: { kind: string; units: string; assetReference: string }[];
      closing: Record<string, string>;
      chain: Record<string, string>;
    }>("chains", "statement", "--network", "ethereum");
    const kinds = new Set(statement.lines.map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual(["fee", "payout", "top_up"]);
    expect(statement.closing).toEqual(statement.chain);
    expect(statement.closing["eth"]).toBe(String(await world.holds(HOT, "eth")));
  });

  const doctor = async (): Promise<string> => (await world.line.run("doctor")).out;

  test("coins that we pay to the deposit address of another order pay that order, and the books stay exact", async () => {
    const { deps } = world.service();
    const place = { deps, openSession: (id: string) => openSession(deps, id) };
    const sell = await placeAndAsk(place, { ...ORDERS.sell, amount: "0.02" });
    const { address } = found(sell.instruction);
    const buy = await world.buy("eth", found(address ?? undefined));
    for (const view of [buy, sell]) {
      await world.growToStatus(view, view === buy ? "completed" : "in_review", () => world.mine(3));
    }
    const { order, deposits } = await world.read(sell);
    expect([order.statusReason, order.receivedUnits]).toEqual(["overpaid", buy.order.receiveUnits]);
    expect(deposits).toMatchObject([{ state: "final", units: buy.order.receiveUnits }]);
    paidOver = buy.order.receiveUnits;
    await isExact();
    expect(await breaks()).toEqual([]);
    expect(await stops()).toEqual([]);
  });

  test("doctor compares scanner, wallets, contracts and signer with the rails file", async () => {
    const out = await doctor();
    expect(out).toMatch(/ok {3}chain ethereum: read up to block \d+, \d+ behind its endpoints/);
    expect(out).toMatch(
      /ok {3}wallets of ethereum: the books equal the chain at block \d+; \S+ has [0-9.]+ eth, /,
    );
    expect(out).toMatch(/ok {3}signer: shop-1 at .*its addresses are those of the rails file/);
    // The contracts of the test do not answer the question.
    expect(out).toMatch(/BAD {2}contracts of ethereum: usdt-ethereum does not say its decimals/);
  });

  test("doctor names the endpoint that is down, forked or limited", async () => {
    expect(await doctor()).toMatch(/ok {3}endpoints of ethereum: node-0 at block \d+ \(anvil/);
    const [, forked, down] = world.proxies;
    const limited = world.proxies[0];
    if (!limited || !forked || !down) throw new Error("the world has three endpoints");
    limited.behaviour = { rangeMax: 5 };
    down.behaviour = { broken: ["status 500"] };
    // The service goes on with the others. Only the block far below the head has another hash here.
    const head = Number(await world.node.call("eth_blockNumber"));
    const isFarBelow = (block: unknown): boolean => Number(block) <= Math.max(0, head - 90);
    forked.behaviour = {
      rewrite: ({ method, params }, result) =>
        method === "eth_getBlockByNumber" && isFarBelow(params[0])
          ? { ...(result as object), hash: `0x${"9".repeat(64)}` }
          : result,
    };
    const { findings } = JSON.parse((await world.line.run("doctor", "--json")).out) as {
      findings: { check: string; ok: boolean; found: string; fix?: string }[];
    };
    for (const proxy of world.proxies) proxy.behaviour = {};
    const endpoints = findings.find(({ check }) => check === "endpoints of ethereum");
    expect(endpoints).toMatchObject({ ok: false });
    expect(endpoints?.found).toContain("node-0 refuses eth_getLogs over 500 blocks");
    expect(endpoints?.found).toContain("node-2 does not answer: node-2: status 500");
    expect(endpoints?.found).toMatch(/node-1 has another block \d+ than node-0/);
    expect(endpoints?.fix).toContain("Lower scan.spanMax of the network");
  });

  test("doctor finds a deposit address that somebody changed, and a release key that the signer does not take", async () => {
    const { database } = world.world;
    const { fingerprint } = readDepositAccount(XPUB);
    const place = { networkCode: "ethereum", accountFingerprint: fingerprint, keyIndex: 4_000 };
    const address = newAddress();
    await insertAddress(database, { ...place, reference: "changed", address });
    const file = world.line.variables["EXCHANGE_RAILS_FILE"] ?? "";
    const rails = JSON.parse(readFileSync(file, "utf8"));
    const foreignKey = `${file}.key`;
    makeReleaseKey(foreignKey);
    const changed = { ...rails, signer: { ...rails.signer, releaseKeyFile: foreignKey } };
    writeFileSync(file, JSON.stringify(changed));
    const out = await doctor();
    writeFileSync(file, JSON.stringify(rails));
    expect(out).toContain(
      `BAD  deposits of ethereum: not addresses of the account in deposits: ${address}`,
    );
    expect(out).toMatch(/BAD {2}release key: the public half of .* which the signer's policy does/);
    await database.query(statement("", "delete from chain_addresses where key_index = 4000"));
    expect(await doctor()).toMatch(/ok {3}release key: .*, mode 600, in the signer's policy/);
  });

  test("a thief's transaction from the hot wallet stops the network, and the audit names it", async () => {
    const to = newAddress();
    const hash = await world.node.call("eth_sendTransaction", { from: HOT, to, value: hex(5n) });
    await expect.poll(stops).toEqual(["chain:ethereum"]);
    const problems = (await breaks()).map(({ problem }) => problem);
    expect(problems.join("\n")).toContain(
      `transaction ${hash}, which we did not sign, took 5 units of eth from wallet`,
    );
    // Nothing is signed any more, and other networks go on.
    const late = await world.buy("eth", newAddress());
    const other = await buyBitcoin();
    await expect.poll(() => world.status(other)).toBe("completed");
    await expect.poll(() => world.status(late)).toBe("sending");
    expect(await world.holds(to, "eth")).toBe(5n);
    // People who have found out book what is gone, to the unit.
    await world.mine();
    const book = (amount: string) =>
      world.line.run(
        ...["ledger", "float", "--currency", "eth", "--amount", amount],
        ...["--transaction", hash, "--out", "--as", "anna"],
      );
    await expect
      .poll(async () => (await book("0.000000000000000005")).errors)
      .toMatch(/moved 0\.\d+ from our addresses, fees included/);
    const [, lost = ""] = /moved (0\.\d+) from our addresses/.exec((await book("1")).errors) ?? [];
    expect(await book(lost)).toMatchObject({ status: 0 });
    expect((await book(lost)).errors).toContain("The books already contain transaction");
    await isExact();
  });

  test("doctor refuses a contract whose decimals are not those of the catalogue, or whose code changed", async () => {
    // A contract that answers every question with this number.
    const answering = (number: number): string =>
      `0x60${hex(number).slice(2).padStart(2, "0")}60005260206000f3`;
    await world.setToken("usdt", answering(6));
    await world.setToken("usdc", answering(18));
    expect(await doctor()).toMatch(
      /BAD {2}contracts of ethereum: usdc-ethereum has 18 decimals, and the catalogue says 6.*\n +Stop the network's payouts/,
    );
    await world.setToken("usdc", answering(6));
    const out = await doctor();
    // The other tokens of the catalogue are not on this chain.
    expect(out).toMatch(
      /BAD {2}contracts of ethereum: dai has no code at its address.*\n +Write the contracts of this very network/,
    );
    expect(out).not.toMatch(/contracts of ethereum: .*usd[ct]-ethereum/);
    // One whose code was written down is gone from its address.
    await world.stop();
    await world.start({ codeHashes: { dai: `0x${"1".repeat(64)}` } });
    expect(await doctor()).toMatch(
      /BAD {2}contracts of ethereum: dai has no code at its address, and the rails file says 0x1.*\n +Stop the/,
    );
    await world.stop();
    await world.start({ codeHashes: { "usdt-ethereum": `0x${"1".repeat(64)}` } });
    expect(await doctor()).toMatch(
      /the code of usdt-ethereum has the hash 0x[0-9a-f]{64}, and the rails/,
    );
  });
});
