import type { TreasuryAsset, TreasuryMove } from "@exchange/contract/admin";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser } from "../support/browser/browser.ts";
import type { ConsolePage } from "../support/browser/console-page.ts";
import { focusSeen, watchFocus } from "../support/browser/late-focus.ts";
import { makeLook } from "../support/browser/look.ts";
import { invitedPerson, startConsole } from "../support/browser/started-console.ts";
import { createMerchant } from "../support/orders/merchant.ts";
import {
  buyChoice,
  CARDS,
  orderWithStatus,
  payByCard,
  startOrder,
} from "../support/orders/purchase.ts";
import { exchangeHere } from "../support/service/command-line.ts";
import type { StartedService } from "../support/service/service.ts";

let service: StartedService;
let browser: Browser;
let tara: ConsolePage;
const { look, faults } = makeLook();

const cellsOf = (name: string) =>
  tara.page
    .getByRole("row")
    .filter({ has: tara.page.getByRole("cell", { name, exact: true }) })
    .getByRole("cell")
    .allInnerTexts();

/** Sends the form of one row's limits, and returns its dialog. */
async function lower(name: string, limit: string, euro: string) {
  await tara.button(`Lower limits: ${name}`).click();
  const dialog = tara.page.getByRole("dialog");
  await dialog.getByLabel(limit, { exact: true }).fill(euro);
  await dialog.getByLabel("Reason").fill("the books of a bank are late");
  await dialog.getByRole("button", { name: "Lower", exact: true }).click();
  return dialog;
}

