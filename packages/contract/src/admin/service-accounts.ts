import { type Static, Type } from "@sinclair/typebox";
import { createdEnvelope, listEnvelope } from "../envelopes.ts";
import { literals, matching, named, nullable, TimeInput } from "../schema.ts";
import { type AdminEndpoint, PERSON_ERRORS } from "./endpoint.ts";
import { RoleText } from "./sign-in.ts";

/** The longest time that the key of a service account works. */
export const SERVICE_ACCOUNT_DAYS_MAX = 366;

/** The names of service accounts, as a pattern. */
export const SERVICE_ACCOUNT_NAME = "^[a-z0-9][a-z0-9-]{0,39}$";

const Time = (description: string) => Type.Integer({ description: `Unix seconds; ${description}` });
const Name = matching(
  SERVICE_ACCOUNT_NAME,
  "1 to 40 lower-case letters, digits and hyphens, such as nightly-report",
  { examples: ["nightly-report"] },
);

/** The account of a program, without its key. */
export const ServiceAccount = named(
  "ServiceAccount",
  Type.Object({
    serviceAccountId: Type.String(),
    name: Type.String({ description: "the log of changes has `service-account.` before it" }),
    merchantId: nullable(
      Type.String({ description: "the merchant's client id; null: an account of the operator" }),
    ),
    merchantName: nullable(Type.String()),
    role: RoleText,
    state: literals(["active", "suspended", "expired", "revoked"], {
      description: "`suspended`: the person who created it no longer has all rights of its role",
    }),
    prefix: Type.String({ description: "the beginning of the key, which is not secret" }),
    createdBy: Type.String({ description: "the person who created it" }),
    createdAt: Time("when it was created"),
    expiresAt: Time("the key stops working then"),
    revokedAt: nullable(Time("when it was revoked")),
    lastUsedAt: nullable(Time("the last call with the key, up to a minute late")),
    lastAddress: nullable(Type.String({ description: "the network address of that call" })),
  }),
);
export type ServiceAccount = Static<typeof ServiceAccount>;

export const ServiceAccountWithKey = named(
  "ServiceAccountWithKey",
  Type.Object({
    serviceAccount: ServiceAccount,
    key: Type.String({
      description: "send it as `Authorization: Bearer`. No other answer contains it",
    }),
  }),
);
export type ServiceAccountWithKey = Static<typeof ServiceAccountWithKey>;

const shared = {
  caller: "person",
  tag: "Service accounts",
  errors: PERSON_ERRORS,
} as const;

/** The accounts of programs that call these endpoints with a key. */
export const SERVICE_ACCOUNT_ENDPOINTS = {
  listServiceAccounts: {
    ...shared,
    permission: "people.read",
    operationId: "listServiceAccounts",
    method: "GET",
    path: "/admin/service_accounts",
    summary: "List the service accounts",
    description:
      "Those that work and those that ended, the newest first, without their keys. A merchant's people see those of their merchant.",
    success: { status: 200, schema: listEnvelope(ServiceAccount) },
  },
  createServiceAccount: {
    ...shared,
    permission: "people.manage",
    stepUp: true,
    operationId: "createServiceAccount",
    method: "POST",
    path: "/admin/service_accounts",
    summary: "Create a service account",
    description: `Only this answer contains the key, which works until \`expiresAt\`, at most ${SERVICE_ACCOUNT_DAYS_MAX} days. You need every right of the role. The account belongs to the operator or the merchant as you do.`,
    body: Type.Object(
      {
        name: Name,
        role: RoleText,
        expiresAt: TimeInput("when it stops working"),
      },
      { additionalProperties: false },
    ),
    success: { status: 201, schema: createdEnvelope(ServiceAccountWithKey) },
  },
  revokeServiceAccount: {
    ...shared,
    permission: "people.manage",
    stepUp: true,
    operationId: "revokeServiceAccount",
    method: "DELETE",
    path: "/admin/service_accounts/{serviceAccountId}",
    summary: "Revoke a service account",
    description: "Its key stops working at once. The account stays in the list.",
    params: Type.Object({
      serviceAccountId: matching(
        "^[a-z2-7]{12}$",
        "the 12 characters after the environment in the key",
      ),
    }),
    success: { status: 204, schema: Type.Null() },
  },
} as const satisfies Record<string, AdminEndpoint>;
