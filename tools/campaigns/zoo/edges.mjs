import { storage, unit } from "./suites.mjs";

const DISPATCHER = storage("apps/server/src/webhooks/dispatcher.storage.test.ts");
const POSTER = unit("apps/server/src/webhooks/poster.test.ts");
const CALLBACKS = storage("apps/server/src/http/callbacks/callbacks.storage.test.ts");

/** Defects of webhooks, credentials and what one merchant may see of another. */
export const EDGE_DEFECTS = [
  {
    name: "a repeated callback hurries again",
    file: "apps/server/src/storage/callbacks/inbox.ts",
    find: " and exists (select from stored)\n     returning id",
    replace: "\n     returning id",
    tests: CALLBACKS,
  },
  {
    name: "a callback hurries every job",
    file: "apps/server/src/storage/callbacks/inbox.ts",
    find: "where key = any (array(select key from looking)) and",
    replace: "where",
    tests: CALLBACKS,
  },
  {
    name: "a callback of any time is the provider's",
    file: "apps/server/src/sandbox/callbacks/callbacks.ts",
    find: "const TOLERANCE_SECONDS = 300;",
    replace: "const TOLERANCE_SECONDS = 1e12;",
    tests: unit("apps/server/src/adapters/callbacks.test.ts"),
  },
  {
    name: "strangers' callbacks are read without end",
    file: "apps/server/src/http/callbacks/routes.ts",
    find: "const STRANGE_PER_MINUTE = 60;",
    replace: "const STRANGE_PER_MINUTE = 1e9;",
    tests: CALLBACKS,
  },
  {
    name: "a new webhook id for each attempt",
    file: "apps/server/src/webhooks/attempt.ts",
    find: "    webhookId: delivery.id,",
    replace: "    webhookId: crypto.randomUUID(),",
    tests: storage("apps/server/src/webhooks/crash.storage.test.ts"),
  },
  {
    name: "an old time is signed",
    file: "apps/server/src/webhooks/attempt.ts",
    find: "planted?.signedAt?.(now) ?? now;",
    replace: "new Date(0);",
    tests: DISPATCHER,
  },
  {
    name: "JSON is printed again before it is signed",
    file: "apps/server/src/webhooks/attempt.ts",
    find: "    body: delivery.payload,\n  });",
    replace: "    body: JSON.stringify(JSON.parse(delivery.payload), null, 1),\n  });",
    tests: DISPATCHER,
  },
  {
    name: "an address written as the host is not checked",
    file: "apps/server/src/webhooks/connector.ts",
    find: "      assertAllowedTarget(`${target.protocol}//${target.host ?? target.hostname}`, policy);",
    replace: "",
    tests: POSTER,
  },
  {
    name: "what a name resolves to is not checked",
    file: "apps/server/src/webhooks/connector.ts",
    find: "  for (const { address } of addresses) assertAllowedAddress(address, question.policy);\n",
    replace: "",
    tests: POSTER,
  },
  {
    name: "keys compared with ===",
    file: "apps/server/src/secrets/api-key.ts",
    find: "a.length === b.length && timingSafeEqual(a, b);",
    replace: `Buffer.from(a).toString("hex") === Buffer.from(b).toString("hex");`,
    tests: unit("apps/server/src/secrets/constant-time.test.ts"),
  },
  {
    name: "a token may name its algorithm",
    file: "apps/server/src/secrets/tokens.ts",
    find: "algorithms: [ALGORITHM],",
    replace: `algorithms: [ALGORITHM, "HS384", "HS512"],`,
    tests: unit("apps/server/src/secrets/tokens.test.ts"),
  },
  {
    name: "an order is read without its merchant",
    file: "apps/server/src/storage/orders/views.ts",
    find: "where o.id = $1 and o.merchant_id = $2",
    replace: "where o.id = $1 and $2::text is not null",
    tests: storage("apps/server/src/http/orders/orders.storage.test.ts"),
  },
];
