import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { drawQr } from "@exchange/contract/qr";
import { Secret, TOTP } from "otpauth";
import type { Browser } from "playwright-core";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { closePages, hasBrowser, openBrowser } from "../support/browser/browser.ts";
import { type ConsolePage, openConsole } from "../support/browser/console-page.ts";
import { makeLook } from "../support/browser/look.ts";
import { exchangeHere } from "../support/service/command-line.ts";
import { freePort } from "../support/service/processes.ts";
import { type StartedService, startService } from "../support/service/service.ts";

const GRETA = "greta@example.com";
const PASSWORD = "four brown otters swim";
const NEW_PASSWORD = "six green herons wade";
const WAIT = { timeout: 60_000, interval: 200 };

const mails: { readonly to: string | undefined; readonly text: string }[] = [];
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS", "AUTH"],
  logger: false,
  onData: (stream, session, done) => {
    void text(stream).then((mail) => {
      const unfolded = mail.replaceAll("=\r\n", "").replaceAll("=3D", "=");
      mails.push({ to: session.envelope.rcptTo[0]?.address, text: unfolded });
      done();
    });
  },
});
let service: StartedService;
let browser: Browser;
let url: string;
let operator: ConsolePage;
let greta: ConsolePage;
let recoveryCodes: readonly string[];

const { look, faults } = makeLook();

