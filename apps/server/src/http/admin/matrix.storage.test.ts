import {
  ADMIN_ENDPOINTS,
  type AdminEndpoint,
  isForServiceAccounts,
  isRoleName,
  PERMISSIONS,
  PERSON_PERMISSIONS,
  type Permission,
  ROLE_NAMES,
  ROLES,
  rolesWith,
} from "@exchange/contract/admin";
import { beforeAll, expect, test } from "vitest";
import { createServiceAccount } from "../../flows/people/service-accounts.ts";
import {
  type CallOptions,
  type ConsoleBrowser,
  type ConsoleProgram,
  useConsole,
} from "../../testing/console-world.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { MERCHANT_ID, makeWorld } from "../../testing/world.ts";

const desk = useConsole(makeWorld);
const people = new Map<string, ConsoleBrowser>();
const programs = new Map<string, ConsoleProgram>();
beforeAll(async () => {
  for (const name of ROLE_NAMES) {
    const merchantId = ROLES[name].kind === "merchant" ? MERCHANT_ID : null;
    people.set(name, await desk.person([name], merchantId));
    const expiresAt = new Date(Date.now() + 86_400_000);
    const by = operatorNamed("anna");
    const account = { name: name.replace("_", "-"), role: name, merchantId, expiresAt, by };
    programs.set(name, desk.program((await createServiceAccount(desk.deps, account)).key));
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
  createServiceAccount: { name: "x", role: "viewer", expiresAt: 0 },
  releaseHeldOrder: REASON,
  refundHeldOrder: REASON,
  approveRefundAddress: { ...REASON, refundAddress: "0x52908400098527886E0F7030069857D2E4169EE7" },
  cancelUnpaidOrder: REASON,
  holdOrderForReview: { ...REASON, hold: "limit_exceeded" },
  freeOrder: { reviewer: "nobody" },
  noteOrder: { note: "the test asks for it" },
  approvePayout: {},
  stopExchanges: { kind: "merchant", subject: "nobody", ...REASON },
  resumeExchanges: { kind: "merchant", subject: "nobody" },
  lowerPayoutLimits: { kind: "currency", currency: "nobody", ...REASON },
  stopPayouts: { kind: "merchant", subject: "nobody", ...REASON },
  createKey: { scopes: ["read"], expiresAt: 0 },
  rollKey: {},
  changeOrigins: { remove: ["https://nobody.example"] },
  changeMerchantSettings: { primaryColor: "red" },
  createMerchant: { name: "x", countryCode: "ZZ" },
  disableMerchant: REASON,
  createKeyOfMerchant: {},
  rollKeyOfMerchant: {},
  changeOriginsOfMerchant: { remove: ["https://nobody.example"] },
  changeSettingsOfMerchant: { primaryColor: "red" },
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
      merchantId: "nobody",
      serviceAccountId: "a".repeat(12),
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

test.each(GUARDED.map((endpoint) => [endpoint.operationId, endpoint] as const))(
  "%s answers exactly the service accounts whose role has its right, and none where a person must act",
  async (_name, endpoint) => {
    const isForPeople = !isForServiceAccounts(endpoint);
    const answered: string[] = [];
    for (const [role, program] of programs) {
      const reply = await program.call(endpoint, requestOf(endpoint));
      expect(reply.status, reply.text).not.toBe(500);
      if (isForPeople) expect(reply.code).toBe("PERSON_REQUIRED");
      else if (reply.code !== "ROLE_REQUIRED") answered.push(role);
    }
    const allowed: readonly string[] = isForPeople ? [] : rolesWith(endpoint);
    expect(answered.toSorted()).toEqual(allowed.toSorted());
  },
);

test("a service account has no account of its own to change", async () => {
  const own = Object.values<AdminEndpoint>(ADMIN_ENDPOINTS).filter(
    ({ caller, permission }) => caller === "person" && permission === undefined,
  );
  expect(own.length).toBeGreaterThan(10);
  for (const endpoint of own) {
    const options = { params: { sessionId: ID, passkeyId: ID } };
    const reply = await programs.get("administrator")?.call(endpoint, options);
    expect([endpoint.operationId, reply?.code]).toEqual([endpoint.operationId, "PERSON_REQUIRED"]);
  }
});

test("a right whose every call needs a fresh proof is one of people", () => {
  const needsProof = (permission: Permission): boolean => {
    const calls = GUARDED.filter((endpoint) => endpoint.permission === permission);
    return calls.length > 0 && calls.every(({ stepUp }) => stepUp);
  };
  const proven = (Object.keys(PERMISSIONS) as Permission[]).filter(needsProof);
  expect(proven.filter((permission) => !PERSON_PERMISSIONS.includes(permission))).toEqual([]);
});

test("a service account changes what needs no proof, and nothing else", () => {
  const changing = GUARDED.filter(
    (endpoint) => endpoint.method !== "GET" && isForServiceAccounts(endpoint),
  );
  expect(changing.map(({ operationId }) => operationId).toSorted()).toEqual([
    "cancelUnpaidOrder",
    "changeMerchantSettings",
    "holdOrderForReview",
    "noteOrder",
    "replayMerchantDeliveries",
    "replayMerchantDelivery",
    "stopPayouts",
    "testMerchantWebhook",
    "tryCall",
  ]);
});

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
    "changeMerchantSettings",
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
