import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMerchant } from "../flows/merchants/create.ts";
import { type HttpWorld, makeHttpWorld } from "../testing/http-world.ts";
import { operatorNamed } from "../testing/operators.ts";
import { MERCHANT_ID } from "../testing/world.ts";

interface Document {
  readonly paths: Record<
    string,
    { post: { requestBody: { content: { "application/json": { example: object } } } } }
  >;
}

let world: HttpWorld;

beforeAll(async () => {
  world = await makeHttpWorld();
});
afterAll(() => world.close());

const scriptUrl = (parameters: Record<string, string> = {}): string => {
  const query = new URLSearchParams({ clientId: MERCHANT_ID, env: "dev", ...parameters });
  return `/v1/sdk/exchange.js?${query.toString()}`;
};

/** A merchant that another process created, so the memory of the server lacks it. */
const newMerchant = async (): Promise<string> => {
  const by = operatorNamed("anna");
  const allowedOrigins = ["https://new.example"];
  const { merchant } = await createMerchant(world.deps, {
    name: "Brand-new shop",
    allowedOrigins,
    by,
  });
  return merchant.id;
};

test("a new merchant's popup begins with the currency of its country", async () => {
  const create = async (countryCode: string) => {
    const shop = { name: "Shop", allowedOrigins: [], by: operatorNamed("anna"), countryCode };
    return (await createMerchant(world.deps, shop)).merchant.settings.defaults;
  };
  expect(await create("DE")).toEqual({ baseCurrency: "eur", targetCurrency: "btc" });
  expect(await create("US")).toEqual({ baseCurrency: "usd", targetCurrency: "btc" });
  // Its currency is not exchanged.
  expect(await create("AF")).toEqual({ baseCurrency: "usd", targetCurrency: "btc" });
});

describe("(i): a merchant that was just created", () => {
  test("has a script at the first request", async () => {
    const reply = await world.call({ url: scriptUrl({ clientId: await newMerchant() }) });
    expect([reply.status, reply.text.includes("Brand-new shop")]).toEqual([200, true]);
  });

  test("has a checkout at the first request, framed by its own pages", async () => {
    const reply = await world.call({ url: `/checkout?clientId=${await newMerchant()}` });
    const policy = String(reply.headers["content-security-policy"]);
    expect(policy).toContain("frame-ancestors https://new.example");
  });

  test("is found by twenty scripts at once, and invented ids are refused at once", async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, newMerchant));
    const replies = await Promise.all(
      ids.map((clientId) => world.call({ url: scriptUrl({ clientId }) })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    const invented = await world.call({ url: scriptUrl({ clientId: "client_dev_INVENTED" }) });
    expect([invented.status, invented.text.includes("onboarding")]).toEqual([500, true]);
  });
});

