import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { gasOf } from "../../apps/server/src/adapters/chains/evm/transaction.ts";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { refundOrder } from "../../apps/server/src/flows/orders/refund.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { MERCHANT_ID } from "../../apps/server/src/testing/world.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import {
  CONTRACTS,
  HOT,
  hex,
  makePayingWorld,
  newAddress,
  type PayingWorld,
} from "./world/paying-world.ts";
import { TOKEN_CODES } from "./world/token-codes.ts";

const GWEI = 10n ** 9n;
const SIGNED = statement(
  "test_signed_of_intent",
  `select t.hash, t.bytes from chain_transactions t join chain_send_outputs o using (send_id)
   where o.intent_id = $1 order by t.number`,
);

/** The chain's own balances judge: a payout arrived once, or not at all. */
describe.skipIf(ANVIL_PATH === "")("payouts on a live network", () => {
  let world: PayingWorld;

  beforeAll(async () => {
    world = await makePayingWorld();
    await world.start();
  });
  afterAll(async () => {
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    await world?.close();
  });
  beforeEach(async () => {
    await world.setToken("usdc");
    await world.node.call("evm_setAutomine", true);
  });

  const status = (view: OrderView) => world.status(view);
  const completed = async (view: OrderView): Promise<void> => {
    await expect
      .poll(async () => {
        await world.mine(3);
        return status(view);
      })
      .toBe("completed");
  };
  const unitsOf = async (view: OrderView) => (await world.read(view)).payout?.units;

  test.each(["eth", "usdt"] as const)("a payout of %s arrives once", async (asset) => {
    const to = newAddress();
    const view = await world.buy(asset, to);
    await completed(view);
    expect(await world.holds(to, asset)).toBe(await unitsOf(view));
  });

  test.each(["reverting", "false", "none"] as const)(
    "a payout of a token that is %s goes to review without a nonce, and its refund works",
    async (kind) => {
      const before = [await world.nonce(), world.signatures()];
      await world.setToken("usdc", TOKEN_CODES[kind]);
      const view = await world.buy("usdc", newAddress());
      const rejected = ["in_review", "delivery_rejected", "void", "rejected"];
      await expect.poll(() => world.outcome(view)).toEqual(rejected);
      expect([await world.nonce(), world.signatures()]).toEqual(before);
      const { deps } = world.service();
      await refundOrder(deps, { merchantId: MERCHANT_ID, orderId: view.order.id, by: "operator" });
      await expect.poll(() => status(view)).toBe("refunded");
    },
  );

  test.each(["reverting", "false", "none"] as const)(
    "a token that is %s once its transfer was sent moves nothing, and the payout is void",
    async (kind) => {
      await world.node.call("evm_setAutomine", false);
      const to = newAddress();
      const view = await world.buy("usdc", to);
      await expect.poll(async () => (await world.outcome(view))[2]).toBe("broadcast");
      await world.setToken("usdc", TOKEN_CODES[kind]);
      await world.mine(12);
      const failed = ["in_review", "delivery_rejected", "void", "failed"];
      await expect.poll(() => world.outcome(view)).toEqual(failed);
      if (kind === "none") {
        // An address without code has no coins for us either, which the audit of wallets finds.
        await expect.poll(() => world.stops()).toEqual(["rail chain:ethereum"]);
        await world.resume();
      } else {
        expect(await world.stops()).toEqual([]);
      }
      await world.setToken("usdc");
      expect(await world.holds(to, "usdc")).toBe(0n);
      await world.mine(12);
    },
  );

  test("a token that does not report its balances waits, and the other assets of the network go on", async () => {
    const problems = async () => {
      const breaks = await world.line.runJson<{ problem: string }[]>("ledger", "breaks");
      return breaks.map(({ problem }) => problem).filter((text) => text.includes("usdt-ethereum"));
    };
    const says = expect.stringContaining("the contract of usdt-ethereum says no balance since");
    for (const kind of ["garbage", "mute", "silent"] as const) {
      await world.setToken("usdt", TOKEN_CODES[kind]);
      await world.mine(12);
      await expect.poll(problems).toEqual([says]);
      if (kind === "silent") continue;
      await world.setToken("usdt");
      await world.mine(12);
      await expect.poll(problems).toEqual([]);
    }
    const to = newAddress();
    const view = await world.buy("eth", to);
    await completed(view);
    expect(await world.holds(to, "eth")).toBe(await unitsOf(view));
    const { out } = await world.line.run("doctor");
    expect(out).toContain("usdt-ethereum does not report its balances");
    const { deps } = world.service();
    const { id } = found(deps.catalogue().currencyByCodeOrReference("usdt-ethereum"));
    await expect.poll(() => deps.controls().stock.get(id)).toBeLessThanOrEqual(0n);
    expect(await world.stops()).toEqual([]);
    await world.setToken("usdt");
    await world.mine(12);
    const later = newAddress();
    const bought = await world.buy("usdt", later);
    await completed(bought);
    expect(await world.holds(later, "usdt")).toBe(await unitsOf(bought));
    expect(await problems()).toEqual([]);
  });

  test("a token that takes a fee is not settled, and the network is stopped", async () => {
    const setFee = (basisPoints: bigint) =>
      world.send({
        to: CONTRACTS.usdc,
        data: `0x69fe0e2d${basisPoints.toString(16).padStart(64, "0")}`,
      });
    await setFee(100n);
    const to = newAddress();
    const view = await world.buy("usdc", to);
    await expect.poll(() => world.holds(to, "usdc")).toBeGreaterThan(0n);
    await world.mine(12);
    await expect.poll(() => world.stops()).toEqual(["rail chain:ethereum"]);
    expect(await status(view)).toBe("sending");
    const units = (await unitsOf(view)) ?? 0n;
    expect(await world.holds(to, "usdc")).toBe(units - units / 100n);
    await setFee(0n);
    await world.resume();
    // The wallet lost all that is owed, as the chain says, and a person decides that it counts as paid.
    const resolve = ["payouts", "resolve", found((await world.read(view)).payout).id];
    const say = [...resolve, "--outcome", "paid", "--as", "anna", "--left"];
    const coins = `${units / 1_000_000n}.${String(units % 1_000_000n).padStart(6, "0")}`;
    await expect
      .poll(async () => (await world.line.run(...say, "0.5")).errors)
      .toContain(`moved ${coins.replace(/0+$/, "")} usdc-ethereum out of our wallet`);
    expect(await world.line.run(...say, coins)).toMatchObject({ status: 0 });
    await completed(view);
  });

  test("a transaction below the market is raised, and paid once", async () => {
    await world.node.call("evm_setAutomine", false);
    const to = newAddress();
    const view = await world.buy("eth", to);
    await expect.poll(async () => (await world.outcome(view))[2]).toBe("broadcast");
    const before = world.signatures();
    const price = 40n * 10n ** 9n;
    await expect
      .poll(async () => {
        await world.node.call("anvil_setNextBlockBaseFeePerGas", hex(price));
        await world.mine(1);
        return world.holds(to, "eth");
      })
      .toBeGreaterThan(0n);
    expect(world.signatures()).toBeGreaterThan(before);
    await completed(view);
    expect(await world.holds(to, "eth")).toBe(await unitsOf(view));
  });

  test("the older version may be mined all the same, and it alone pays", async () => {
    await world.node.call("evm_setAutomine", false);
    const to = newAddress();
    const view = await world.buy("eth", to);
    await expect.poll(async () => (await world.outcome(view))[2]).toBe("broadcast");
    const { payout } = await world.read(view);
    const signed = () =>
      world.world.database.query<{ hash: string; bytes: Buffer }>(SIGNED, [payout?.id]);
    // The endpoints show a cheaper market than there is, so no version is mined.
    const market = { baseFeePerGas: [hex(40n * GWEI)], reward: [] };
    for (const proxy of world.proxies) {
      proxy.behaviour = {
        rewrite: ({ method }, result) => (method === "eth_feeHistory" ? market : result),
      };
    }
    await expect
      .poll(async () => {
        await world.node.call("anvil_setNextBlockBaseFeePerGas", hex(400n * GWEI));
        await world.mine(1);
        return (await signed()).length;
      })
      .toBeGreaterThan(1);
    await world.stop();
    for (const proxy of world.proxies) proxy.behaviour = {};
    await world.node.call("anvil_dropAllTransactions");
    await world.node.call("anvil_setNextBlockBaseFeePerGas", hex(1n));
    const [older] = await signed();
    const bytes = `0x${older?.bytes.toString("hex")}`;
    expect(await world.node.call("eth_sendRawTransaction", bytes)).toBe(older?.hash);
    await world.mine(1);
    await world.start();
    await completed(view);
    expect(await world.holds(to, "eth")).toBe(await unitsOf(view));
    expect((await world.read(view)).payout?.settledHash).toBe(older?.hash);
  });

  test("beyond the limit of fees nothing is signed, and a payout takes no place", async () => {
    await world.node.call("evm_setAutomine", false);
    const [to, later] = [newAddress(), newAddress()];
    const view = await world.buy("eth", to);
    await expect.poll(async () => (await world.outcome(view))[2]).toBe("broadcast");
    const before = world.signatures();
    const isDear = async (): Promise<void> => {
      await world.node.call("anvil_setNextBlockBaseFeePerGas", hex(2_000n * 10n ** 9n));
      await world.mine(1);
    };
    // Nobody is quoted coins once the network is known to be dear, so the other order waits behind a stop.
    const stop = ["payouts", "stop", "--rail", "chain:ethereum", "--reason", "a test"];
    expect(await world.line.run(...stop, "--as", "anna")).toMatchObject({ status: 0 });
    const other = await world.buy("eth", later);
    await expect.poll(async () => (await world.outcome(other))[2]).toBe("created");
    await isDear();
    await world.resume();
    for (let block = 0; block < 14; block += 1) {
      await isDear();
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    expect(world.signatures()).toBe(before);
    await expect.poll(async () => (await world.outcome(other))[2]).toBe("created");
    // The market comes down, and both are paid once.
    await world.node.call("anvil_setNextBlockBaseFeePerGas", hex(10n ** 9n));
    await completed(view);
    await completed(other);
    expect(await world.holds(to, "eth")).toBe(await unitsOf(view));
    expect(await world.holds(later, "eth")).toBe(await unitsOf(other));
  });

  test("a fee that the hot wallet cannot pay beside the payout is not signed", async () => {
    await world.node.call("evm_setAutomine", false);
    const to = newAddress();
    const view = await world.buy("eth", to);
    await expect.poll(async () => (await world.outcome(view))[2]).toBe("broadcast");
    const { payout } = await world.read(view);
    const signed = () => world.world.database.query<{ bytes: Buffer }>(SIGNED, [payout?.id]);
    const [first] = await signed();
    // The wallet can pay for the first version, and not for a higher fee.
    const version = { networkCode: "ethereum", transactionHash: "", bytes: found(first).bytes };
    const { gasLimit, maxFeePerGas } = gasOf(version);
    const coins = found(await unitsOf(view)) + gasLimit * maxFeePerGas;
    for (const proxy of world.proxies) {
      proxy.behaviour = {
        rewrite: ({ method, params }, result) =>
          method === "eth_getBalance" && params?.[1] === "latest" ? hex(coins) : result,
      };
    }
    for (let block = 0; block < 14; block += 1) {
      await world.node.call("anvil_setNextBlockBaseFeePerGas", hex(40n * GWEI));
      await world.mine(1);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    expect(await signed()).toHaveLength(1);
    for (const proxy of world.proxies) proxy.behaviour = {};
    await completed(view);
    expect(await world.holds(to, "eth")).toBe(await unitsOf(view));
    expect((await signed()).length).toBeGreaterThan(1);
  });

  test("the first version has no fee that the hot wallet cannot pay", async () => {
    const first = await world.buy("usdc", newAddress());
    await completed(first);
    const signedOf = async (view: OrderView) => {
      const { payout } = await world.read(view);
      const rows = await world.world.database.query<{ bytes: Buffer }>(SIGNED, [payout?.id]);
      const version = { networkCode: "ethereum", transactionHash: "" };
      return rows.map(({ bytes }) => gasOf({ ...version, bytes }));
    };
    const { gasLimit } = found((await signedOf(first))[0]);
    await world.node.call("evm_setAutomine", false);
    await world.node.call("anvil_setNextBlockBaseFeePerGas", hex(40n * GWEI));
    await world.mine(1);
    // The wallet can pay the next block's price, and not twice as much.
    const coins = gasLimit * 60n * GWEI;
    for (const proxy of world.proxies) {
      proxy.behaviour = {
        rewrite: ({ method, params }, result) =>
          method === "eth_getBalance" && params?.[1] === "latest" ? hex(coins) : result,
      };
    }
    const to = newAddress();
    const view = await world.buy("usdc", to);
    await expect.poll(async () => (await world.outcome(view))[2]).toBe("broadcast");
    const [gas] = await signedOf(view);
    expect(found(gas).gasLimit * found(gas).maxFeePerGas).toBeLessThanOrEqual(coins);
    for (const proxy of world.proxies) proxy.behaviour = {};
    await completed(view);
    expect(await world.holds(to, "usdc")).toBe(await unitsOf(view));
  });

  test("a foreign transaction from the hot wallet ends the payout and stops the network", async () => {
    await world.node.call("evm_setAutomine", false);
    const to = newAddress();
    const nonce = await world.nonce();
    const view = await world.buy("eth", to);
    await expect.poll(async () => (await world.outcome(view))[2]).toBe("broadcast");
    const price = hex(500n * 10n ** 9n);
    const foreign = await world.node.call("eth_sendTransaction", {
      ...{ from: HOT, to: newAddress(), value: "0x1", nonce: hex(nonce), gas: "0x5208" },
      ...{ maxFeePerGas: price, maxPriorityFeePerGas: price },
    });
    await world.mine(1);
    // The audit stops the network at once. The payout ends when the block cannot be dropped any more.
    await expect.poll(() => world.stops()).toEqual(["rail chain:ethereum"]);
    expect((await world.outcome(view))[2]).toBe("broadcast");
    await world.mine(12);
    const dead = ["in_review", "delivery_rejected", "void", "dead"];
    await expect.poll(() => world.outcome(view)).toEqual(dead);
    expect(await world.stops()).toEqual(["rail chain:ethereum"]);
    const breaks = await world.line.runJson<{ problem: string }[]>("ledger", "breaks");
    expect(breaks.map(({ problem }) => problem).join()).toContain(foreign);
    expect(await world.holds(to, "eth")).toBe(0n);
    await world.resume();
  });

  test("a payout that a reorganisation drops is sent again, with the same bytes", async () => {
    const to = newAddress();
    const view = await world.buy("eth", to);
    await expect.poll(() => world.holds(to, "eth")).toBeGreaterThan(0n);
    await expect.poll(async () => (await world.outcome(view))[2]).toBe("broadcast");
    const hash = (await world.read(view)).payout?.transactionHash;
    await world.node.call("anvil_reorg", 1, []);
    await expect.poll(() => world.holds(to, "eth")).toBeGreaterThan(0n);
    await completed(view);
    expect(await world.holds(to, "eth")).toBe(await unitsOf(view));
    expect((await world.read(view)).payout).toMatchObject({ transactionHash: hash });
  });

  test("a transaction that the database lacks is listed before a block has it", async () => {
    const listed = async () => {
      const { out } = await world.line.run("payouts", "reconcile", "--json");
      const { left } = JSON.parse(out) as { left: { reference: string; cure: string }[] };
      return left.map(({ reference, cure }) => `${reference} ${cure}`);
    };
    await world.node.call("evm_setAutomine", false);
    const view = await world.buy("eth", newAddress());
    await expect.poll(async () => (await world.outcome(view))[2]).toBe("broadcast");
    // The tests before left transactions that no books have.
    const before = new Set(await listed());
    const nonce = (await world.nonce()) + 1;
    const lost = await world.node.call("eth_sendTransaction", {
      ...{ from: HOT, to: newAddress(), value: "0x1", nonce: hex(nonce), gas: "0x5208" },
    });
    const added = (await listed()).filter((one) => !before.has(one));
    expect(added).toEqual([`ethereum:unconfirmed:nonce ${nonce} await_rail`]);
    await world.node.call("anvil_dropTransaction", lost);
    await completed(view);
  });

  test("a transaction of the payout that the database lost settles it, and nothing is paid twice", async () => {
    await world.node.call("evm_setAutomine", false);
    const to = newAddress();
    const nonce = await world.nonce();
    const view = await world.buy("eth", to);
    await expect.poll(async () => (await world.outcome(view))[2]).toBe("broadcast");
    const units = (await unitsOf(view)) ?? 0n;
    const price = hex(500n * 10n ** 9n);
    // A replacement whose row was lost: another hash, with the same receiver and amount.
    const lost = await world.node.call("eth_sendTransaction", {
      ...{ from: HOT, to, value: hex(units), nonce: hex(nonce), gas: "0x5208" },
      ...{ maxFeePerGas: price, maxPriorityFeePerGas: price },
    });
    await world.mine(12);
    await completed(view);
    expect(await world.holds(to, "eth")).toBe(units);
    // The audit does not know the transaction either, so people compare before the network goes on.
    await expect.poll(() => world.stops()).toEqual(["rail chain:ethereum"]);
    // It is the payout's own from then on, so nobody is asked to book it a second time.
    const { out } = await world.line.run("payouts", "reconcile", "--json");
    expect(out).not.toContain(lost);
  });
});
