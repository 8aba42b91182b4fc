import { readFileSync } from "node:fs";
import {
  ADMIN_ENDPOINTS,
  type AdminEndpoint,
  isForServiceAccounts,
  KEY_SCOPE_PERMISSIONS,
  PERMISSIONS,
  PERSON_PERMISSIONS,
  type Permission,
  ROLE_NAMES,
  ROLES,
  rolesWith,
} from "@exchange/contract/admin";
import { describe, expect, test } from "vitest";

/** The page of roles. After a change of them: npx vitest run --project unit roles-document -u */
const PAGE = new URL("../../../../docs/reference/roles.md", import.meta.url).pathname;

const cell = (texts: readonly string[]): string => texts.map((text) => `\`${text}\``).join(", ");

function rolesPage(): string {
  const roles = ROLE_NAMES.map((name) => {
    const { kind, summary, permissions } = ROLES[name];
    return `| \`${name}\` | ${kind} | ${summary} | ${cell(permissions)} |`;
  });
  const rights = Object.entries(PERMISSIONS).map(([name, words]) => {
    const holders = rolesWith({ permission: name as Permission });
    return `| \`${name}\` | ${words} | ${cell(holders)} |`;
  });
  const scopes = Object.entries(KEY_SCOPE_PERMISSIONS).map(
    ([scope, needed]) => `| \`${scope}\` | ${cell(needed)} |`,
  );
  const calls = Object.values<AdminEndpoint>(ADMIN_ENDPOINTS)
    .filter(({ permission }) => permission !== undefined)
    .map((endpoint) => {
      const { method, path, permission = "", stepUp } = endpoint;
      return `| ${method} \`${path}\` | \`${permission}\` | ${stepUp ? "yes" : ""} | ${isForServiceAccounts(endpoint) ? "yes" : ""} | ${cell(rolesWith(endpoint))} |`;
    });
  return `# Roles of the console

This page is generated from \`packages/contract/src/admin\`, and a test calls each endpoint with each role. A person may have several roles
of one kind, and then has the rights of each. A merchant's people see their merchant alone. [Run the console](../operating/console.md) says how people get
accounts.

A [service account](../operating/console.md#service-accounts) has one role, and has the rights of it except these, which are of people:
${cell(PERSON_PERMISSIONS)}.

## Roles

| Role | Of | | Rights |
|---|---|---|---|
${roles.join("\n")}

## Rights

| Right | Lets a person | Roles |
|---|---|---|
${rights.join("\n")}

## Scopes of API keys

An API key does no more than the person of a merchant who creates or replaces it. A [scope](../operating/merchants.md#keys) needs these
rights, and a key without a list of scopes has all that its maker may give. The operator's people and the command line give any scope.

| Scope | Rights |
|---|---|
${scopes.join("\n")}

## Calls

Paths begin after \`/v1\`. A fresh proof is a passkey, or password and code, of the last five minutes. Calls of one's own account need no
right, and service accounts have none. A call that is not for service accounts refuses them with \`PERSON_REQUIRED\`. The document of all calls is \`/v1/admin/openapi.json\` on the console's port.

| Call | Right | Fresh proof | Service accounts | Roles |
|---|---|---|---|---|
${calls.join("\n")}
`;
}

test("roles.md lists the roles, the rights and the calls of the code", async () => {
  await expect(rolesPage()).toMatchFileSnapshot(PAGE);
});

/** The words of console.md for each call that changes something without a fresh proof. */
const WITHOUT_PROOF: Readonly<Record<string, string>> = {
  cancelUnpaidOrder: "cancel unpaid orders",
  changeMerchantSettings: "change the settings of",
  freeOrder: "take and free orders in review",
  holdOrderForReview: "hold orders",
  noteOrder: "write notes",
  replayMerchantDeliveries: "send webhooks again and test them",
  replayMerchantDelivery: "send webhooks again and test them",
  stopPayouts: "stop payouts",
  takeOrder: "take and free orders in review",
  testMerchantWebhook: "send webhooks again and test them",
  tryCall: "in a sandbox send calls of the API",
};

describe("console.md", () => {
  const page = readFileSync(
    new URL("../../../../docs/operating/console.md", import.meta.url),
    "utf8",
  );
  const itemOf = (title: string): string =>
    (page.split(`- **${title}`)[1] ?? "").split("\n- **")[0]?.replaceAll(/\s+/g, " ") ?? "";
  const missing = (item: string, endpoints: readonly AdminEndpoint[]): string[] =>
    endpoints
      .map(({ operationId }) => operationId)
      .filter((id) => !item.includes(WITHOUT_PROOF[id] ?? `the words for ${id}`));
  const changing = Object.values<AdminEndpoint>(ADMIN_ENDPOINTS).filter(
    ({ method, permission, stepUp }) => method !== "GET" && permission !== undefined && !stepUp,
  );

  test("says what a person without a passkey may change", () => {
    expect(changing.map(({ operationId }) => operationId).toSorted()).toEqual(
      Object.keys(WITHOUT_PROOF),
    );
    expect(missing(itemOf("Moving money and changing people"), changing)).toEqual([]);
  });

  test("says what a service account may change", () => {
    const item = itemOf("People decide.");
    expect(missing(item, changing.filter(isForServiceAccounts))).toEqual([]);
    expect(item).not.toContain("free orders in review");
  });
});
