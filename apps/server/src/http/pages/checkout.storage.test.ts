import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GENEROUS, type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { buildHttpServer } from "../server.ts";

const SHOP = "https://shop.example";

let world: HttpWorld;
beforeAll(async () => {
  world = await makeHttpWorld();
});
afterAll(() => world.close());

const openingOf = (text: string): unknown => {
  const [, json] =
    /<script type="application\/json" id="opening">(.*?)<\/script>/s.exec(text) ?? [];
  return json === undefined ? undefined : JSON.parse(json);
};
const policyOf = (headers: Readonly<Record<string, unknown>>) =>
  String(headers["content-security-policy"]);

describe("a checkout in a window of its own", () => {
  test("gets the origins it may message, and cannot be framed", async () => {
    const reply = await world.call({ url: `/checkout?clientId=${MERCHANT_ID}&mode=popup` });
    expect(openingOf(reply.text)).toEqual({ mode: "popup", origins: [SHOP] });
    expect(policyOf(reply.headers)).toMatch(/frame-ancestors 'none'$/);
  });

  test.each([
    ["dark", '<html data-theme="dark" lang="en">'],
    ["light", '<html data-theme="light" lang="en">'],
    ["light dark", '<html lang="en">'],
    ['x"><script>', '<html lang="en">'],
  ])("has the theme %s that its page names before its script runs", async (theme, element) => {
    const query = `clientId=${MERCHANT_ID}&mode=popup&theme=${encodeURIComponent(theme)}`;
    expect((await world.call({ url: `/checkout?${query}` })).text).toContain(element);
  });

  test.each(["", "&clientId=x"])("has nobody to speak to for an unknown client", async (more) => {
    const reply = await world.call({ url: `/checkout?clientId=nobody&mode=popup${more}` });
    expect(openingOf(reply.text)).toEqual({ mode: "popup", origins: [] });
  });

  test("a frame gets no origins: the browser enforces its ancestors", async () => {
    const reply = await world.call({ url: `/checkout?clientId=${MERCHANT_ID}&mode=modal` });
    expect(openingOf(reply.text)).toBeUndefined();
    expect(policyOf(reply.headers)).toMatch(/frame-ancestors https:\/\/shop\.example$/);
  });
});

describe("every page of an installation with an operator", () => {
  const operator = { name: "Example </script> Ltd", helpUrl: "https://pay.example.com/help" };
  let operated: HttpWorld;
  beforeAll(async () => {
    operated = await makeHttpWorld({ deps: { operator } });
  });
  afterAll(() => operated.close());

  test.each(["/o/secret", `/checkout?clientId=${MERCHANT_ID}&mode=popup`, "/checkout"])(
    "names it, so that help is found without a session: %s",
    async (url) => {
      const { text } = await operated.call({ url });
      const [, json = ""] =
        /<script type="application\/json" id="operator">(.*?)<\/script>/s.exec(text) ?? [];
      expect(JSON.parse(json)).toEqual(operator);
      expect((await world.call({ url })).text).not.toContain('id="operator"');
    },
  );
});

describe("a page that names its origin", () => {
  const open = (clientId: string, origin: string, mode = "modal") =>
    world.call({
      url: `/checkout?clientId=${clientId}&mode=${mode}&origin=${encodeURIComponent(origin)}`,
    });

  test("and is registered gets the checkout as before", async () => {
    const reply = await open(MERCHANT_ID, SHOP);
    expect(openingOf(reply.text)).toBeUndefined();
    expect(policyOf(reply.headers)).toMatch(/frame-ancestors https:\/\/shop\.example$/);
  });

  test.each(["modal", "popup"])(
    "and is not registered is refused with the command: %s",
    async (mode) => {
      const reply = await open(MERCHANT_ID, "http://localhost:4243", mode);
      expect(openingOf(reply.text)).toEqual({
        mode: "refused",
        code: "origin_not_allowed",
        hint: `http://localhost:4243 is not an allowed origin of ${MERCHANT_ID}. Run: exchange merchant update --client ${MERCHANT_ID} --add-origin http://localhost:4243`,
      });
    },
  );

  test("may frame the refusal, and no other page may", async () => {
    const reply = await open(MERCHANT_ID, "http://localhost:4243");
    expect(policyOf(reply.headers)).toMatch(/frame-ancestors http:\/\/localhost:4243$/);
  });

  test("of an unknown client is refused with the command that lists the clients", async () => {
    const reply = await open("nope", "http://localhost:4243");
    expect(openingOf(reply.text)).toMatchObject({
      mode: "refused",
      code: "unknown_client",
      hint: expect.stringContaining("exchange merchant list"),
    });
  });

  test.each(["null", "https://evil.example/; script-src *", "javascript:alert(1)", ""])(
    "that is not an origin changes nothing: %s",
    async (origin) => {
      const reply = await open(MERCHANT_ID, origin);
      expect(openingOf(reply.text)).toBeUndefined();
      expect(policyOf(reply.headers)).toMatch(/frame-ancestors https:\/\/shop\.example$/);
    },
  );

  test("in prod learns the reason and no command", async () => {
    const deps = { ...world.deps, environment: "prod" } as const;
    const settings = { version: "0.0.0", rateLimits: GENEROUS };
    const app = buildHttpServer(deps, settings);
    const url = `/checkout?clientId=${MERCHANT_ID}&mode=modal&origin=https://other.example`;
    const { body } = await app.inject({ url });
    expect(openingOf(body)).toEqual({ mode: "refused", code: "origin_not_allowed" });
    const script = await app.inject({ url: "/v1/sdk/exchange.js?clientId=nope&env=prod" });
    expect(script.statusCode).toBe(500);
    await app.close();
  });
});