describe.runIf(hasBrowser)("a treasurer in the console", () => {
  beforeAll(async () => {
    const started = await startConsole();
    ({ service, browser } = started);
    tara = await invitedPerson(
      ...[started, { email: "tara@example.com", role: "treasury" }],
      ({ context }) => watchFocus(context),
    );
  });
  afterAll(async () => {
    if (browser) await closePages(browser);
    await service?.discard();
  });

  test("never loses the focus of a field to a screen or a form that has just opened", async () => {
    await tara.page.reload();
    await tara.open("payouts");
    await tara.button("Lower limits: All currencies together").click();
    await tara.page.getByRole("dialog").waitFor();
    const { count, late } = await focusSeen(tara.page);
    expect(count).toBeGreaterThan(1);
    expect(late).toEqual([]);
    await tara.page.keyboard.press("Escape");
  });

  test("sees the part of a limit that payouts used", async () => {
    await exchangeHere(service, "payouts", "limits", "--currency", "btc", "--day", "1000");
    const merchant = await createMerchant(service);
    const choice = await buyChoice(service, merchant);
    const { customer, orderId } = await startOrder(service, merchant, choice);
    await payByCard(customer, orderId, CARDS.visa);
    await orderWithStatus(customer, orderId, "completed");
    // A screen that was open before the payout reads itself again within a minute.
    await tara.page.reload();
    await tara.open("payouts");
    await tara.button("Lower limits: BTC").waitFor();
    const [, one, hour, day, two] = await cellsOf("BTC");
    expect([one, two]).toEqual(["no limit", "no limit"]);
    expect(day).toMatch(/^€1,000\.00, €[1-9]\d*\.\d\d used$/);
    expect(hour).toBe(day?.replace("€1,000.00", "no limit"));
    await look(tara, "payout-limits");
  });

  test("lowers a limit at once with a reason, and cannot raise it", async () => {
    const { page } = tara;
    // The tests before may have outlived the proof.
    await tara.signInAgain();
    await tara.open("payouts");
    const wrong = await lower("BTC", "A day", "12.345");
    await wrong.getByText("Write an amount such as 1500 or 1500.50.").waitFor();
    await look(tara, "payout-limits-form");
    await wrong.getByRole("button", { name: "Cancel" }).click();
    const raised = await lower("BTC", "A day", "1000.01");
    await raised.getByText("The console only lowers limits").waitFor();
    await raised.getByLabel("A day", { exact: true }).fill("750,50");
    const press = raised.getByRole("button", { name: "Lower", exact: true });
    await page.route("**/v1/admin/payouts/limits", (route) => route.abort(), { times: 1 });
    await press.focus();
    await page.keyboard.press("Enter");
    await raised.getByText("It may have done this all the same: look before").waitFor();
    expect(await press.evaluate((button) => button === document.activeElement)).toBe(true);
    await press.click();
    await raised.waitFor({ state: "detached" });
    await expect.poll(async () => (await cellsOf("BTC"))[3]).toMatch(/^€750\.50, /);
    const shown = await exchangeHere<{ currency: string; day: string }[]>(
      ...[service, "payouts", "limits"],
    );
    expect(shown.find(({ currency }) => currency === "btc")?.day).toBe("750.50 EUR");
    await tara.open("audit?subject=btc");
    await page.getByText("the books of a bank are late").first().waitFor();
    await page.getByText("750.50 EUR").first().waitFor();
  });

  test("sees no sweeps in a sandbox, and on a live network each with its short addresses", async () => {
    const { page } = tara;
    await tara.open("treasury");
    await page.getByText("No coins were collected from deposit addresses yet.").waitFor();
    await look(tara, "treasury");
    const now = Math.floor(Date.now() / 1_000);
    const move: TreasuryMove = {
      ...{ moveId: "00000000-0000-4000-8000-000000000001", kind: "sweep", state: "sent" },
      ...{ network: "ethereum", amount: { amount: "0.25", currency: "eth" } },
      ...{ from: `0x${"a".repeat(40)}`, to: `0x${"b".repeat(40)}` },
      ...{ transactionHash: `0x${"c".repeat(64)}`, createdAt: now - 7_200, updatedAt: now },
    };
    const states = ["bound", "signed", "sent", "final", "failed", "dead", "vacated"] as const;
    const data = states.map((state) => ({ ...move, moveId: state, state }));
    const answer = { code: "OK", message: "", data, nextCursor: "next" };
    await page.route("**/v1/admin/treasury/moves*", (route) => route.fulfill({ json: answer }));
    await tara.open("payouts");
    await tara.open("treasury");
    const table = page.getByRole("table", { name: "Sweeps and top-ups" });
    const third = table.getByRole("row").nth(3);
    await third.waitFor();
    expect(await third.getByRole("cell").allInnerTexts()).toEqual([
      ...["Sweep", "ethereum", "0.25 ETH", "0xaaaaa…aaaaaaa → 0xbbbbb…bbbbbbb"],
      ...["Sent", "2 hours", "0xccccc…ccccccc"],
    ]);
    await look(tara, "treasury-sweeps");
    await page.getByRole("link", { name: "Next page" }).click();
    await page.waitForURL(/#\/treasury\?cursor=next$/);
  });

  test("sees which stock its issuer froze, and that a refill does not reach it", async () => {
    const { page } = tara;
    const coins = { promised: "0", free: "0", floor: "10", low: null, target: null, ceiling: null };
    const asset: TreasuryAsset = {
      ...{ currency: "usdc-solana", wallets: "1000", banks: null, processors: null },
      ...{ node: "1000", nodeBlock: "7", hot: "0", frozen: "1000", outPerDay: "0", ...coins },
      ...{ float: "below_floor", advice: null, adviceAmount: null },
    };
    const data = { assets: [asset], breaks: [] };
    const answer = { code: "OK", message: "", data };
    await page.route("**/v1/admin/treasury", (route) => route.fulfill({ json: answer }));
    await tara.open("payouts");
    await tara.open("treasury");
    const cell = page.getByText("1,000 USDC cannot be paid out. Do not refill it.");
    await cell.waitFor();
    expect((await cellsOf("USDC-SOLANA")).at(-1)).toBe(
      "Frozen by its issuer 1,000 USDC cannot be paid out. Do not refill it.",
    );
    await look(tara, "treasury-frozen");
    await tara.open("home");
    await page.getByText("Frozen by its issuer: USDC-SOLANA").waitFor();
    expect(await page.getByText("Low float: USDC-SOLANA").count()).toBe(0);
  });

  test("no screen that was looked at has a fault", () => {
    expect(faults).toEqual([]);
  });
});
