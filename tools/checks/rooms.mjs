/**
 * The import direction table. A room is a folder or file; `may` names the rooms and packages it may import besides itself.
 * "node" stands for Node's own modules, "node:fs" for one of them, "npm" for any declared dependency. `takes` lists the
 * only names that a room's files may take from the contract. `without` lists names that they may not use at all. The
 * longest matching path wins. A word that no file needs is a fault. Only start and cli build things.
 */
const EVERY_SERVER_ROOM = [
  "secrets",
  "domain",
  "storage",
  "adapters",
  "flows",
  "http",
  "jobs",
  "webhooks",
  "messages",
  "auditor",
  "chains",
  "metrics",
  "tracing",
];

/** Exact arithmetic, Node and the declared dependencies. */
const LIBRARIES = ["money", "node", "npm"];

/** Libraries of the signer. They have no dependencies beside each other, and open no connection by themselves. */
const SIGNER_LIBRARIES = [
  "@noble/curves",
  "@noble/hashes",
  "@scure/base",
  "@scure/bip32",
  "@scure/bip39",
  "@scure/btc-signer",
  "@sinclair/typebox",
  "ajv",
  "micro-eth-signer",
];

/** Names by which a file reaches a network, or a module that no import names. */
const WAYS_OUT = [
  "fetch",
  "WebSocket",
  "EventSource",
  "XMLHttpRequest",
  "eval",
  "Function",
  "require",
  "createRequire",
  "getBuiltinModule",
  "binding",
  "dlopen",
  "import()",
];

/** The names that flows take from the contract. Any other shape or word of the wire is converted in http. */
const FLOWS_TAKE = [
  // Codes of errors, scopes of keys and tokens, roles of people.
  ...["API_ERRORS", "ADMIN_ERRORS", "ErrorCode", "AdminErrorCode"],
  ...["SCOPES", "Scope", "KEY_SCOPES", "KeyScope"],
  ...["ROLES", "RoleKind", "RoleName", "isRoleName", "rolesOf", "permissionsOf", "mayLend"],
  // Limits of commands.
  ...["WIRE_LIMITS", "WEBHOOK_LIMITS", "PERSON_LANGUAGES"],
  ...["SERVICE_ACCOUNT_NAME", "SERVICE_ACCOUNT_DAYS_MAX"],
  // The log of changes, and the changes that the console follows.
  ...["ControlAction", "CHANGE_TOPICS", "ChangeTopic", "TOPIC_READERS"],
  // The body of a webhook is stored with its event.
  ...["DOCUMENTED_EVENT_TYPES", "WebhookEventType", "WebhookPayload"],
  ...["Outgoing", "encodeJson", "amountNumber", "OPERATION_TYPE_OF"],
];

