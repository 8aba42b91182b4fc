import type { Browser } from "playwright-core";
import { exchangeHere } from "../service/command-line.ts";
import { freePort } from "../service/processes.ts";
import { type StartedService, startService } from "../service/service.ts";
import { openBrowser } from "./browser.ts";
import { type ConsolePage, openConsole } from "./console-page.ts";

/** A service with its console, and the browser in which people use it. */
export interface StartedConsole {
  readonly service: StartedService;
  readonly browser: Browser;
  /** The console's address. */
  readonly url: string;
}

export async function startConsole(): Promise<StartedConsole> {
  const port = String(await freePort());
  // If the browser fails, no service is left running.
  const browser = await openBrowser();
  const service = await startService({ env: { EXCHANGE_CONSOLE_PORT: port } });
  return { service, browser, url: `http://localhost:${port}` };
}

/** A person of the operator, or of the merchant with this client id. */
export interface Invited {
  readonly email: string;
  readonly role: string;
  readonly clientId?: string | undefined;
}

/** Invites a person at the command line. Returns the link of the invitation. */
export async function inviteByCommand(
  service: StartedService,
  { email, role, clientId }: Invited,
): Promise<string> {
  const words = ["people", "invite", email, "--role", role];
  const ofMerchant = clientId === undefined ? [] : ["--client", clientId];
  return (await exchangeHere<{ link: string }>(service, ...words, ...ofMerchant)).link;
}

/** Invites a person at the command line, who accepts in a browser of their own. */
export async function invitedPerson(
  { service, browser, url }: StartedConsole,
  invited: Invited,
  prepare: (person: ConsolePage) => Promise<unknown> = async () => {},
): Promise<ConsolePage> {
  const link = await inviteByCommand(service, invited);
  const person = await openConsole(browser, url);
  await prepare(person);
  await person.accept(link);
  return person;
}
