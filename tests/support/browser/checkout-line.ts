import type { Page, Route } from "playwright-core";

const CHECKOUT = "/v1/checkout";

/** What stands between the popup and the service: it counts what goes over it, and can be disturbed. */
export class CheckoutLine {
  readonly #page: Page;
  /** What was sent so far: "POST /orders", "GET /orders/7/events". */
  readonly calls: string[] = [];

  constructor(page: Page) {
    this.#page = page;
    page.context().on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith(CHECKOUT)) {
        this.calls.push(`${request.method()} ${pathname.slice(CHECKOUT.length)}`);
      }
    });
  }

  count(call: RegExp): number {
    return this.calls.filter((line) => call.test(line)).length;
  }

  /** Keeps back the answers to a path, as a proxy does that waits for their end. */
  async holdBack(path: string): Promise<void> {
    await this.#on(path, async () => {});
  }

  /** The service gets it, and its answer is lost on the way back. */
  async loseAnswer(path: string): Promise<void> {
    await this.#on(path, async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    });
  }

  /** Nothing under a path gets through until the line is mended. */
  async cut(path: string): Promise<() => Promise<void>> {
    const matches = matcher(path);
    await this.#page.context().route(matches, (route) => route.abort("connectionrefused"));
    return () => this.#page.context().unroute(matches);
  }

  /** Another version of the service answers: the data it gives is changed. */
  async change<Data extends object>(path: string, change: (data: Data) => object): Promise<void> {
    await this.#on(path, async (route) => {
      const response = await route.fetch();
      const body: { data?: Data } = await response.json();
      const data = body.data && change(body.data);
      await route.fulfill({ response, json: { ...body, data } });
    });
  }

  /** The service refuses a path. */
  async refuse(path: string, status: number, code: string): Promise<void> {
    await this.#on(path, (route) => route.fulfill({ status, json: { code, message: "" } }));
  }

  async #on(path: string, handle: (route: Route) => Promise<void>): Promise<void> {
    await this.#page.context().route(matcher(path), handle);
  }
}

/** `*` stands for an order's number. */
function matcher(path: string): RegExp {
  return new RegExp(`${CHECKOUT}${path.replace("*", "\\d+")}$`);
}
