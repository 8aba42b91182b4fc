import { KEY_SCOPES, type KeyScope } from "../scopes.ts";

/**
 * The rights that endpoints of the console ask for. A role is a set of them. Checks of the server, the buttons of
 * the console, docs/reference/roles.md and the test of every role against every endpoint come from this file.
 */
export const PERMISSIONS = {
  "overview.read": "see what waits, is late or is stopped in the whole service",
  "orders.read": "find orders and read their story",
  "customers.read":
    "read the customer's name, e-mail address and account fields in an order, and find orders by them",
  "orders.hold": "hold an order for review, and cancel one that is not paid",
  "orders.decide":
    "release or refund an order in review, and approve another refund address of its customer",
  "orders.review": "take an order in review, and free it again",
  "orders.note": "write a note on an order",
  "payouts.read": "see payouts under way, their limits and stops",
  "payouts.stop": "stop payouts, and lower their limits",
  "payouts.approve": "approve payouts above a limit, and agree to resume stopped ones",
  "treasury.read": "see balances by asset, float, sweeps, and breaks of the audit",
  "ledger.read": "read the ledger's entries, and statements",
  "reports.read": "read days, volume and fees, and download reports",
  "merchant_overview.read": "see the merchant's volume, conversion, fees and failing webhooks",
  "integration.read":
    "see the merchant's API keys without their secrets, its origins, webhook endpoints and deliveries, and its log of requests",
  "keys.manage":
    "create and replace API keys whose scopes are within one's own rights, revoke keys, and change the origins",
  "webhooks.manage": "change webhook endpoints, and send webhooks again",
  "settings.manage": "change the merchant's name, look, country and defaults",
  "prices.read": "see prices, proposed changes of them and previews",
  "prices.change": "propose changes of prices, and decide about those of others",
  "catalogue.read": "see currencies, networks and payment methods, and what is stopped",
  "catalogue.stop": "stop and resume a currency, a network, a payment method, a pair or a merchant",
  "merchants.read": "see all merchants with their keys without secrets, origins and settings",
  "merchants.manage":
    "create, change and disable merchants, and create, replace and revoke their keys",
  "people.read": "see the people with accounts",
  "people.manage": "invite people, change their roles, and end their sessions",
  "audit.read": "search the log of changes",
} as const;

export type Permission = keyof typeof PERMISSIONS;

/**
 * The rights that a service account never has, whatever its role. Their calls need a fresh proof, or count as the act
 * of a person. A test compares them with the endpoints.
 */
export const PERSON_PERMISSIONS: readonly Permission[] = [
  "orders.decide",
  "orders.review",
  "payouts.approve",
  "keys.manage",
  "prices.change",
  "catalogue.stop",
  "merchants.manage",
  "people.manage",
];

/** The installation's own people, or the people of one merchant. */
export type RoleKind = "operator" | "merchant";

export interface Role {
  readonly kind: RoleKind;
  readonly summary: string;
  readonly permissions: readonly Permission[];
}

const INTEGRATION = ["integration.read", "keys.manage", "webhooks.manage"] as const;
const READS = [
  "overview.read",
  "orders.read",
  "payouts.read",
  "prices.read",
  "catalogue.read",
  "merchants.read",
] as const;
const REVIEW = ["orders.review", "orders.note"] as const;
const BOOKS = ["treasury.read", "ledger.read", "reports.read"] as const;

