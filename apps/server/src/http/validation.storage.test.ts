import { randomUUID } from "node:crypto";
import { ENDPOINTS, type Endpoint } from "@exchange/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browserWith } from "../testing/checkout-browser.ts";
import {
  type ErrorReply,
  type HttpWorld,
  makeHttpWorld,
  type Reply,
} from "../testing/http-world.ts";

let world: HttpWorld;
beforeAll(async () => {
  world = await makeHttpWorld();
});
afterAll(() => world.close());

const pathOf = ({ path }: Endpoint): string =>
  path
    .replace("{orderId}", "7")
    .replace("{sessionId}", "cart")
    .replace("{walletId}", "7")
    .replace(/\{\w+\}/, randomUUID());

/** Calls an endpoint as its own caller. */
async function callAs(
  endpoint: Endpoint,
  request: {
    readonly query?: string;
    readonly payload?: object | string;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<Reply<ErrorReply>> {
  const { method, caller } = endpoint;
  const { query = "", payload, headers = {} } = request;
  const path = `${pathOf(endpoint)}?${query}`;
  const rest = { method, headers, ...(payload !== undefined && { payload }) };
  if (caller === "browser") {
    const browser = browserWith(world, await world.token());
    return browser<ErrorReply>(path.replace("/checkout", ""), rest);
  }
  const own = { ...headers, ...world.shop.headers };
  return world.call<ErrorReply>({ url: `/v1${path}`, ...rest, headers: own });
}

/** The body is checked before the query, so the other endpoints would refuse their empty body first. */
const BODILESS = Object.values<Endpoint>(ENDPOINTS).filter(({ body }) => body === undefined);

test.each(BODILESS.map((endpoint) => [endpoint.operationId, endpoint] as const))(
  "%s refuses an unknown query parameter",
  async (_name, endpoint) => {
    const reply = await callAs(endpoint, { query: "walletAdress=x" });
    expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
    const issues = reply.body.details?.map(({ path, issue }) => `${path} ${issue}`);
    expect(issues).toContain("query.walletAdress is not a known parameter");
    expect(reply.body.message).toMatch(/This call takes /);
  },
);

const WITH_BODY = Object.values<Endpoint>(ENDPOINTS).filter(({ body }) => body !== undefined);

const NOT_GET = Object.values<Endpoint>(ENDPOINTS).filter(({ method }) => method !== "GET");

test.each(NOT_GET.map((endpoint) => [endpoint.operationId, endpoint] as const))(
  "%s refuses an unknown member of its body, even if it takes none",
  async (_name, endpoint) => {
    // The type decides which members a payment has.
    const type = endpoint.operationId === "payOrder" ? { type: "crypto" } : {};
    const reply = await callAs(endpoint, { payload: { ...type, walletAdress: "x" } });
    expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
    const issues = reply.body.details?.map(({ path, issue }) => `${path} ${issue}`);
    expect(issues).toContain("body.walletAdress is not a known member");
  },
);

test.each(["countryCode", "operationType"])(
  "an unknown member that is named %s is INVALID_INPUT",
  async (name) => {
    const payload = { url: "https://shop.example/hooks", [name]: "XX" };
    const reply = await callAs(ENDPOINTS.createWebhookEndpoint, { payload });
    expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
    expect(reply.body.details?.[0]).toEqual({
      path: `body.${name}`,
      issue: "is not a known member",
    });
  },
);

/** The calls whose body requires no member. */
const WITHOUT_REQUIRED = ["refundOrder", "rotateWebhookSecret", "testWebhookEndpoint"];
const JSON_BODY = { "content-type": "application/json" };

test.each(WITH_BODY.map((endpoint) => [endpoint.operationId, endpoint] as const))(
  "the body of %s may be absent exactly if it requires no member",
  async (name, endpoint) => {
    const mayBeAbsent = WITHOUT_REQUIRED.includes(name);
    const empty = await callAs(endpoint, { payload: {} });
    for (const request of [{}, { payload: "", headers: JSON_BODY }]) {
      const absent = await callAs(endpoint, request);
      if (mayBeAbsent) {
        expect([absent.status, absent.body.code]).toEqual([404, "NOT_FOUND"]);
        expect([empty.status, empty.body.code]).toEqual([404, "NOT_FOUND"]);
      } else {
        expect([absent.status, absent.body.code]).toEqual([400, "INVALID_INPUT"]);
        expect(absent.body.message).toContain("the body is empty");
      }
    }
  },
);

test("a body of blanks is not an absent one", async () => {
  const reply = await callAs(ENDPOINTS.refundOrder, { payload: " ", headers: JSON_BODY });
  expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
});

test.each(WITH_BODY.map(({ operationId, body }) => [operationId, body] as const))(
  "no object inside the body of %s takes unknown members",
  (_name, body) => {
    expect(openObjects(body ?? {}, "body")).toEqual([]);
  },
);

/** Returns the paths of objects with named members that also take others. */
function openObjects(schema: Readonly<Record<string, unknown>>, path: string): string[] {
  const { properties, additionalProperties, items, anyOf, oneOf } = schema;
  const branches = (anyOf ?? oneOf ?? []) as (typeof schema)[];
  const members = Object.entries((properties ?? {}) as Record<string, typeof schema>);
  return [
    ...(properties !== undefined && !oneOf && additionalProperties !== false ? [path] : []),
    ...members.flatMap(([name, member]) => openObjects(member, `${path}.${name}`)),
    ...branches.flatMap((branch) => openObjects(branch, path)),
    ...(items === undefined ? [] : openObjects(items as typeof schema, `${path}[]`)),
  ];
}

test("a request with a body refuses an unknown query parameter too", async () => {
  const { headers } = world.shop;
  const reply = await world.call<ErrorReply>({
    method: "POST",
    url: "/v1/public_token/create?expiresIn=60",
    headers,
    payload: { sessionId: randomUUID() },
  });
  expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
  expect(reply.body.message).toContain("query.expiresIn is not a known parameter");
});

test.each([
  ["no address", { customer: { email: "ada" } }, "body.customer.email must be an e-mail address"],
  ["an empty name", { customer: { firstName: "" } }, "body.customer.firstName must not be empty"],
  [
    "a country of three letters",
    { customer: { countryCode: "CAN" } },
    "body.customer.countryCode must be a country code of two letters",
  ],
  [
    "a script",
    { returnUrl: "javascript:alert(1)" },
    "body.returnUrl must be a web address that begins with https:// or http://",
  ],
  ["a locale", { locale: "english!" }, "body.locale must be a language tag such as en or pt-BR"],
  [
    "a long key",
    { metadata: { ["k".repeat(41)]: "x" } },
    `body.metadata.${"k".repeat(40)} must have a name of 1 to 40 characters on one line`,
  ],
  [
    "a long value",
    { metadata: { cart: "x".repeat(501) } },
    "body.metadata.cart must have at most 500 characters",
  ],
  [
    "too many keys",
    { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, ""])) },
    "body.metadata must have at most 20 members",
  ],
  ["a short life", { expiresIn: 59 }, "body.expiresIn must be at least 60"],
  ["a long life", { expiresIn: 86_401 }, "body.expiresIn must be at most 86400"],
  ["no amount", { lock: { baseAmount: 0 } }, "body.lock.baseAmount must be above 0"],
  [
    "a control character",
    { sessionId: "a\t" },
    "body.sessionId must be text without control characters",
  ],
  [
    "257 characters",
    { sessionId: "x".repeat(256) },
    "body.sessionId must have at most 255 characters",
  ],
])("%s is refused with what is accepted", async (_name, body, words) => {
  const reply = await world.call<ErrorReply>({
    method: "POST",
    url: "/v1/public_token/create",
    headers: world.shop.headers,
    payload: { sessionId: randomUUID(), ...body },
  });
  expect(reply.status).toBe(400);
  expect(`${reply.body.details?.[0]?.path} ${reply.body.details?.[0]?.issue}`).toBe(words);
  expect(reply.text).not.toMatch(/pattern|must NOT|\^/);
});
