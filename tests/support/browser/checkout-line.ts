import type { Page, Route } from "playwright-core";

const CHECKOUT = "/v1/checkout";

/** The network between the popup and the service. It counts calls, and a test can disturb it. */
export class CheckoutLine {
  readonly #page: Page;
  /** The calls so far: "POST /orders", "GET /orders/7/events". */
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

  /** Holds back the answers to a path, as a proxy does that buffers them. */
  async holdBack(path: string): Promise<void> {
    await this.#on(path, async () => {});
  }

  /** Delivers a call to the service and loses its answer. */
  async loseAnswer(path: string): Promise<void> {
    await this.#on(path, async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    });
  }

  /** Refuses connections to a path, until the returned function is called. */
  async cut(path: string): Promise<() => Promise<void>> {
    const matches = matcher(path);
    await this.#page.context().route(matches, (route) => route.abort("connectionrefused"));
    return () => this.#page.context().unroute(matches);
  }

  /** Changes the data of an answer, as another version of the service would. */
  async change<Data extends object>(path: string, change: (data: Data) => object): Promise<void> {
    await this.#on(path, async (route) => {
      const response = await route.fetch();
      const body: { data?: Data } = await response.json();
      const data = body.data && change(body.data);
      await route.fulfill({ response, json: { ...body, data } });
    });
  }

  /** Answers a path with an error. */
  async refuse(path: string, status: number, code: string): Promise<void> {
    await this.#on(path, (route) => route.fulfill({ status, json: { code, message: "" } }));
  }

  async #on(path: string, handle: (route: Route) => Promise<void>): Promise<void> {
    await this.#page.context().route(matcher(path), handle);
  }
}

/** `*` is an order's number. */
function matcher(path: string): RegExp {
  return new RegExp(`${CHECKOUT}${path.replace("*", "\\d+")}$`);
}