describe("a redirect", () => {
  const FORM = { token: "e.y-_J.sig", returnUrl: `${SHOP}/done?cart=1`, options: "{}" };
  const post = (form: Record<string, string>, headers: Record<string, string> = {}) =>
    world.call({
      method: "POST",
      url: `/checkout?clientId=${MERCHANT_ID}&mode=redirect`,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        origin: SHOP,
        ...headers,
      },
      payload: new URLSearchParams(form).toString(),
    });

  test("posted by the merchant's page opens the checkout with the token, kept by no cache", async () => {
    const reply = await post({ ...FORM, options: '{"baseAmount":100}' });
    expect(reply.status).toBe(200);
    expect(openingOf(reply.text)).toEqual({
      mode: "redirect",
      token: FORM.token,
      returnUrl: FORM.returnUrl,
      options: { baseAmount: 100 },
    });
    expect(reply.headers["cache-control"]).toBe("no-store");
    expect(policyOf(reply.headers)).toMatch(/script-src 'self'.*frame-ancestors 'none'$/);
  });

  test("holds whatever the page wrote as nothing but data", async () => {
    const hostile = '</script><script>alert(1)</script><!--\u2028"$&';
    const reply = await post({ ...FORM, options: JSON.stringify({ walletAddress: hostile }) });
    expect(reply.text.match(/<script/g)).toHaveLength(2);
    expect(openingOf(reply.text)).toMatchObject({ options: { walletAddress: hostile } });
  });

  test.each<[string, Record<string, string>, Record<string, string>]>([
    ["another origin", {}, { origin: "https://evil.example" }],
    ["an origin that only begins alike", {}, { origin: `${SHOP}.evil.example` }],
    ["a page that hides its origin", {}, { origin: "null" }],
    ["no origin", {}, { origin: "" }],
    ["no token", { token: "" }, {}],
    ["a token that is none", { token: "<b>" }, {}],
    ["no way back", { returnUrl: "" }, {}],
    ["a way back to another site", { returnUrl: "https://evil.example/" }, {}],
    ["a way back that is code", { returnUrl: "javascript:alert(1)" }, {}],
    ["a way back with a password", { returnUrl: "https://a:b@shop.example/" }, {}],
    ["a way back that is not whole", { returnUrl: "/done" }, {}],
    ["options that are not JSON", { options: "{" }, {}],
    ["options that are a number", { options: "7" }, {}],
    ["a form without end", { options: `{"a":"${"x".repeat(20_000)}"}` }, {}],
    ["another type of body", {}, { "content-type": "text/plain" }],
  ])("from %s has no effect but a page that says so", async (_what, form, headers) => {
    const reply = await post({ ...FORM, ...form }, headers);
    expect(reply.status).toBe(403);
    expect(reply.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(openingOf(reply.text)).toBeUndefined();
    expect(reply.text).not.toContain(FORM.token);
  });

  test("is for the origins of the client it names", async () => {
    const reply = await world.call({
      method: "POST",
      url: `/checkout?clientId=${world.shop.clientId}&mode=redirect`,
      headers: { "content-type": "application/x-www-form-urlencoded", origin: SHOP },
      payload: new URLSearchParams(FORM).toString(),
    });
    expect(reply.status).toBe(403);
  });
});

test("the checkout loads images, code and styles of its own origin only", async () => {
  const { headers } = await world.call({ url: `/checkout?clientId=${world.shop.clientId}` });
  const policy = String(headers["content-security-policy"]).split("; ");
  expect(policy).toContain("img-src 'self' data:");
  expect(
    policy.filter((rule) => /https?:|\*|unsafe/.test(rule) && !rule.startsWith("frame-ancestors")),
  ).toEqual([]);
});
