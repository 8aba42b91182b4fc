import { createHash } from "node:crypto";
import { runInNewContext, Script } from "node:vm";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { call } from "../support/http/api.ts";
import { createMerchant, type Merchant } from "../support/orders/merchant.ts";

const service = inject("service");
let merchant: Merchant;
beforeAll(async () => {
  merchant = await createMerchant(service);
});

const script = (query: Record<string, string>) =>
  call<unknown>(service, { path: `/v1/sdk/exchange.js?${new URLSearchParams(query)}` });
const validQuery = () => ({ clientId: merchant.clientId, env: "dev" });

test("the script is JavaScript that parses, with the values embedded", async () => {
  const answer = await script({ ...validQuery(), baseCurrency: "cad", baseAmount: "125" });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^application\/javascript/);
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(() => new Script(answer.text)).not.toThrow();
  expect(answer.text).toContain(merchant.clientId);
});

describe("hostile parameters stay one inert string", () => {
  test.each([
    `</script><script>globalThis.attacked=true</script>`,
    `";globalThis.attacked=true;//`,
    `';globalThis.attacked=true;//`,
    "`${globalThis.attacked=true}`",
    `\\";globalThis.attacked=true;//`,
    `\u2028globalThis.attacked=true\u2029`,
    `<!--<script>`,
    `]]>`,
  ])("%j", async (value) => {
    const answer = await script({ ...validQuery(), walletAddress: value, paymentMethod: value });
    expect(answer.status).toBe(200);
    expect(answer.text).not.toMatch(/<\/?script/i);
    expect(answer.text).not.toContain("<!--");
    expect(answer.text).not.toMatch(/[\u2028\u2029]/);
    const world: Record<string, unknown> = {};
    world["globalThis"] = world;
    try {
      runInNewContext(answer.text, world);
    } catch {
      // The script fails without a window. The test shows that no part of the value ran.
    }
    expect(world["attacked"]).toBeUndefined();
  });
});

describe("what the script endpoint cannot serve is a 500 with a message only", () => {
  test.each<[string, () => Record<string, string>]>([
    ["no client id", () => ({ env: "dev" })],
    ["no environment", () => ({ clientId: merchant.clientId })],
    ["another environment", () => ({ ...validQuery(), env: "prod" })],
    ["an unknown environment", () => ({ ...validQuery(), env: "test" })],
    ["an unknown client id", () => ({ ...validQuery(), clientId: "client_dev_AAAAAAAAAAAAAAAA" })],
    ["a client id of prod", () => ({ ...validQuery(), clientId: "client_prod_AAAAAAAAAAAAAAAA" })],
    ["an unknown parameter", () => ({ ...validQuery(), v: "2" })],
    ["an amount that is none", () => ({ ...validQuery(), baseAmount: "ten" })],
  ])("%s", async (_title, query) => {
    const answer = await script(query());
    expect(answer.status).toBe(500);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(answer.body).toEqual({ message: expect.any(String) });
  });

  test("a parameter twice", async () => {
    const path = `/v1/sdk/exchange.js?clientId=${merchant.clientId}&env=dev&env=dev`;
    const answer = await call(service, { path });
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({ message: expect.any(String) });
  });
});

describe("the script of one version", () => {
  const about = async () =>
    (
      await call<Record<"version" | "script" | "integrity" | "types", string>>(service, {
        path: "/v1/sdk/exchange.json",
      })
    ).body;

  test("is what its hash says, for every merchant, and kept for good", async () => {
    const { version, script: address, integrity } = await about();
    expect(new URL(address).pathname).toBe(`/v1/sdk/exchange-${version}.js`);
    const answer = await call(service, { path: new URL(address).pathname });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    // Without it a page may not check the hash.
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    const hash = createHash("sha384").update(answer.text).digest("base64");
    expect(integrity).toBe(`sha384-${hash}`);
    expect(() => new Script(answer.text)).not.toThrow();
    expect(answer.text).not.toContain("client_dev_");
  });

  test("of another version is not found, in the documented envelope", async () => {
    const answer = await call(service, { path: "/v1/sdk/exchange-99.0.0.js" });
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: "NOT_FOUND", message: expect.any(String) });
  });

  test("has the custom element beside it, kept for good and with a hash of its own", async () => {
    const { button } = (
      await call<{ button: Record<"script" | "integrity", string> }>(service, {
        path: "/v1/sdk/exchange.json",
      })
    ).body;
    const answer = await call(service, { path: new URL(button.script).pathname });
    expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    const hash = createHash("sha384").update(answer.text).digest("base64");
    expect(button.integrity).toBe(`sha384-${hash}`);
    const newest = await call(service, { path: "/v1/sdk/exchange-button.js" });
    expect(newest.text).toBe(answer.text);
    expect(newest.headers.get("cache-control")).toContain("max-age=300");
  });

  test("has its types beside it", async () => {
    const answer = await call(service, { path: new URL((await about()).types).pathname });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain("interface ExchangeApi");
    expect(answer.text).not.toMatch(/\bimport\b/);
  });
});