describe.runIf(hasBrowser)("people of the console", () => {
  beforeAll(async () => {
    const listening = smtp.listen(0, "127.0.0.1");
    await once(listening, "listening");
    const { port } = listening.address() as AddressInfo;
    const consolePort = String(await freePort());
    url = `http://localhost:${consolePort}`;
    const env = {
      EXCHANGE_CONSOLE_PORT: consolePort,
      EXCHANGE_SMTP_URL: `smtp://127.0.0.1:${port}?tls=none`,
      EXCHANGE_MAIL_FROM: "Example Pay <pay@example.com>",
    };
    [service, browser] = await Promise.all([startService({ env }), openBrowser()]);
    operator = await openConsole(browser, url);
    const [link] = await service.process.waitFor(/http:\/\/localhost:\d+\/#\/invitation\/\S+/);
    await operator.accept(link);
  });
  afterAll(async () => {
    if (browser) await closePages(browser);
    await service?.discard();
    await new Promise<void>((resolve) => smtp.close(() => resolve()));
  });

  test("an invitation is mailed in the person's language, and the list says so", async () => {
    const { page } = operator;
    await operator.open("people");
    await operator.button("Invite a person").click();
    const form = page.getByRole("dialog");
    await form.getByLabel("E-mail address").fill(GRETA);
    await form.getByLabel("Name", { exact: true }).fill("Greta");
    await form.getByRole("checkbox", { name: /^Viewer/ }).check();
    await form.getByLabel("Language of mails").selectOption("de");
    expect(await form.getByLabel("Mail the link to this address").isChecked()).toBe(true);
    await look(operator, "invite-by-mail");
    await form.getByRole("button", { name: "Invite a person" }).press("Enter");
    await page.getByText(`It is mailed to ${GRETA}`).waitFor();
    expect(await page.locator("dialog .secret").count()).toBe(0);
    await look(operator, "invitation-mailed");
    await operator.button("Close").press("Enter");
    await vi.waitUntil(() => mails.length > 0, WAIT);
    expect(mails[0]?.to).toBe(GRETA);
    expect(mails[0]?.text).toContain("Subject: Ihr Konto in der Konsole von localhost");
    await vi.waitFor(async () => {
      await operator.open("home");
      await operator.open("people");
      await page.getByText("mailed", { exact: true }).waitFor({ timeout: 10_000 });
    }, WAIT);
    await look(operator, "people-mailed");
  });

  test("the mailed link shows the authenticator's secret as a QR code and takes a password", async () => {
    const [link = ""] =
      /http:\/\/localhost:\d+\/#\/invitation\/[\w-]+/.exec(mails[0]?.text ?? "") ?? [];
    greta = await openConsole(browser, url);
    const { page } = greta;
    await page.goto(link);
    await greta.button("Use a password and an authenticator app").click();
    const code = page.getByRole("img", { name: "QR code for the authenticator app" });
    const uri = await page
      .getByRole("link", { name: "Open the app on this device" })
      .getAttribute("href");
    expect(await code.locator("path").getAttribute("d")).toBe(drawQr(uri ?? "").path);
    await look(greta, "invitation-password");
    const secret = Secret.fromBase32(new URL(uri ?? "").searchParams.get("secret") ?? "");
    // A code of the next step is right for a minute at least, however slow the machine is.
    const timestamp = Date.now() + 30_000;
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByLabel("Code", { exact: true }).fill(TOTP.generate({ secret, timestamp }));
    await greta.button("Create the account").click();
    await greta.button("I have stored them").waitFor();
    recoveryCodes = await page.locator(".codes li").allInnerTexts();
    await greta.button("I have stored them").click();
    await greta.button("Sign out").waitFor();
  });

  test("a person changes the password, and is signed out everywhere else", async () => {
    const other = await openConsole(browser, url);
    const signIn = async (password: string, code: string): Promise<void> => {
      await other.open("");
      await other.page.getByText("Use a password and a code").click();
      await other.page.getByLabel("E-mail address").fill(GRETA);
      await other.page.getByLabel("Password").fill(password);
      await other.page.getByLabel("Code", { exact: true }).fill(code);
      await other.button("Sign in").click();
    };
    await signIn(PASSWORD, recoveryCodes[0] ?? "");
    await other.button("Sign out").waitFor();
    await greta.open("account");
    const { page } = greta;
    await greta.button("Change the password").click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Current password").fill("wrong words are here");
    await form.getByLabel("New password").fill(NEW_PASSWORD);
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByRole("alert").waitFor();
    await look(greta, "password-form");
    await form.getByLabel("Current password").fill(PASSWORD);
    await form.getByLabel("New password").press("Enter");
    await page.getByText("The password is changed.").waitFor();
    await greta.button("Sign out there").waitFor({ state: "detached" });
    await look(greta, "password-changed");
    await other.open("account");
    await other.button("Sign in with a passkey").waitFor();
    await signIn(NEW_PASSWORD, recoveryCodes[1] ?? "");
    await other.button("Sign out").waitFor();
  });

  test("a proposed price is on the first screen, with a link to its approval", async () => {
    const words = ["--fee", "250", "--reason", "an acquirer became dearer"];
    await exchangeHere(service, "prices", "propose", "card-buy", ...words);
    const { page } = operator;
    await operator.open("home");
    const notice = page.getByRole("link", { name: /Price changes to approve: 1/ });
    await notice.waitFor();
    await look(operator, "home-proposal");
    await notice.press("Enter");
    await operator.button("Approve").waitFor();
  });

  test("a proposed price stands beside the price in force, also when that changed on the open screen", async () => {
    const { page } = operator;
    await operator.signInAgain();
    await operator.open("prices?which=proposed");
    await operator.button("Approve").click();
    await operator.button("Approve").waitFor({ state: "detached" });
    const words = ["--fee", "300", "--reason", "it became dearer again"];
    await exchangeHere(service, "prices", "propose", "card-buy", ...words);
    await operator.button("Approve").waitFor();
    const fee = page.getByRole("row", { name: /^Fee / });
    await expect.poll(() => fee.innerText()).toMatch(/2\.5\s?%\s+3\s?%/);
  });

  test("a new name of a person leaves the roles that somebody else has changed meanwhile", async () => {
    const { page } = operator;
    await operator.open("people");
    const card = page.locator("section.card").filter({ hasText: GRETA });
    await card.getByRole("button", { name: "Change" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Greta Gale");
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await dialog.getByRole("button", { name: "Save" }).click();
    expect((await sent).postDataJSON()).toEqual({ name: "Greta Gale" });
    await card.getByRole("heading", { name: /Greta Gale/ }).waitFor();
  });

  test("all of it is there in German, and axe finds nothing", async () => {
    const { page } = operator;
    await operator.open("people");
    await page.getByLabel("Language", { exact: true }).selectOption("de");
    await page.getByRole("heading", { level: 1, name: "Personen" }).waitFor();
    await operator.button("Neuen Link mailen").first().waitFor();
    await look(operator, "people-german");
    expect(faults).toEqual([]);
  });
});
