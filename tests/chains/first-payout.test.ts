import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { found, shippedCatalogue } from "../../apps/server/src/testing/catalogue.ts";
import { createMerchant, type Merchant, merchantCall } from "../support/orders/merchant.ts";
import { type Ok, startSession } from "../support/orders/purchase.ts";
import { exchange } from "../support/service/command-line.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import {
  type DrillAnswer,
  type Drilling,
  drillOf,
  HAS_LOGIN,
  type Step,
} from "./world/drilling.ts";
import { LITECOIND_PATH } from "./world/litecoind.ts";
import { CONTRACTS, HOT } from "./world/paying-world.ts";
import { makeProdWorld, type ProdWorld } from "./world/prod-world.ts";

/** An item of a list that a merchant reads. */
interface Item {
  readonly id: number;
  readonly reference: string;
}

/** The part of `orders show` that a payout is judged by. */
interface Shown {
  readonly status: string;
  readonly payout: {
    readonly amount: { readonly amount: string };
    readonly transactionHash: string;
  };
}

/** Coins that are paid to the hot wallet of Litecoin. */
const FLOAT = "2";

function unitsOf(coins: string, decimals: number): bigint {
  const [whole = "", part = ""] = coins.split(".");
  return BigInt(whole + part.padEnd(decimals, "0"));
}

