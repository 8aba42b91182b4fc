import { ROLE_NAMES, SERVICE_ACCOUNT_DAYS_MAX } from "@exchange/contract/admin";
import { stateOfServiceAccount } from "../../flows/people/service-account-key.ts";
import {
  createServiceAccount,
  listServiceAccountsFor,
  revokeServiceAccountBy,
} from "../../flows/people/service-accounts.ts";
import { type Command, type CommandInput, UsageError } from "../command.ts";
import { AS, operatorOf } from "../operator-options.ts";
import { fields, listing } from "../table.ts";
import { DAY_MS, timeWords } from "../times.ts";
import { withDatabase } from "../with-database.ts";

const DAYS = 90;

export const serviceAccountsCreate: Command = {
  name: "service-accounts create",
  summary: "Create a program's account of the console's interface. The key is shown only once.",
  options: {
    name: {
      value: "NAME",
      required: true,
      description: "Lower-case letters, digits and hyphens. The log names the account so.",
    },
    role: {
      value: "ROLE",
      required: true,
      description: `One of ${ROLE_NAMES.join(", ")}.`,
    },
    client: { value: "ID", description: "The merchant of the account. Default: the operator." },
    days: {
      value: "DAYS",
      description: `The days that the key works, 1 to ${SERVICE_ACCOUNT_DAYS_MAX}. Default: ${DAYS}.`,
    },
    as: AS,
  },
  argument: "name",
  example: "service-accounts create nightly-report --role viewer --days 90",
  run: (context, input) => {
    const expiresAt = new Date(Date.now() + daysOf(input) * DAY_MS);
    return withDatabase(context, async (deps) => {
      const [name, role] = [input.required("name"), input.required("role")];
      const merchantId = input.one("client") ?? null;
      const by = operatorOf(context, input);
      const account = { name, role, merchantId, expiresAt };
      const { id, key } = await createServiceAccount(deps, { ...account, by });
      const shown = {
        "Service account": id,
        Role: role,
        Of: merchantId ?? "operator",
        "Works until": timeWords(expiresAt),
        Key: key,
      };
      const text = `${fields(shown)}\n\nSave the key now in a file that only its program can read. It is not shown again.`;
      return { json: { id, ...account, expiresAt: expiresAt.toISOString(), key }, text };
    });
  },
};

function daysOf(input: CommandInput): number {
  const text = input.one("days") ?? String(DAYS);
  const days = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= SERVICE_ACCOUNT_DAYS_MAX) return days;
  throw new UsageError(
    `--days must be a number from 1 to ${SERVICE_ACCOUNT_DAYS_MAX}, not "${text}".`,
  );
}

export const serviceAccountsList: Command = {
  name: "service-accounts list",
  summary: "List the service accounts: role, state, end and last use.",
  options: {},
  example: "service-accounts list",
  run: (context) =>
    withDatabase(context, async (deps) => {
      const accounts = await listServiceAccountsFor(deps, {});
      const json = accounts.map(({ creator, ...account }) => ({
        ...account,
        state: stateOfServiceAccount({ ...account, creator }),
      }));
      const rows = json.map((one) => [
        one.id,
        one.name,
        one.merchantName ?? "operator",
        one.role,
        one.state,
        timeWords(one.expiresAt),
        one.lastUsedAt === null ? "" : timeWords(one.lastUsedAt),
        one.createdBy,
      ]);
      const head = ["ID", "NAME", "OF", "ROLE", "STATE", "WORKS UNTIL", "LAST USED", "CREATED BY"];
      return { json, text: listing(head, rows, "There is no service account.") };
    }),
};

export const serviceAccountsRevoke: Command = {
  name: "service-accounts revoke",
  summary: "Revoke a service account. Its key stops working at once.",
  options: {
    id: { value: "ID", required: true, description: "The account's id, as the list shows it." },
    as: AS,
  },
  argument: "id",
  example: "service-accounts revoke abcdefghijkl",
  run: (context, input) =>
    withDatabase(context, async (deps) => {
      const id = input.required("id");
      await revokeServiceAccountBy(deps, { id, by: operatorOf(context, input) });
      return { json: { id, state: "revoked" }, text: `The service account ${id} is revoked.` };
    }),
};
