import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser, openBrowser } from "../support/browser/browser.ts";
import { type ConsolePage, openConsole } from "../support/browser/console-page.ts";
import { makeLook } from "../support/browser/look.ts";
import { inviteByCommand } from "../support/browser/started-console.ts";
import { freePort, type Running, run } from "../support/service/processes.ts";
import { type StartedService, startService } from "../support/service/service.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PROVIDER = "apps/server/src/testing/identity-provider.mjs";

let service: StartedService;
let provider: Running;
let browser: Browser;
let url: string;

const { look, faults } = makeLook();

/** Signs in at the provider, to which the console sent the browser, with the keyboard. */
async function atProvider(page: Page, account: string): Promise<void> {
  await page.getByLabel("Account").fill(account);
  await page.keyboard.press("Enter");
}

const invitation = (email: string, role = "viewer"): Promise<string> =>
  inviteByCommand(service, { email, role });

/** Opens the sign-in screen in a new browser and goes to the provider. */
async function signInAs(account: string): Promise<ConsolePage> {
  const person = await openConsole(browser, url);
  await person.open("");
  await person.button("Sign in with Example Login").press("Enter");
  await atProvider(person.page, account);
  return person;
}

describe.runIf(hasBrowser)("single sign-on", () => {
  beforeAll(async () => {
    const port = String(await freePort());
    url = `http://localhost:${port}`;
    const command = [process.execPath, PROVIDER, `${url}/sign_in/callback`];
    provider = run(command, { cwd: ROOT, env: process.env });
    const [, issuer = ""] = await provider.waitFor(/issuer (\S+)/);
    const env = {
      EXCHANGE_CONSOLE_PORT: port,
      EXCHANGE_SSO_ISSUER: issuer,
      EXCHANGE_SSO_CLIENT_ID: "exchange-console",
      EXCHANGE_SSO_CLIENT_SECRET: "a-secret-of-the-test",
      EXCHANGE_SSO_NAME: "Example Login",
    };
    [service, browser] = await Promise.all([startService({ env }), openBrowser()]);
  });
  afterAll(async () => {
    if (browser) await closePages(browser);
    await service?.discard();
    provider?.signalGroup("SIGTERM");
  });

  test("an invited person accepts at the provider, adds a passkey, and signs in there the next day", async () => {
    const ida = await openConsole(browser, url);
    await ida.page.goto(await invitation("ida@example.com", "administrator"));
    await ida.button("Sign in with Example Login").waitFor();
    await look(ida, "sso-invitation");
    await ida.button("Sign in with Example Login").press("Enter");
    await atProvider(ida.page, "ida");
    await ida.page.getByText("Add a passkey now.").waitFor();
    expect(ida.page.url()).toBe(`${url}/#/account`);
    await look(ida, "sso-account");
    await ida.button("Add a passkey").click();
    await ida.page.getByText("Add a passkey now.").waitFor({ state: "detached" });
    await ida.button("Sign out").click();
    await ida.button("Sign in with Example Login").waitFor();
    await look(ida, "sso-sign-in");
    await ida.button("Sign in with Example Login").click();
    await ida.button("Sign out").waitFor();
    expect(ida.page.url()).toBe(`${url}/`);

    await ida.open("people");
    await ida.button("Invite a person").click();
    const form = ida.page.getByRole("dialog");
    await form.getByLabel("E-mail address").fill("new@example.com");
    await form.getByLabel("Name", { exact: true }).fill("New");
    await form.getByRole("checkbox", { name: /^Viewer/ }).check();
    await form.getByRole("button", { name: "Invite a person" }).click();
    await ida.button("Confirm with a passkey").click();
    await ida.page.locator("dialog .secret").waitFor();
  });

  test("nobody enters whom no one invited, also with the e-mail address of a person", async () => {
    await invitation("mallory@example.com");
    const mallory = await signInAs("mallory");
    await mallory.page.getByText("No account of the console is linked").waitFor();
    expect(await mallory.button("Sign out").count()).toBe(0);
    const names = (await mallory.context.cookies(url)).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith("exchange"))).toEqual([]);
    await look(mallory, "sso-refused");
  });

  test("an answer that another browser began is refused", async () => {
    const attacker = await openConsole(browser, url);
    let planted = "";
    attacker.page.on("request", (request) => {
      if (request.url().startsWith(`${url}/sign_in/callback?`)) planted = request.url();
    });
    // The attacker keeps the answer and does not use it.
    await attacker.page.route("**/v1/admin/sign_in/provider", (route, request) =>
      request.method() === "POST" ? route.abort() : route.continue(),
    );
    await attacker.open("");
    await attacker.button("Sign in with Example Login").click();
    await atProvider(attacker.page, "ida");
    await expect.poll(() => planted).toContain("code=");

    const victim = await openConsole(browser, url);
    await victim.page.goto(planted);
    await victim.page.getByText("did not count").waitFor();
    expect(victim.page.url()).toBe(`${url}/`);
    expect(await victim.button("Sign out").count()).toBe(0);
  });

  test("a person links an account and unlinks it again, in German too, and axe finds nothing", async () => {
    const ben = await openConsole(browser, url);
    await ben.accept(await invitation("ben@example.com"));
    await ben.open("account");
    await ben.button("Link Example Login").click();
    await atProvider(ben.page, "ben-elsewhere");
    await ben.page.getByText("Linked with ben-elsewhere@example.com").waitFor();
    await look(ben, "sso-linked");
    const again = await signInAs("ben-elsewhere");
    await again.button("Sign out").waitFor();
    await ben.page.getByLabel("Language").selectOption("de");
    await ben.page.getByText("Verknüpft mit ben-elsewhere@example.com").waitFor();
    await ben.button("Verknüpfung lösen").click();
    await ben.button("Example Login verknüpfen").waitFor();
    expect(faults).toEqual([]);
  });

  test("passkeys go on when the provider is away", async () => {
    provider.signalGroup("SIGKILL");
    await provider.exited;
    const cleo = await openConsole(browser, url);
    await cleo.accept(await invitation("cleo@example.com"));
    await cleo.button("Sign out").click();
    await cleo.button("Sign in with a passkey").click();
    await cleo.button("Sign out").waitFor();
  });
});
