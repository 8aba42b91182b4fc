import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { shippedCatalogue } from "../../apps/server/src/testing/catalogue.ts";
import { createMerchant, type Merchant, merchantCall } from "../support/orders/merchant.ts";
import { type Ok, startSession } from "../support/orders/purchase.ts";
import { type CommandResult, exchange, runHere } from "../support/service/command-line.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { CONTRACTS, HOT } from "./world/paying-world.ts";
import { makeProdWorld, type ProdWorld } from "./world/prod-world.ts";

/** Linux records a login for all commands of a desktop's session, which then count as one person. */
const NO_LOGIN = "4294967295";
const login = ((): string => {
  try {
    return readFileSync("/proc/self/loginuid", "utf8").trim();
  } catch {
    return NO_LOGIN;
  }
})();

interface Step {
  readonly step: string;
  readonly state: string;
  readonly found: string;
  readonly todo?: readonly string[];
}

/** An item of a list that a merchant reads. */
interface Item {
  readonly id: number;
  readonly reference: string;
}

interface DrillAnswer {
  readonly ok: boolean;
  readonly orderId: number | null;
  readonly steps: readonly Step[];
}

describe.skipIf(ANVIL_PATH === "" || login !== NO_LOGIN)("the first payout in prod", () => {
  let world: ProdWorld;
  let merchant: Merchant;
  const customer = `0x${randomBytes(20).toString("hex")}`;

  beforeAll(async () => {
    world = await makeProdWorld();
  }, 120_000);
  afterAll(() => world.close());

  /** The variables of a person with an account of the system. */
  const variablesOf = (person: string): NodeJS.ProcessEnv => ({
    ...world.service.env,
    SUDO_USER: person,
    EXCHANGE_URL: `${world.service.url}/v1`,
    ...(merchant && {
      EXCHANGE_CLIENT_ID: merchant.clientId,
      EXCHANGE_API_KEY: merchant.apiKey,
    }),
  });

  /** Most of the time of a command is the start of its process, so only the last one has its own. */
  const runAs = (person: string, ...words: string[]): Promise<CommandResult> =>
    runHere({ env: variablesOf(person) }, ...words);

  const drill = async (): Promise<DrillAnswer> => {
    const { stdout, stderr } = await runAs("anna", "drill", "first-payout", "ethereum", "--json");
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout) as DrillAnswer;
  };
  const isOpen = ({ state }: Step): boolean => state !== "done" && state !== "skipped";

  /** Waits until the drill asks a person for this step. Fails at once when it is blocked. */
  const untilNext = async (step: string): Promise<Step> => {
    for (let run = 0; run < 100; run += 1) {
      const open = (await drill()).steps.find(isOpen);
      if (open?.state === "next" && open.step === step) return open;
      if (open?.state !== "waiting") throw new Error(`at ${step}: ${JSON.stringify(open)}`);
      await sleep(200);
    }
    throw new Error(`the drill never came to ${step}`);
  };

  /** Runs a command of the step as it is printed. */
  const paste = async (
    step: Step,
    start: string,
    changes: Readonly<Record<string, string>> = {},
  ) => {
    const line = step.todo?.find((one) => one.startsWith(`npx exchange ${start}`));
    const words = [...(line ?? "").matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, text, word]) => text ?? word ?? "",
    );
    const person = words.at(words.indexOf("--as") + 1) ?? "anna";
    const changed = words.slice(2).map((word) => changes[word] ?? word);
    const result = await runAs(person, ...changed);
    expect(result).toMatchObject({ status: 0 });
    return result;
  };

  const balanceOf = async (address: string): Promise<bigint> =>
    BigInt(await world.node.call("eth_getBalance", address, "latest"));

  test("the drill refuses a network that it cannot pay on", async () => {
    const unknown = await runAs("anna", "drill", "first-payout", "ethereal");
    expect(unknown).toMatchObject({ status: 2 });
    expect(unknown.stderr).toContain('"ethereal" is not a network of the catalogue');
    const other = await runAs("anna", "drill", "first-payout", "litecoin");
    expect(other).toMatchObject({ status: 2 });
    expect(other.stderr).toContain("litecoin has no rail: it is not in chains of the rails file");
  });

  test("low limits and a stop come before the float, and an order before its coins", async () => {
    const limits = await untilNext("limits");
    await paste(limits, "payouts limits");
    const stop = await untilNext("stop");
    await paste(stop, "payouts stop");
    const float = await untilNext("float");
    expect(float.todo?.join(" ")).toContain(HOT);
    await world.send({ to: HOT, value: 10n ** 17n });
    await world.mine();
    const order = await untilNext("order");
    expect(order.todo?.join(" ")).toContain("drill place-order");
  });

  test("nothing is offered or quoted that no provider serves", async () => {
    merchant = await createMerchant(world.service);
    const query = (operation: string) => `?operationType=${operation}&countryCode=DE`;
    const read = async <Data>(path: string): Promise<Data> =>
      (await merchantCall<Ok<Data>>(world.service, merchant, { path: `/v1${path}` })).body.data;
    const swaps = await read<{ cryptoCurrencies: Item[] }>(`/exchange/currencies${query("CC")}`);
    const offered = swaps.cryptoCurrencies.map(({ reference }) => reference);
    expect(offered).toContain("eth");
    expect(offered).not.toContain("ltc");
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
    expect(await refusal("CC", "ltc", "crypto")).toEqual([400, expect.stringContaining("CURREN")]);
  });

  test("the order is paid, waits under the stop, is resumed by a second person, and arrives", async () => {
    const order = await untilNext("order");
    const wallet = { ADDRESS: customer };
    await paste(order, "drill place-order", wallet);
    const paid = await untilNext("paid");
    const [, coins = "", address = ""] =
      /^Pay exactly (\d+) usdt-ethereum to (0x[0-9a-fA-F]{40})$/.exec(paid.todo?.[0] ?? "") ?? [];
    await payTether(address, BigInt(coins) * 10n ** 6n);
    const release = await untilNext("release");
    expect(release.todo?.map((line) => line.trim())).toContain(`to ${customer}`);
    expect(await world.node.call("eth_getTransactionCount", HOT, "latest")).toBe("0x0");
    expect(await balanceOf(customer)).toBe(0n);
    await paste(release, "payouts resume");
    await vi.waitUntil(async () => (await balanceOf(customer)) > 0n, {
      timeout: 30_000,
      interval: 200,
    });
    await world.mine();
    const end = await vi.waitUntil(
      async () => {
        const answer = await drill();
        const open = answer.steps.find(isOpen);
        if (open && open.state !== "waiting") throw new Error(JSON.stringify(open));
        return answer.ok ? answer : undefined;
      },
      { timeout: 60_000, interval: 200 },
    );
    await judge(end);
  });

  test("a finished drill says so again, and exits with success", async () => {
    const here = { ...world.service, env: variablesOf("anna") };
    const { status, stdout } = await exchange(here, "drill", "first-payout", "ethereum");
    expect(status).toBe(0);
    expect(stdout).toContain("The first payout on ethereum is complete.");
  });

  async function payTether(to: string, units: bigint): Promise<void> {
    const word = (text: string): string => text.padStart(64, "0");
    const data = `0xa9059cbb${word(to.slice(2).toLowerCase())}${word(units.toString(16))}`;
    await world.send({ to: CONTRACTS.usdt, data });
    await world.mine();
  }

  /** The node's own balances decide what was paid and what it cost. */
  async function judge({ orderId, steps }: DrillAnswer): Promise<void> {
    const { stdout } = await runAs("anna", "orders", "show", String(orderId), "--json");
    const shown = JSON.parse(stdout) as {
      readonly status: string;
      readonly payout: {
        readonly amount: { readonly amount: string };
        readonly transactionHash: string;
      };
    };
    expect(shown.status).toBe("completed");
    const { amount, transactionHash } = shown.payout;
    const [whole = "", part = ""] = amount.amount.split(".");
    const units = BigInt(whole + part.padEnd(18, "0"));
    expect(await balanceOf(customer)).toBe(units);
    const receipt = await world.node.call<Record<"gasUsed" | "effectiveGasPrice", string>>(
      "eth_getTransactionReceipt",
      transactionHash,
    );
    const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
    expect(await balanceOf(HOT)).toBe(10n ** 17n - units - fee);
    const found = (step: string): string => steps.find((one) => one.step === step)?.found ?? "";
    expect(found("sent")).toContain(transactionHash);
    expect(found("release")).toBe("it waited; anna stopped it and ben resumed it");
    expect(steps.filter(({ state }) => state === "skipped").map(({ step }) => step)).toEqual([
      "webhook",
    ]);
  }
});