describe("the script", () => {
  test("is a script any page may load and any cache may keep for a while", async () => {
    const reply = await world.call({ url: scriptUrl() });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      "content-type": "application/javascript; charset=utf-8",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "cross-origin",
      "access-control-allow-origin": "*",
      "timing-allow-origin": "*",
      "cache-control": "public, max-age=300, stale-while-revalidate=3600",
    });
    const etag = String(reply.headers["etag"]);
    const again = await world.call({ url: scriptUrl(), headers: { "if-none-match": `W/${etag}` } });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  test("is compressed when the browser takes it", async () => {
    const headers = { "accept-encoding": "gzip, br;q=0" };
    expect((await world.call({ url: scriptUrl(), headers })).headers["content-encoding"]).toBe(
      "gzip",
    );
  });

  test.each([
    ["</script><script>alert(1)</script>"],
    ['"};alert(1);//'],
    ["\u2028alert(1)\u2029"],
    ["<!--"],
    ["\\"],
    ["${alert(1)}"],
    ["'+alert(1)+'"],
  ])("holds %j as nothing but text", async (walletAddress) => {
    const reply = await world.call({ url: scriptUrl({ walletAddress }) });
    expect(reply.status).toBe(200);
    expect(reply.text).not.toMatch(/<\/script|<!--/i);
    const literal = /JSON\.parse\(("(?:[^"\\]|\\.)*")\)/.exec(reply.text)?.[1] ?? "";
    const config = JSON.parse(runInNewContext(literal) as string) as {
      options: { walletAddress: string };
    };
    expect(config.options.walletAddress).toBe(walletAddress);
  });

  test.each([
    ["no client id", "?env=dev", "clientId"],
    ["no environment", `?clientId=${MERCHANT_ID}`, "env must be dev"],
    ["another environment", `?clientId=${MERCHANT_ID}&env=prod`, "env must be dev"],
    ["a parameter twice", `?clientId=${MERCHANT_ID}&env=dev&env=dev`, "env appears twice"],
    ["an amount of text", `?clientId=${MERCHANT_ID}&env=dev&baseAmount=much`, "baseAmount"],
    ["1e400", `?clientId=${MERCHANT_ID}&env=dev&baseAmount=1e400`, "baseAmount"],
    ["a negative amount", `?clientId=${MERCHANT_ID}&env=dev&targetAmount=-1`, "targetAmount"],
    ["nine decimals", `?clientId=${MERCHANT_ID}&env=dev&baseAmount=0.000000001`, "baseAmount"],
    [
      "129 characters",
      `?clientId=${MERCHANT_ID}&env=dev&walletAddress=${"x".repeat(129)}`,
      "walletAddress",
    ],
    [
      "a parameter it does not know",
      `?clientId=${MERCHANT_ID}&env=dev&baseCurency=eur`,
      "baseCurency",
    ],
    [
      "a client id nobody has",
      "?clientId=client_dev_nobody&env=dev",
      "not a client id of this service",
    ],
    [
      "a client id of another environment",
      "?clientId=client_prod_TESTMERCHANT&env=dev",
      "clientId belongs to prod",
    ],
  ])(
    "answers %s with 500 and a message that says what to correct and that a browser shows",
    async (_name, query, words) => {
      const reply = await world.call<{ message: string }>({ url: `/v1/sdk/exchange.js${query}` });
      expect(reply.status).toBe(500);
      expect(Object.keys(reply.body)).toEqual(["message"]);
      expect(reply.body.message).toContain(words);
      expect(reply.headers["cache-control"]).toBe("no-store");
      // Otherwise the browser hides the message.
      expect(reply.headers["cross-origin-resource-policy"]).toBe("cross-origin");
    },
  );

  test("tells nothing secret", async () => {
    const reply = await world.call({ url: scriptUrl({ clientId: world.shop.clientId }) });
    expect(reply.text).not.toMatch(/exk_|whsec_/);
  });
});

describe("the checkout's page", () => {
  const policyOf = async (query: string): Promise<string> => {
    const { headers } = await world.call({ url: `/checkout${query}` });
    return String(headers["content-security-policy"]);
  };

  test("may be framed by the merchant's origins, and by nobody for an unknown client", async () => {
    expect(await policyOf(`?clientId=${MERCHANT_ID}`)).toContain(
      "frame-ancestors https://shop.example",
    );
    expect(await policyOf(`?clientId=${world.shop.clientId}`)).toContain(
      "frame-ancestors http://localhost:* http://127.0.0.1:*",
    );
    for (const query of ["", "?clientId=nobody", `?clientId=${MERCHANT_ID}&clientId=x`]) {
      expect(await policyOf(query)).toMatch(/frame-ancestors 'none'$/);
    }
  });

  test("allows no inline code and nothing from elsewhere", async () => {
    const policy = await policyOf(`?clientId=${MERCHANT_ID}`);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain("unsafe");
  });

  test.each([
    ["/checkout/assets/nothing.js"],
    ["/checkout/../package.json"],
    ["/checkout/%2e%2e/package.json"],
    ["/checkout/..%2fpackage.json"],
    ["/checkout/assets/"],
  ])("%s is not found", async (url) => {
    expect((await world.call({ url })).status).toBe(404);
  });
});

