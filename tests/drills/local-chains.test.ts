import { readFile, rm } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFaults } from "../support/browser/axe.ts";
import {
  closePages,
  hasBrowser,
  LOOKS,
  type Look,
  openBrowser,
} from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { CARDS } from "../support/orders/purchase.ts";
import { exchange, exchangeJson } from "../support/service/command-line.ts";
import { freePort } from "../support/service/processes.ts";
import { type StartedService, startService } from "../support/service/service.ts";

/** Where the test script found anvil. Without it these tests are skipped, and the script says so. */
const ANVIL_PATH = process.env["ANVIL_PATH"] ?? "";
const COMMAND = [process.execPath, "tools/start.mjs", "--chains", "local"];
/** Likewise for litecoind. Without it the sandbox plays Litecoin. */
const LITECOIND_PATH = process.env["LITECOIND_PATH"] ?? "";
const TETHER = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
const ETHER = 10n ** 18n;
const ETHER_ADDRESS = '.address[data-chain="ethereum"] .own';
const COIN_ADDRESS = '.address[data-chain="litecoin"] .own';
/**
 * A contract that takes ether where gas costs nothing, as in a trial, and refuses it in a block: GASPRICE, ISZERO, JUMPI,
 * REVERT, and STOP behind a JUMPDEST.
 */
const FICKLE_CODE = "0x3a15600957600080fd5b00";
const FICKLE = "0x00000000000000000000000000000000000f1c1e";

