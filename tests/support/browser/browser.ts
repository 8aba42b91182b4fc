import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { TestRunner } from "vitest";
import { addToFailure } from "../service/failed-test.ts";

/** Set by `npm test` when it found a browser. */
const executablePath = process.env["CHROMIUM_PATH"];
export const hasBrowser = executablePath !== undefined;

export async function launchBrowser(
  more: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<Browser> {
  if (executablePath === undefined) throw new Error("CHROMIUM_PATH is not set");
  const browser = await chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--site-per-process",
      "--disable-gpu",
      "--disable-background-networking",
      ...more,
    ],
    env: { ...process.env, ...variables },
  });
  // An animation costs the processor every frame. Tests of motion turn it on in their own context. A flag of the browser
  // would have no effect, because Playwright turns motion on in each context that does not choose.
  const { newContext } = browser;
  browser.newContext = (look) => newContext.call(browser, { reducedMotion: "reduce", ...look });
  return browser;
}

let ofThisWorker: Promise<Browser> | undefined;

/**
 * Returns the browser of this worker, whose test files follow one another. A file closes its pages and leaves the browser,
 * because a start takes seconds of a processor. It ends with the worker.
 */
export async function openBrowser(): Promise<Browser> {
  // A launch that failed has failed the file that needed it. The next file tries again.
  const running = await ofThisWorker?.catch(() => undefined);
  if (running?.isConnected()) return running;
  ofThisWorker = launchBrowser();
  return ofThisWorker;
}

/** Opens a page in a context of its own. */
export async function openPage(browser: Browser, look: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(look);
  context.setDefaultTimeout(60_000);
  return context.newPage();
}

/** The time that a page has to describe its content. A page that stays busy is skipped. */
const SHOWN_MS = 5_000;
/** The lines of all pages together. The end of a long output may be all that is kept of it. */
const SHOWN_LINES = 60;

/**
 * Adds the main part of every open page of this worker, as its accessibility tree, to the error of a failed test. A test that
 * waited in vain names only the text that it waited for.
 */
export async function showPagesOfFailure(): Promise<void> {
  const test = TestRunner.getCurrentTest();
  const browser = await ofThisWorker?.catch(() => undefined);
  const error = test?.result?.errors?.at(-1);
  if (error === undefined || !browser) return;
  const pages = browser.contexts().flatMap((context) => context.pages());
  const described = pages.map(async (page) => {
    const place = page.locator("main, body:not(:has(main))").first();
    const content = place.ariaSnapshot({ timeout: SHOWN_MS });
    return `${page.url()}\n${await content.catch((silent: Error) => silent.message)}`;
  });
  const lines = (await Promise.all(described)).join("\n\n").split("\n");
  const shown = lines.slice(0, SHOWN_LINES).join("\n");
  if (shown !== "") addToFailure(error, `\n\nThe pages then:\n${shown}`);
}

/** Closes every page of the test before. A handler of a pending request then fails, which is expected. */
export async function closePages(browser: Browser): Promise<void> {
  await showPagesOfFailure();
  const ignoringErrors = { behavior: "ignoreErrors" } as const;
  await Promise.all(
    browser.contexts().map(async (context) => {
      await Promise.all(
        [context, ...context.pages()].map((each) => each.unrouteAll(ignoringErrors)),
      );
      await context.close();
    }),
  );
}

/** The combinations of width and theme in which each screen is checked. */
export const LOOKS = {
  "desktop-light": { viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  "desktop-dark": { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
  "phone-light": { viewport: { width: 390, height: 844 }, colorScheme: "light", hasTouch: true },
  "phone-dark": { viewport: { width: 390, height: 844 }, colorScheme: "dark", hasTouch: true },
} as const satisfies Record<string, BrowserContextOptions>;
export type Look = keyof typeof LOOKS;

/** Records the requests of a page and its frames: method, address and body. */
export function recordRequests(page: Page): readonly string[] {
  const seen: string[] = [];
  page.context().on("request", (request) => {
    seen.push(`${request.method()} ${request.url()} ${request.postData() ?? ""}`);
  });
  return seen;
}
