import type { Browser, BrowserContext, Page } from "playwright-core";

/** A person's browser with a passkey of its own, at the console. */
export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a link of an invitation and creates a passkey. */
  accept(link: string): Promise<void>;
  /** Opens a place of the console by its address behind #, and waits until nothing more loads: a press may miss what moves. */
  open(place: string): Promise<void>;
  /** Chooses the language of the console, which loads the page again. */
  speak(language: string): Promise<void>;
  /** Signs out and in again: the proof of a sign-in is fresh for five minutes. */
  signInAgain(): Promise<void>;
  button(name: string | RegExp): ReturnType<Page["getByRole"]>;
}

/** A test may have replaced the timers, so this uses a message. */
const NEXT_TASK = `new Promise((run) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = run;
  port2.postMessage(0);
})`;

/** Opens a browser of its own for a person, with a virtual authenticator that always agrees. */
export async function openConsole(
  browser: Browser,
  url: string,
  locale = "en-GB",
): Promise<ConsolePage> {
  const context = await browser.newContext({ locale });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
  return {
    page,
    context,
    button,
    async accept(link) {
      await page.goto(link);
      await button("Create a passkey").click();
      await page.getByRole("button", { name: "Sign out" }).waitFor();
    },
    async open(place) {
      const address = `${url}/#/${place}`;
      // A browser that is at this address already would load nothing.
      if (page.url() === address) await page.reload();
      else await page.goto(address);
      // The previous screen stays until the hashchange event has run.
      await page.evaluate(NEXT_TASK);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
    },
    async speak(language) {
      const loading = page.waitForEvent("framenavigated");
      await page.locator(".who select").selectOption(language);
      await loading;
      await page.locator(`html[lang="${language}"] .who`).waitFor();
    },
    async signInAgain() {
      await button("Sign out").click();
      await button("Sign in with a passkey").click();
      await button("Sign out").waitFor();
    },
  };
}