/** The service as `npm start -- --chains local` starts it: a real node, a signer, and a person in a real browser. */
describe.skipIf(ANVIL_PATH === "" || !hasBrowser)("the local chain", () => {
  let service: StartedService;
  let browser: Browser;
  let nodeUrl: string;

  const start = (options: Parameters<typeof startService>[0]): Promise<StartedService> =>
    startService({ ...options, command: COMMAND });

  beforeAll(async () => {
    const port = await freePort();
    nodeUrl = `http://127.0.0.1:${port}`;
    service = await start({ env: { ANVIL_PATH, LITECOIND_PATH, ANVIL_PORT: String(port) } });
    browser = await openBrowser();
  });
  afterAll(async () => {
    if (browser) await closePages(browser);
    await service?.stop();
    await rm(service?.dataDir ?? "", { recursive: true, force: true });
  });

  async function callNode<Result = string>(method: string, ...params: unknown[]): Promise<Result> {
    const response = await fetch(nodeUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return ((await response.json()) as { result: Result }).result;
  }

  /** Asks litecoind for the coins that an address has, by its own set of coins. */
  async function litecoinOf(address: string): Promise<number> {
    const file = await readFile(`${service.dataDir}/local-chains/rails.json`, "utf8");
    const { chains } = JSON.parse(file) as {
      chains: { litecoin: { endpoints: { url: string }[] } };
    };
    const url = new URL(chains.litecoin.endpoints[0]?.url ?? "");
    const pair = Buffer.from(`${url.username}:${url.password}`).toString("base64");
    const response = await fetch(`http://${url.host}/`, {
      method: "POST",
      headers: { authorization: `Basic ${pair}` },
      body: JSON.stringify({
        id: 1,
        method: "scantxoutset",
        params: ["start", [`addr(${address})`]],
      }),
    });
    const answer = (await response.json()) as { result: { total_amount: number } };
    return answer.result.total_amount;
  }

  const tetherOf = async (address: string): Promise<bigint> => {
    const data = `0x70a08231${address.slice(2).padStart(64, "0")}`;
    return BigInt(await callNode("eth_call", { to: TETHER, data }, "finalized"));
  };

  async function visit(path: string, look: Look = "desktop-light"): Promise<Page> {
    const context = await browser.newContext(LOOKS[look]);
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    await page.goto(`${service.shopUrl}${path}`);
    return page;
  }

  /** Runs the operator's command as the start screen says. */
  const runner = (): StartedService => {
    const folder = `${service.dataDir}/local-chains`;
    const env = {
      ...service.env,
      EXCHANGE_DATA_DIR: folder,
      EXCHANGE_RAILS_FILE: `${folder}/rails.json`,
    };
    return { ...service, env };
  };
  const runCommand = <T>(...words: string[]): Promise<T> => exchangeJson<T>(runner(), ...words);
  const chainsShow = () => runCommand<Record<string, unknown>[]>("chains", "show");

  /** Starts to sell what the shop offers under this name, up to the address that is to be paid. */
  async function sell(page: Page, product: RegExp): Promise<CheckoutPage> {
    await page.getByRole("radio", { name: product }).check();
    await page.locator("#pay").click();
    const checkout = new CheckoutPage(page);
    await checkout.see("delivery");
    await checkout.continue();
    await checkout.see("payout");
    await checkout.frame.getByLabel("Account holder's full name").fill("Ada Lovelace");
    await checkout.frame.getByLabel("IBAN").fill("DE89 3704 0044 0532 0130 00");
    await checkout.continue();
    await checkout.see("review");
    await checkout.button(/^Place order and see the address/).click();
    await checkout.see("instructions");
    return checkout;
  }

  /** Starts to buy what the shop offers under this name with a card, up to the last screen. */
  async function buy(page: Page, product: RegExp, address: string): Promise<CheckoutPage> {
    await page.getByRole("radio", { name: product }).check();
    await page.locator("#pay").click();
    const checkout = new CheckoutPage(page);
    await checkout.see("wallet");
    await checkout.typeAddress(address);
    await checkout.continue();
    await checkout.see("review");
    await checkout.typeCard(CARDS.visa);
    await checkout.pay();
    return checkout;
  }

  test("ether that a real transaction paid is sold, and the node has it at the order's address", async () => {
    const page = await visit("/examples/real-coins");
    const checkout = await sell(page, /0\.05 Ethereum for euros/);
    const [address = ""] =
      /0x[0-9a-fA-F]{40}/.exec(await checkout.frame.locator("body").innerText()) ?? [];
    const wallet = await visit("/wallet", "phone-dark");
    await wallet.getByLabel("Amount").fill("0.05");
    await wallet.getByLabel("To", { exact: true }).fill(address);
    await wallet.getByRole("button", { name: "Send" }).click();
    const sent = await wallet.getByText(/^Sent\. The transaction is 0x/).innerText();
    const [hash = ""] = /0x[0-9a-f]{6}/.exec(sent) ?? [];
    await checkout.see("going");
    await checkout.frame.getByText(hash).first().waitFor();
    await checkout.see("done");
    expect(BigInt(await callNode("eth_getBalance", address, "finalized"))).toBe(ETHER / 20n);
    const payment = wallet.locator("#payments li").filter({ hasText: "−0.05 ETH" });
    await payment.getByText("final", { exact: true }).waitFor();
    expect(await axeFaults(wallet)).toEqual([]);
    await checkout.button("Done").click();
    await page.locator('#purchase[data-status="paid"]').waitFor();
  });

  test("USDT that a card paid is in the wallet, by the node's own word", async () => {
    const wallet = await visit("/wallet", "desktop-dark");
    const address = wallet.locator(ETHER_ADDRESS);
    await expect.poll(() => address.textContent()).toMatch(/^0x[0-9a-fA-F]{40}$/);
    const customer = (await address.textContent()) ?? "";
    const before = await tetherOf(customer);
    const page = await visit("/examples/real-coins", "phone-light");
    const checkout = await buy(page, /€40 of Tether/, customer);
    await checkout.see("done");
    const link = checkout.frame.getByRole("link", { name: /block explorer/ });
    expect(await link.getAttribute("href")).toMatch(/\/wallet#0x[0-9a-f]{64}$/);
    await checkout.button("Done").click();
    await page.locator('#purchase[data-status="paid"]').waitFor();
    const payment = wallet.locator("#payments li").filter({ hasText: "+" });
    await payment.getByText("final", { exact: true }).waitFor();
    const bought = (await tetherOf(customer)) - before;
    expect(bought).toBeGreaterThan(40_000_000n);
    const shown = Number(/\+([\d.]+) USDT/.exec(await payment.innerText())?.[1]);
    expect(BigInt(Math.round(shown * 1e6))).toBe(bought);
    expect(await axeFaults(wallet)).toEqual([]);
  });

  test.skipIf(LITECOIND_PATH === "")(
    "LTC that a card paid is in the wallet, by litecoind's own word",
    async () => {
      const wallet = await visit("/wallet", "desktop-dark");
      const own = wallet.locator(COIN_ADDRESS);
      await expect.poll(() => own.textContent()).toMatch(/^rltc1q/);
      const customer = (await own.textContent()) ?? "";
      const page = await visit("/examples/real-coins", "phone-light");
      const checkout = await buy(page, /€40 of Litecoin/, customer);
      await checkout.see("done");
      const payment = wallet.locator("#payments li").filter({ hasText: /\+[\d.]+ LTC/ });
      await payment.getByText("final", { exact: true }).waitFor();
      const shown = Number(/\+([\d.]+) LTC/.exec(await payment.innerText())?.[1]);
      expect(shown).toBeGreaterThan(0.4);
      expect(await litecoinOf(customer)).toBe(shown);
      expect(await axeFaults(wallet)).toEqual([]);
    },
  );

  test.skipIf(LITECOIND_PATH === "")(
    "LTC that litecoind's own wallet paid is sold, and the node has it at the order's address",
    async () => {
      const page = await visit("/examples/real-coins");
      const checkout = await sell(page, /0\.8 Litecoin for euros/);
      const [address = ""] =
        /rltc1q[0-9a-z]{38}/.exec(await checkout.frame.locator("body").innerText()) ?? [];
      const wallet = await visit("/wallet", "phone-dark");
      await wallet.locator('select[name="coin"]').selectOption("LTC");
      await wallet.getByLabel("Amount").fill("0.8");
      await wallet.getByLabel("To", { exact: true }).fill(address);
      await wallet.getByRole("button", { name: "Send" }).click();
      await wallet.getByText(/^Sent\. The transaction is /).waitFor();
      await checkout.see("done");
      expect(await litecoinOf(address)).toBe(0.8);
      const payment = wallet.locator("#payments li").filter({ hasText: "−0.8 LTC" });
      await payment.getByText("final", { exact: true }).waitFor();
      await checkout.button("Done").click();
      await page.locator('#purchase[data-status="paid"]').waitFor();
      expect(await runCommand("ledger", "breaks")).toEqual([]);
    },
  );

  test("a payout that is reverted in its block waits for a person with its reason, and its refund works", async () => {
    await callNode("anvil_setCode", FICKLE, FICKLE_CODE);
    const page = await visit("/examples/real-coins");
    const checkout = await buy(page, /€50 of Ethereum/, FICKLE);
    await checkout.see("inReview");
    const order = String(await checkout.orderNumber());
    expect(await callNode("eth_getBalance", FICKLE, "latest")).toBe("0x0");
    const { stdout } = await exchange(runner(), "orders", "explain", "--order", order);
    expect(stdout).toContain("void (its transaction was mined and moved nothing)");
    const refund = ["orders", "refund", "--order", order];
    expect(await exchange(runner(), ...refund, "--as", "anna")).toMatchObject({ status: 0 });
    await checkout.see("refunded");
    expect(await runCommand("ledger", "breaks")).toEqual([]);
  });

  test("a payment that cannot be made is refused in words", async () => {
    const wallet = await visit("/wallet");
    const send = async (amount: string, to: string): Promise<void> => {
      await wallet.getByLabel("Amount").fill(amount);
      await wallet.getByLabel("To", { exact: true }).fill(to);
      await wallet.getByRole("button", { name: "Send" }).click();
    };
    await send("1000000", "0xdAC17F958D2ee523a2206206994597C13D831ec7");
    await wallet.getByText(/^The wallet has [\d.]+ ETH\.$/).waitFor();
    await send("1", "0xdAC17F958D2ee523a2206206994597C13D831eC7");
    await wallet.getByText(/^The address has a typing error/).waitFor();
    await send("1", "bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh");
    await wallet.getByText(/^That is not an Ethereum address/).waitFor();
    await send("0.0000000000000000001", "0xdAC17F958D2ee523a2206206994597C13D831ec7");
    await wallet.getByText(/^Write an amount such as 0\.05/).waitFor();
    expect(await axeFaults(wallet)).toEqual([]);
    await wallet.setViewportSize({ width: 320, height: 640 });
    const overflow = await wallet.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
  });

  const blockAt = (at: string): Promise<{ readonly number: string; readonly hash: string }> =>
    callNode("eth_getBlockByNumber", at, false);
  const restart = async (): Promise<void> => {
    service = await start({ dataDir: service.dataDir, env: service.env });
  };

  test("Ctrl-C stops everything, and the next start goes on with the same chain and database", async () => {
    const genesis = await blockAt("0x0");
    const final = await blockAt("finalized");
    expect(await service.stop()).toBe(0);
    await expect(callNode("eth_chainId")).rejects.toThrow();
    await restart();
    expect([await blockAt("0x0"), await blockAt(final.number)]).toMatchObject([genesis, final]);
    await expect
      .poll(async () => Number((await chainsShow())[0]?.["finalHeight"]))
      .toBeGreaterThan(Number(final.number));
    const networks = LITECOIND_PATH === "" ? ["ethereum"] : ["ethereum", "litecoin"];
    await expect
      .poll(chainsShow)
      .toMatchObject(networks.map((networkCode) => ({ networkCode, problem: null })));
    // The hot wallet's first coins are its opening balance, and everything after them is booked.
    expect(await runCommand("ledger", "breaks")).toEqual([]);
  });

  test("kill -9 of the service loses no final block", async () => {
    const final = await blockAt("finalized");
    const coinHeight = Number((await chainsShow())[1]?.["height"] ?? 0);
    service.process.signalGroup("SIGKILL");
    await service.process.exited;
    await restart();
    expect(await blockAt(final.number)).toMatchObject(final);
    // A chain that had lost blocks would leave its scanner waiting.
    await expect.poll(async () => (await chainsShow())[1]?.["problem"] ?? null).toBe(null);
    expect(Number((await chainsShow())[1]?.["height"] ?? 0)).toBeGreaterThanOrEqual(coinHeight);
  });

  test("kill -9 of the chain stops the service with its reason", async () => {
    const file = await readFile(`${service.dataDir}/local-chains/keeper.json`, "utf8");
    const [, node = 0] = (JSON.parse(file) as { programs: number[] }).programs;
    process.kill(node, "SIGKILL");
    expect(await service.process.exited).toBe(1);
    expect(service.process.output()).toContain("anvil ended (SIGKILL)");
    await expect(fetch(`${service.url}/healthz`)).rejects.toThrow();
  });
});