describe.skipIf(ANVIL_PATH === "" || HAS_LOGIN)("the first payout in prod", () => {
  let world: ProdWorld;
  let merchant: Merchant;
  let steps: Drilling;
  const customer = `0x${randomBytes(20).toString("hex")}`;

  beforeAll(async () => {
    world = await makeProdWorld();
    steps = drillOf(world.service, { network: "ethereum" });
  });
  afterAll(() => world.close());

  const balanceOf = async (address: string): Promise<bigint> =>
    BigInt(await world.node.call("eth_getBalance", address, "latest"));

  test("the drill refuses a network that it cannot pay on", async () => {
    const unknown = await steps.runAs("anna", "drill", "first-payout", "ethereal");
    expect(unknown).toMatchObject({ status: 2 });
    expect(unknown.stderr).toContain('"ethereal" is not a network of the catalogue');
    const other = await steps.runAs("anna", "drill", "first-payout", "bitcoin");
    expect(other).toMatchObject({ status: 2 });
    expect(other.stderr).toContain("bitcoin has no rail: it is not in chains of the rails file");
  });

  test("low limits and a stop come before the float, and an order before its coins", async () => {
    const limits = await steps.untilNext("limits");
    await steps.paste(limits, "payouts limits");
    const stop = await steps.untilNext("stop");
    await steps.paste(stop, "payouts stop");
    const float = await steps.untilNext("float");
    expect(float.todo?.join(" ")).toContain(HOT);
    await world.send({ to: HOT, value: 10n ** 17n });
    await world.mine();
    const order = await steps.untilNext("order");
    expect(order.todo?.join(" ")).toContain("drill place-order");
    expect(order.todo?.join(" ")).toContain("EXCHANGE_URL with the service's address");
  });

  test("nothing is offered or quoted that no provider serves", async () => {
    merchant = await createMerchant(world.service);
    steps = drillOf(world.service, { network: "ethereum", merchant });
    const query = (operation: string) => `?operationType=${operation}&countryCode=DE`;
    const read = async <Data>(path: string): Promise<Data> =>
      (await merchantCall<Ok<Data>>(world.service, merchant, { path: `/v1${path}` })).body.data;
    const swaps = await read<{ cryptoCurrencies: Item[] }>(`/exchange/currencies${query("CC")}`);
    const offered = swaps.cryptoCurrencies.map(({ reference }) => reference);
    expect(offered).toContain("eth");
    expect(offered).not.toContain("btc");
    const methods = await read<Item[]>(`/payment-methods${query("CC")}`);
    expect(methods.map(({ reference }) => reference)).toEqual(["crypto"]);
    for (const operation of ["B", "S", "FF"]) {
      expect(await read(`/payment-methods${query(operation)}`)).toEqual([]);
    }
    const catalogue = await shippedCatalogue();
    const person = await startSession(world.service, merchant);
    const refusal = async (operationType: string, spend: string, method: string) => {
      const body = {
        operationType,
        baseCurrencyId: catalogue.currencies.find(({ reference }) => reference === spend)?.id,
        baseAmount: 50,
        targetCurrencyId: catalogue.currencies.find(({ reference }) => reference === "eth")?.id,
        paymentMethodId: catalogue.paymentMethods.find(({ reference }) => reference === method)?.id,
      };
      const path = "/v1/checkout/quotes";
      const { status, text } = await person.call<unknown>({ method: "POST", path, body });
      return [status, text];
    };
    expect(await refusal("B", "eur", "card")).toEqual([
      400,
      expect.stringContaining("PAYMENT_METHOD_UNAVAILABLE"),
    ]);
    expect(await refusal("CC", "btc", "crypto")).toEqual([400, expect.stringContaining("CURREN")]);
  });

  test("the order is paid, waits under the stop, is resumed by two people, and arrives", async () => {
    const order = await steps.untilNext("order");
    const wallet = { ADDRESS: customer, REFUND_ADDRESS: customer };
    await steps.paste(order, "drill place-order", wallet);
    await payAsAsked(await steps.untilNext("paid"));
    const release = await steps.untilNext("release");
    expect(release.todo?.map((line) => line.trim())).toContain(`to ${customer}`);
    expect(await world.node.call("eth_getTransactionCount", HOT, "latest")).toBe("0x0");
    expect(await balanceOf(customer)).toBe(0n);
    await steps.paste(release, "payouts resume");
    expect(await balanceOf(customer)).toBe(0n);
    await steps.paste(await steps.untilNext("release"), "payouts resume");
    await vi.waitUntil(async () => (await balanceOf(customer)) > 0n, {
      timeout: 60_000,
      interval: 200,
    });
    await world.mine();
    await judge(await steps.finished());
  });

  test("a finished drill says so again, and exits with success", async () => {
    const here = { ...world.service, env: steps.variablesOf("anna") };
    const { status, stdout } = await exchange(here, "drill", "first-payout", "ethereum");
    expect(status).toBe(0);
    expect(stdout).toContain("The first payout on ethereum is complete.");
  });

  test.skipIf(LITECOIND_PATH === "")(
    "the first payout in coins is led through the same steps, and arrives",
    async () => {
      const litecoin = found(world.litecoin);
      const coins = drillOf(world.service, { network: "litecoin", merchant });
      await coins.paste(await coins.untilNext("stop"), "payouts stop");
      const float = await coins.untilNext("float");
      const printed = await coins.paste(float, "signer addresses", { SOCKET: world.signerSocket });
      const [hot = ""] = /ltc1[a-z0-9]+/.exec(printed.stdout) ?? [];
      await litecoin.pay(hot, FLOAT);
      await litecoin.mine(2);
      const order = await coins.untilNext("order");
      const to = await litecoin.newAddress();
      const wallets = { ADDRESS: to, REFUND_ADDRESS: customer };
      await coins.paste(order, "drill place-order", wallets);
      await payAsAsked(await coins.untilNext("paid"));
      const release = await coins.untilNext("release");
      expect(release.todo?.map((line) => line.trim())).toContain(`to ${to}`);
      expect(await litecoin.inMempool()).toBe(0);
      await coins.paste(release, "payouts resume");
      await coins.paste(await coins.untilNext("release"), "payouts resume");
      await vi.waitUntil(async () => (await litecoin.inMempool()) === 1, {
        timeout: 60_000,
        interval: 200,
      });
      await litecoin.mine(3);
      const end = await coins.finished();
      const { stdout } = await coins.runAs("anna", "orders", "show", String(end.orderId), "--json");
      const { status, payout } = JSON.parse(stdout) as Shown;
      expect(status).toBe("completed");
      expect(await litecoin.holds(to)).toBe(unitsOf(payout.amount.amount, 8));
      const sent = end.steps.find(({ step }) => step === "sent")?.found;
      expect(sent).toContain(payout.transactionHash);
    },
  );

  async function payAsAsked({ todo = [] }: Step): Promise<void> {
    const [, coins = "", address = ""] =
      /^Pay exactly (\d+) usdt-ethereum to (0x[0-9a-fA-F]{40})$/.exec(todo[0] ?? "") ?? [];
    await payTether(address, BigInt(coins) * 10n ** 6n);
  }

  async function payTether(to: string, units: bigint): Promise<void> {
    const word = (text: string): string => text.padStart(64, "0");
    const data = `0xa9059cbb${word(to.slice(2).toLowerCase())}${word(units.toString(16))}`;
    await world.send({ to: CONTRACTS.usdt, data });
    await world.mine();
  }

  /** The node's own balances decide what was paid and what it cost. */
  async function judge({ orderId, steps: list }: DrillAnswer): Promise<void> {
    const { stdout } = await steps.runAs("anna", "orders", "show", String(orderId), "--json");
    const shown = JSON.parse(stdout) as Shown;
    expect(shown.status).toBe("completed");
    const { amount, transactionHash } = shown.payout;
    const units = unitsOf(amount.amount, 18);
    expect(await balanceOf(customer)).toBe(units);
    const receipt = await world.node.call<Record<"gasUsed" | "effectiveGasPrice", string>>(
      "eth_getTransactionReceipt",
      transactionHash,
    );
    const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
    expect(await balanceOf(HOT)).toBe(10n ** 17n - units - fee);
    const found = (step: string): string => list.find((one) => one.step === step)?.found ?? "";
    expect(found("sent")).toContain(transactionHash);
    expect(found("release")).toBe("it waited; anna stopped it and ben resumed it");
    expect(list.filter(({ state }) => state === "skipped").map(({ step }) => step)).toEqual([
      "webhook",
    ]);
  }
});