describe("documents", () => {
  test("the OpenAPI document is served", async () => {
    const reply = await world.call({ url: "/v1/openapi.json" });
    expect(reply.body).toMatchObject({
      openapi: "3.1.0",
      servers: [{ url: "http://localhost:8080/v1" }],
    });
  });

  test("the reference shows every endpoint, webhook and error code, and loads nothing from elsewhere", async () => {
    const reply = await world.call({ url: "/docs/api" });
    expect(reply.headers["content-type"]).toBe("text/html; charset=utf-8");
    const { paths } = (await world.call<{ paths: object }>({ url: "/v1/openapi.json" })).body;
    for (const path of Object.keys(paths)) expect(reply.text).toContain(`<code>/v1${path}</code>`);
    for (const word of ["OrderFulfillment", "onOrderCreated", "QUOTE_EXPIRED", "curl"]) {
      expect(reply.text).toContain(word);
    }
    expect(reply.text).not.toMatch(/src="http|href="http|@import/);
    const scripts = reply.text.match(/<script[^>]*>/g);
    expect(scripts).toEqual([
      '<script src="/docs/page.js" defer>',
      '<script src="/docs/reference.js" defer>',
    ]);
    expect(reply.headers["content-security-policy"]).toContain(
      "script-src 'self'; style-src 'self'",
    );
    for (const [name, type] of [
      ["style.css", "text/css; charset=utf-8"],
      ["reference.js", "application/javascript; charset=utf-8"],
      ["page.js", "application/javascript; charset=utf-8"],
      ["guide.js", "application/javascript; charset=utf-8"],
    ]) {
      const file = await world.call({ url: `/docs/${name}` });
      expect([file.status, file.headers["content-type"]]).toEqual([200, type]);
    }
  });

  test("the examples of requests work as they are written", async () => {
    const { paths } = (await world.call<Document>({ url: "/v1/openapi.json" })).body;
    for (const [path, status] of [
      ["/public_token/create", 201],
      ["/exchange/quotes", 200],
    ] as const) {
      const payload = paths[path]?.post.requestBody.content["application/json"].example ?? {};
      const { headers } = world.shop;
      const reply = await world.call({ method: "POST", url: `/v1${path}`, headers, payload });
      expect(reply.status, reply.text).toBe(status);
    }
  });

  test("each page of the documents is served for people and as Markdown, with this service's own address", async () => {
    const home = await world.call({ url: "/docs" });
    const names = [...home.text.matchAll(/<dt><a href="\/docs\/([^"]+)"/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(30);
    for (const name of names) {
      const page = await world.call({ url: `/docs/${name}` });
      expect([name, page.status, page.headers["content-type"]]).toEqual([
        ...[name, 200, "text/html; charset=utf-8"],
      ]);
      expect(page.headers["content-security-policy"]).toContain("script-src 'self'");
      expect(page.text).not.toContain("{base_url}");
      const markdown = await world.call({ url: `/docs/${name}.md` });
      expect(markdown.headers["content-type"]).toBe("text/markdown; charset=utf-8");
      expect(markdown.text).toMatch(/^# /);
    }
    const guide = await world.call({ url: "/docs/guides/integrate-the-checkout.md" });
    expect(guide.text).toContain("http://localhost:8080/v1/public_token/create");
  });

  test("samples read the demo's key from its file in dev only", async () => {
    const demo = { clientId: "client_dev_DEMO", keyFile: "/srv/data/demo-merchant.key" };
    const pages = ["/docs/api", "/v1/openapi.json", "/docs/guides/integrate-the-checkout.md"];
    for (const environment of ["dev", "staging", "prod"] as const) {
      const other = await makeHttpWorld({ deps: { environment, demo } });
      for (const url of pages) {
        const { text } = await other.call({ url });
        const has = (words: string) => text.includes(words);
        const isDev = environment === "dev";
        expect([url, environment, has(demo.keyFile), has(demo.clientId)]).toEqual([
          ...[url, environment, isDev, isDev],
        ]);
      }
      await other.close();
    }
  });

  test.each([
    ...[
      "nothing",
      "guides",
      "guides/../../package.json",
      "..%2f..%2fpackage.json",
      ".md",
      "constructor",
    ],
    ...["guides/integrate-the-checkout.md.md", "%00", "reference/errors/"],
  ])("a page that does not exist is not found: %s", async (name) => {
    const { status } = await world.call({ url: `/docs/${name}` });
    expect(status).toBe(404);
  });

  test("the root leads to the documents", async () => {
    const { status, headers } = await world.call({ url: "/" });
    expect([status, headers["location"]]).toEqual([302, "/docs"]);
  });
});

describe("health", () => {
  test("a running copy with its database is ready", async () => {
    expect((await world.call({ url: "/healthz" })).body).toEqual({ status: "ok" });
    // An answer of the database that takes two seconds is a fault.
    await expect
      .poll(async () => (await world.call({ url: "/readyz" })).body)
      .toEqual({
        status: "ok",
        checks: { database: "ok", catalogue: "ok", clock: "ok", history: "ok", process: "ok" },
      });
  });

  test("a copy without its database is alive and not ready", async () => {
    const broken = await makeHttpWorld();
    await broken.database.close();
    expect((await broken.call({ url: "/healthz" })).status).toBe(200);
    const ready = await broken.call({ url: "/readyz" });
    expect(ready.status).toBe(503);
    expect(ready.body).toMatchObject({ checks: { database: "failing" } });
    await broken.app.close();
  });
});
