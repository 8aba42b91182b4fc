import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { axeFaults } from "../support/browser/axe.ts";
import { hasBrowser } from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { type PopupVisits, payByBank, startPopupVisits } from "../support/browser/popup-visits.ts";
import { type StartedService, startService } from "../support/service/service.ts";

const ADA = "ada@example.org";
const WAIT = { timeout: 60_000, interval: 200 };

const mails: string[] = [];
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS", "AUTH"],
  logger: false,
  onData: (stream, session, done) => {
    void text(stream).then((mail) => {
      mails.push(`${session.envelope.rcptTo[0]?.address} ${mail.replaceAll("=\r\n", "")}`);
      done();
    });
  },
});
let service: StartedService;
let visits: PopupVisits;

describe.runIf(hasBrowser)("a service with a mail server", () => {
  beforeAll(async () => {
    const listening = smtp.listen(0, "127.0.0.1");
    await once(listening, "listening");
    const { port } = listening.address() as AddressInfo;
    const env = {
      SHOP_PORT: "0",
      EXCHANGE_SMTP_URL: `smtp://127.0.0.1:${port}?tls=none`,
      EXCHANGE_MAIL_FROM: "Example Pay <pay@example.com>",
    };
    service = await startService({ env });
    visits = await startPopupVisits(service);
  });
  afterAll(async () => {
    await visits.close();
    await service.discard();
    await new Promise<void>((resolve) => smtp.close(() => resolve()));
  });

  test("a customer mails the link from the popup, finishes on a phone, and gets the receipt", async () => {
    const shop = await visits.visit("B");
    const popup = await visits.open(shop);
    await payByBank(popup);
    const orderId = await popup.orderNumber();
    await popup.frame.getByText("Send the link by e-mail").click();
    await popup.press("Send");
    await popup.frame.getByText("Enter an e-mail address such as").first().waitFor();
    await popup.type("E-mail address", ADA);
    await popup.frame.getByLabel("Also send me a receipt").check();
    expect(await axeFaults(shop)).toEqual([]);
    await popup.press("Send");
    await popup.frame.getByText(`on its way to ${ADA}`).first().waitFor();
    await vi.waitUntil(() => mails.length > 0, WAIT);
    expect(mails[0]).toMatch(/^ada@example\.org /);
    const [link = ""] = /http:\/\/localhost:\d+\/o\/[\w-]{43}/.exec(mails[0] ?? "") ?? [];
    await visits.closePages();

    const context = await visits.browser.newContext({ viewport: { width: 390, height: 844 } });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    await page.goto(link);
    const checkout = new CheckoutPage(page, page.locator(":root"));
    await checkout.see("instructions");
    await visits.deposit({ orderId });
    await checkout.see("done");
    await page.getByText("Send the receipt by e-mail").click();
    expect(await axeFaults(page)).toEqual([]);
    const receipt = `Order number: ${orderId}`;
    await vi.waitUntil(() => mails.slice(1).some((mail) => mail.includes(receipt)), WAIT);
    await context.close();
  });
});
