import { SCOPES } from "@exchange/contract";
import { beforeAll, describe, expect, inject, test } from "vitest";
import type { ErrorAnswer } from "../support/http/api.ts";
import {
  createMerchant,
  createToken,
  type Merchant,
  newSessionId,
} from "../support/orders/merchant.ts";
import {
  type BuyChoice,
  buyChoice,
  customerWith,
  startOrder,
  startSession,
} from "../support/orders/purchase.ts";

const service = inject("service");
let merchant: Merchant;
let choice: BuyChoice;
beforeAll(async () => {
  merchant = await createMerchant(service);
  choice = await buyChoice(service, merchant);
});

const create = (body: Readonly<Record<string, unknown>>) => createToken(service, merchant, body);
const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));

test("a token has the documented envelope, fields and types", async () => {
  const answer = await create({ sessionId: newSessionId() });
  expect(answer.status).toBe(201);
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  const { code, message, data } = answer.body;
  expect(code).toBe("OK");
  expect(message).toEqual(expect.any(String));
  expect(data.tokenType).toBe("Bearer");
  expect(data.expiresIn).toBe(1800);
  expect(Number.isInteger(data.expiresAt)).toBe(true);
  expect(Math.abs(data.expiresAt - (Date.now() / 1000 + 1800))).toBeLessThan(30);
  expect(new Set(data.scope)).toEqual(new Set(SCOPES));
  expect(data.accessToken.split(".")).toHaveLength(3);
  expect(claimsOf(data.accessToken)).toMatchObject({ jti: data.jti, exp: data.expiresAt });
});

test("an empty scope grants all of them, and otherwise the requested ones are listed", async () => {
  const empty = await create({ sessionId: newSessionId(), scope: [] });
  expect(new Set(empty.body.data.scope)).toEqual(new Set(SCOPES));
  const all = await create({ sessionId: newSessionId(), scope: [...SCOPES] });
  expect(new Set(all.body.data.scope)).toEqual(new Set(SCOPES));
  const one = await create({ sessionId: newSessionId(), scope: ["merchant.read"] });
  expect(one.body.data.scope).toEqual(["merchant.read"]);
});

test.each([60, 86_400])("a lifetime of %i seconds is granted", async (expiresIn) => {
  const { body } = await create({ sessionId: newSessionId(), expiresIn });
  expect(body.data.expiresIn).toBe(expiresIn);
});

describe("a request that is not valid", () => {
  test.each<[string, Record<string, unknown>]>([
    ["no session id", {}],
    ["an empty session id", { sessionId: "" }],
    ["a session id of 256 characters", { sessionId: "a".repeat(256) }],
    ["a member that is not known", { sessionId: "a", locks: { operationType: "B" } }],
    ["a line feed after the session id", { sessionId: "a\n" }],
    ["a number as session id", { sessionId: 1 }],
    ["null as session id", { sessionId: null }],
    ["an array as session id", { sessionId: ["a"] }],
    ["a scope that is a string", { sessionId: "a", scope: "merchant.read" }],
    ["a scope of numbers", { sessionId: "a", scope: [1] }],
    ["a lifetime of 59 seconds", { sessionId: "a", expiresIn: 59 }],
    ["a lifetime of 86401 seconds", { sessionId: "a", expiresIn: 86_401 }],
    ["half a second more", { sessionId: "a", expiresIn: 60.5 }],
    ["a lifetime in a string", { sessionId: "a", expiresIn: "60" }],
    ["an unknown lock", { sessionId: "a", lock: { colour: "red" } }],
    ["metadata that is not a string", { sessionId: "a", metadata: { a: 1 } }],
    ["metadata of 501 characters", { sessionId: "a", metadata: { a: "x".repeat(501) } }],
    ["a return URL that is a script", { sessionId: "a", returnUrl: "javascript:alert(1)" }],
  ])("%s is INVALID_INPUT", async (_title, body) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: "INVALID_INPUT", message: expect.any(String) });
  });

  test("an unknown scope is INVALID_SCOPE", async () => {
    const answer = await create({ sessionId: newSessionId(), scope: ["order.create", "root"] });
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe("INVALID_SCOPE");
  });
});

describe("the same session again", () => {
  test("gives a new token, and the older one stops working", async () => {
    const sessionId = newSessionId();
    const older = await startSession(service, merchant, sessionId);
    const newer = await startSession(service, merchant, sessionId);
    expect(newer.token).not.toBe(older.token);
    const path = "/v1/checkout/session";
    expect((await newer.call({ path })).status).toBe(200);
    const refused = await older.call<ErrorAnswer>({ path });
    expect([refused.status, refused.body.code]).toEqual([401, "TOKEN_INVALID"]);
  });

  test("a hundred calls at once are all answered, and one token works in the one session", async () => {
    const sessionId = newSessionId();
    const calls = Array.from({ length: 100 }, () => create({ sessionId }));
    const answers = await Promise.all(calls);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    const working = await Promise.all(
      answers.map(async ({ body }) => {
        const customer = customerWith(service, sessionId, body.data.accessToken);
        return (await customer.call({ path: "/v1/checkout/session" })).status;
      }),
    );
    expect(working.filter((status) => status === 200)).toHaveLength(1);
  });

  test("after an order it is SESSION_ALREADY_USED, and says to restart", async () => {
    const { customer } = await startOrder(service, merchant, choice);
    const again = await create({ sessionId: customer.sessionId });
    expect([again.status, again.body.code]).toEqual([400, "SESSION_ALREADY_USED"]);
    expect(again.body.message).toMatch(/restart/i);
  });

  test("another merchant may use the same session id", async () => {
    const other = await createMerchant(service);
    const sessionId = newSessionId();
    expect((await create({ sessionId })).status).toBe(201);
    expect((await createToken(service, other, { sessionId })).status).toBe(201);
  });
});

describe("Idempotency-Key", () => {
  const withKey = (key: string, body: Record<string, unknown>) =>
    createToken(
      service,
      { ...merchant, headers: { ...merchant.headers, "idempotency-key": key } },
      body,
    );

  test("the same key and body give the stored answer", async () => {
    const [key, body] = [newSessionId(), { sessionId: newSessionId() }];
    const first = await withKey(key, body);
    const second = await withKey(key, body);
    expect(second.text).toBe(first.text);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(first.headers.get("idempotent-replayed")).toBeNull();
  });

  test("the same key with another body is refused, folded into 400", async () => {
    const key = newSessionId();
    await withKey(key, { sessionId: newSessionId() });
    const conflict = await withKey(key, { sessionId: newSessionId() });
    expect([conflict.status, conflict.body.code]).toEqual([400, "IDEMPOTENCY_CONFLICT"]);
  });

  test("a key of 256 characters is INVALID_INPUT", async () => {
    const answer = await withKey("k".repeat(256), { sessionId: newSessionId() });
    expect([answer.status, answer.body.code]).toEqual([400, "INVALID_INPUT"]);
    // The path of a header begins as in every other error.
    expect(answer.text).toContain('"path":"headers.idempotency-key"');
  });
});