/** The roles by the name that is stored. A person may have several of one kind, and then has the rights of each. */
export const ROLES = {
  viewer: {
    kind: "operator",
    summary: "Looks at everything but customers, and changes nothing.",
    permissions: [...READS, ...BOOKS],
  },
  support: {
    kind: "operator",
    summary: "Answers customers, and holds orders that look wrong.",
    permissions: [...READS, "customers.read", "orders.hold", ...REVIEW],
  },
  compliance: {
    kind: "operator",
    summary: "Decides about orders in review.",
    permissions: [
      ...READS,
      ...BOOKS,
      "customers.read",
      "orders.hold",
      "orders.decide",
      ...REVIEW,
      "payouts.stop",
      "audit.read",
    ],
  },
  treasury: {
    kind: "operator",
    summary: "Approves payouts, stops and resumes them, and changes prices.",
    permissions: [
      ...READS,
      ...BOOKS,
      "orders.note",
      "payouts.stop",
      "payouts.approve",
      "catalogue.stop",
      "prices.change",
      "audit.read",
    ],
  },
  administrator: {
    kind: "operator",
    summary:
      "Decides who may do what, manages merchants, stops and resumes coins, and changes prices. Approves no payout and no refund.",
    permissions: [
      ...READS,
      ...BOOKS,
      "payouts.stop",
      "catalogue.stop",
      "prices.change",
      "merchants.manage",
      "people.read",
      "people.manage",
      "audit.read",
    ],
  },
  merchant_viewer: {
    kind: "merchant",
    summary: "Looks at the merchant's orders.",
    permissions: ["merchant_overview.read", "orders.read"],
  },
  merchant_support: {
    kind: "merchant",
    summary: "Answers the merchant's customers, and cancels orders that are not paid.",
    permissions: [
      "merchant_overview.read",
      "orders.read",
      "customers.read",
      "orders.hold",
      "orders.note",
    ],
  },
  merchant_finance: {
    kind: "merchant",
    summary: "Looks at the merchant's orders and statements, and refunds orders.",
    permissions: [
      "merchant_overview.read",
      "orders.read",
      "customers.read",
      "orders.decide",
      "orders.note",
      "ledger.read",
      "reports.read",
    ],
  },
  merchant_developer: {
    kind: "merchant",
    summary: "Builds the integration: keys, origins and webhooks. Looks at the merchant's orders.",
    permissions: ["merchant_overview.read", "orders.read", ...INTEGRATION],
  },
  merchant_owner: {
    kind: "merchant",
    summary: "Does everything of the merchant, and invites its people.",
    permissions: [
      "merchant_overview.read",
      "orders.read",
      "customers.read",
      "orders.hold",
      "orders.decide",
      "orders.note",
      "ledger.read",
      "reports.read",
      ...INTEGRATION,
      "settings.manage",
      "people.read",
      "people.manage",
      "audit.read",
    ],
  },
} as const satisfies Record<string, Role>;

export type RoleName = keyof typeof ROLES;

export const ROLE_NAMES = Object.keys(ROLES) as RoleName[];

export const isRoleName = (text: string): text is RoleName => Object.hasOwn(ROLES, text);

/** Returns the roles that a person of this kind may have. */
export const rolesOf = (kind: RoleKind): readonly RoleName[] =>
  ROLE_NAMES.filter((name) => ROLES[name].kind === kind);

/** Returns the rights of a person, each once. */
export const permissionsOf = (roles: readonly RoleName[]): readonly Permission[] => [
  ...new Set(roles.flatMap((name): readonly Permission[] => ROLES[name].permissions)),
];

/** Returns whether a person with these roles may create a service account with the role: it has no right beyond theirs. */
export function mayLend(roles: readonly RoleName[], role: RoleName): boolean {
  const own = permissionsOf(roles);
  return (
    own.includes("people.manage") &&
    ROLES[role].permissions.every((permission) => own.includes(permission))
  );
}

/**
 * The rights that a person of a merchant needs to create or replace an API key with a scope, so that no key does more than
 * its maker. Every integration needs `orders.write`, which moves no money.
 */
export const KEY_SCOPE_PERMISSIONS: Readonly<Record<KeyScope, readonly Permission[]>> = {
  read: ["orders.read", "customers.read", "integration.read"],
  "orders.write": ["keys.manage"],
  "refunds.write": ["orders.decide"],
  "webhooks.write": ["webhooks.manage"],
};

/** Returns the scopes that a person with these rights may give to an API key of their merchant. */
export const grantableScopes = (may: (permission: Permission) => boolean): readonly KeyScope[] =>
  KEY_SCOPES.filter((scope) => KEY_SCOPE_PERMISSIONS[scope].every(may));
