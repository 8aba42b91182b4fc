import {
  ADMIN_ENDPOINTS,
  type AdminEndpoint,
  isRoleName,
  ROLE_NAMES,
  ROLES,
  rolesWith,
} from "@exchange/contract/admin";
import { beforeAll, expect, test } from "vitest";
import { type CallOptions, type ConsoleBrowser, useConsole } from "../../testing/console-world.ts";
import { MERCHANT_ID, makeWorld } from "../../testing/world.ts";

const desk = useConsole(makeWorld);
const people = new Map<string, ConsoleBrowser>();
beforeAll(async () => {
  for (const name of ROLE_NAMES) {
    const merchantId = ROLES[name].kind === "merchant" ? MERCHANT_ID : null;
    people.set(name, await desk.person([name], merchantId));
  }
});

const ID = "00000000-0000-4000-8000-000000000000";
const HOOK = { endpointId: ID, deliveryId: ID };
const REASON = { reason: "the test asks for it" };
const PRICE = {
  ...{ spreadBasisPoints: 0, feeBasisPoints: 0 },
  ...{ fixedFeeEuro: "0", minEuro: "10", maxEuro: "20" },
};
/** The body of each call that a right guards. Nothing that it names exists, so an allowed call is refused later. */
const BODIES: Readonly<Record<string, object>> = {
  invitePerson: { email: "no mail", name: "x", roles: ["viewer"] },
  changePerson: { name: "x" },
  releaseHeldOrder: REASON,
  refundHeldOrder: REASON,
  cancelUnpaidOrder: REASON,
  holdOrderForReview: { ...REASON, hold: "limit_exceeded" },
  freeOrder: { reviewer: "nobody" },
  noteOrder: { note: "the test asks for it" },
  approvePayout: {},
  stopExchanges: { kind: "merchant", subject: "nobody", ...REASON },
  resumeExchanges: { kind: "merchant", subject: "nobody" },
  stopPayouts: { kind: "merchant", subject: "nobody", ...REASON },
  createKey: { scopes: ["read"], expiresAt: 0 },
  rollKey: {},
  changeOrigins: { remove: ["https://nobody.example"] },
  changeShopSettings: { primaryColor: "red" },
  addMerchantWebhook: { url: "nowhere" },
  changeMerchantWebhook: { enabled: false },
  rotateMerchantWebhookSecret: {},
  testMerchantWebhook: {},
  tryCall: { operationId: "listCountries", apiKey: "not-a-key" },
  replayMerchantDeliveries: { endpointId: ID, createdFrom: 0 },
  resumePayouts: { kind: "merchant", subject: "nobody" },
  proposePrice: { ...PRICE, reference: "No name", enabled: true, ...REASON },
  approvePrice: {},
  rejectPrice: REASON,
  undoPrice: REASON,
};

const QUERIES: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
  searchOrders: { text: "nothing" },
  previewPrice: {
    changeId: 999,
    of: "buy",
    spend: "eur",
    receive: "btc",
    amount: "9",
    method: "card",
  },
};

/** Calls of one's own account change its session, so the tests of sessions make them. */
const GUARDED = Object.values<AdminEndpoint>(ADMIN_ENDPOINTS).filter(
  ({ caller, permission }) => caller === "person" && permission !== undefined,
);

const requestOf = ({ operationId }: AdminEndpoint): CallOptions => {
  const payload = BODIES[operationId];
  const query = QUERIES[operationId] ?? {};
  return {
    params: {
      orderId: 999,
      payoutId: ID,
      personId: ID,
      changeId: 999,
      keyId: "a".repeat(12),
      report: "days",
      ...HOOK,
    },
    query,
    ...(payload && { payload }),
  };
};

test.each(GUARDED.map((endpoint) => [endpoint.operationId, endpoint] as const))(
  "%s answers exactly the roles whose right it needs",
  async (_name, endpoint) => {
    const allowed: readonly string[] = rolesWith(endpoint);
    expect(allowed.length).toBeGreaterThan(0);
    const answered: string[] = [];
    for (const [role, person] of people) {
      const reply = await person.call(endpoint, requestOf(endpoint));
      expect(reply.status, reply.text).not.toBe(500);
      if (reply.code !== "ROLE_REQUIRED") answered.push(role);
    }
    expect(answered.toSorted()).toEqual(allowed.toSorted());
    const stranger = await desk.browser().call(endpoint, requestOf(endpoint));
    expect(stranger.code).toBe("SIGN_IN_REQUIRED");
  },
);

test("every call that changes something of others needs a right, and those that move money a fresh proof", () => {
  const changing = Object.values<AdminEndpoint>(ADMIN_ENDPOINTS).filter(
    ({ method, caller, path }) =>
      method !== "GET" && caller === "person" && !path.startsWith("/admin/me"),
  );
  expect(changing.filter(({ permission }) => permission === undefined)).toEqual([]);
  const withoutProof = changing
    .filter(({ stepUp }) => !stepUp)
    .map(({ operationId }) => operationId);
  expect(withoutProof.toSorted()).toEqual([
    "cancelUnpaidOrder",
    "changeShopSettings",
    "freeOrder",
    "holdOrderForReview",
    "noteOrder",
    "replayMerchantDeliveries",
    "replayMerchantDelivery",
    "stopPayouts",
    "takeOrder",
    "testMerchantWebhook",
    "tryCall",
  ]);
  expect(ROLE_NAMES.every(isRoleName)).toBe(true);
});