export const ROOMS = {
  money: { path: "packages/money/src/", may: [] },
  contract: { path: "packages/contract/src/", may: ["money", "@sinclair/typebox", "uqr"] },

  // Colours, languages and plural forms of the two front ends.
  ui: { path: "packages/ui/src/", may: [] },

  // Libraries for checksums and number forms of wallets, bank accounts and networks are arithmetic, so allowed.
  domain: {
    path: "apps/server/src/domain/",
    may: [
      "money",
      "@noble/curves",
      "@noble/hashes",
      "@scure/base",
      "ipaddr.js",
      "ibantools",
      "cpf-cnpj-validator",
      "abavalidator",
      "clabe-validator",
    ],
  },
  storage: {
    path: "apps/server/src/storage/",
    may: ["domain", "money", "contract", "deadline", "node", "npm"],
    takes: ["WebhookEventType", "ControlAction", "ChangeTopic"],
  },
  adapters: {
    path: "apps/server/src/adapters/",
    may: ["ports", "formats", "signer protocol", "deadline", "retry-after", ...LIBRARIES],
  },
  // The rehearsal world: providers, books, routes and faults of its own.
  sandbox: {
    path: "apps/server/src/sandbox/",
    may: ["flows", "domain", "storage", "http", "webhooks", "contract", ...LIBRARIES],
  },
  // Holds the keys: no network, database or settings (docs/decisions/0057-let-a-separate-process-sign.md).
  signer: {
    path: "apps/server/src/signer/",
    may: [
      "signer socket",
      "release text",
      "formats",
      "node:crypto",
      "node:fs",
      "node:os",
      "node:path",
      "node:url",
      "node:util",
      ...SIGNER_LIBRARIES,
    ],
    without: WAYS_OUT,
  },
  "signer socket": {
    path: "apps/server/src/signer/socket.ts",
    may: ["signer", "node:fs", "node:net", "node:path"],
    without: WAYS_OUT,
  },
  metrics: { path: "apps/server/src/metrics/", may: ["prom-client"] },
  tracing: { path: "apps/server/src/tracing/", may: ["ports", "node", "npm"] },
  secrets: { path: "apps/server/src/secrets/", may: ["ports", "node", "npm"] },
  flows: {
    path: "apps/server/src/flows/",
    // Bounded caches, such as of unknown keys, come from a library (lru-cache).
    may: [
      "domain",
      "storage",
      "deadline",
      "failpoints",
      "secrets",
      "metrics",
      "contract",
      "money",
      "node",
      "pino",
      "lru-cache",
    ],
    takes: FLOWS_TAKE,
  },
  http: {
    path: "apps/server/src/http/",
    may: ["flows", "domain", "deadline", "contract", "@exchange/browser", ...LIBRARIES],
  },
  jobs: {
    path: "apps/server/src/jobs/",
    may: ["flows", "domain", "storage", "failpoints", "money"],
  },
  webhooks: {
    path: "apps/server/src/webhooks/",
    may: [
      "flows",
      "domain",
      "storage",
      "deadline",
      "retry-after",
      "failpoints",
      "contract",
      "node",
      "npm",
    ],
  },
  messages: {
    path: "apps/server/src/messages/",
    may: ["flows", "domain", "storage", "webhooks", "contract", "money"],
  },
  auditor: {
    path: "apps/server/src/auditor/",
    may: ["flows", "domain", "storage", "metrics", "node"],
  },
  // Follows the live networks. It reads them through a port.
  chains: {
    path: "apps/server/src/chains/",
    may: ["flows", "domain", "storage", "failpoints", "node", "pino", "lru-cache"],
  },
  failpoints: { path: "apps/server/src/failpoints.ts", may: [] },
  deadline: { path: "apps/server/src/deadline.ts", may: [] },
  "retry-after": { path: "apps/server/src/retry-after.ts", may: [] },
  config: {
    path: "apps/server/src/config",
    may: ["domain", "failpoints", "http settings", "secrets", "contract", "node", "npm"],
  },
  main: {
    path: "apps/server/src/",
    may: ["start", "config", "failpoints", "node"],
  },
  // The only room that builds the sandbox.
  start: {
    path: "apps/server/src/start/",
    may: [
      ...EVERY_SERVER_ROOM,
      ...["sandbox", "config", "deadline", "signer protocol", "schema faults"],
      ...LIBRARIES,
    ],
  },
  cli: {
    path: "apps/server/src/cli/",
    may: [
      ...["secrets", "domain", "storage", "adapters", "flows", "http", "webhooks", "metrics"],
      ...["start", "main", "config", "contract", "signer", "@exchange/node"],
      ...LIBRARIES,
    ],
  },
  // Its files are tests, so they may set any scene.
  testing: { path: "apps/server/src/testing/", may: ["contract", "money"] },

  console: { path: "apps/console/", may: ["contract", "money", "ui", "npm"] },
  "console build": { path: "apps/console/vite.config.ts", may: ["ui", "node", "npm"] },
  checkout: { path: "apps/checkout/", may: ["contract", "money", "ui", "npm"] },
  "checkout build": { path: "apps/checkout/vite.config.ts", may: ["ui", "node", "npm"] },
  browser: { path: "sdk/browser/", may: ["contract"] },
  // Published: it must stand alone. Its generator alone reads the contract.
  "node library": { path: "sdk/node/src/", may: ["node"] },
  "node library generator": {
    path: "sdk/node/src/generator/",
    may: ["node library", "contract", "node"],
  },
  "node library snippets": {
    path: "sdk/node/src/snippets/",
    may: ["@exchange/node", "node library", "node", "npm"],
  },
  // Published: a button and a hook around the script, for the merchant's page.
  "react library": { path: "sdk/react/src/", may: ["react"] },
  // Compares the library's types of the script with the script's own.
  "react library comparison": {
    path: "sdk/react/src/exchange-api.test.ts",
    may: ["react library", "@exchange/browser"],
  },
  shop: {
    path: "examples/shop/",
    may: ["@exchange/node", "@exchange/browser", "node", "npm"],
  },
  tests: {
    path: "tests/",
    may: ["contract", "@exchange/node", "@exchange/react", ...LIBRARIES],
  },
  // Sets scenes inside the server: models, races and crashes on a real database.
  simulation: {
    path: "tests/simulation/",
    may: [
      ...["secrets", "domain", "storage", "adapters", "flows", "jobs", "sandbox", "signer"],
      ...["testing", "tests", "failpoints", "contract", "node", "npm"],
    ],
  },
  // A real node, endpoints that lie, and the scanner between them and a real database.
  "chain tests": {
    path: "tests/chains/",
    may: [
      ...["domain", "storage", "adapters", "flows", "http", "chains", "main", "start", "config"],
      ...["simulation", "signer", "failpoints", "testing", "tests", "node", "npm"],
    ],
  },
  root: { path: "", may: ["node", "npm"] },
};

/** Parts of rooms that others may use where the whole room is closed to them. */
export const DOORS = {
  "http settings": ["apps/server/src/http/settings.ts"],
  ports: ["apps/server/src/domain/ports/"],
  "release text": ["apps/server/src/domain/payouts/release-text.ts"],
  formats: "memo protobuf solana tagged-address tron without-key xrp-address xrp-transaction"
    .split(" ")
    .map((name) => `apps/server/src/domain/wallets/${name}`),
  "signer protocol": ["apps/server/src/signer/protocol.ts"],
  // The words for a fault in a file that an operator writes: the policy and the rails file.
  "schema faults": ["apps/server/src/signer/schema-check.ts"],
};

/** Rooms and packages that a test file may use beside its room's own list. */
export const TEST_EXTRAS = ["node", "npm", "testing"];

/** Tests of these rooms stay as pure as the room; all others in the server may set any scene. */
export const PURE_ROOMS = ["money", "contract", "domain"];
