import { KEY_SCOPES } from "@exchange/contract";
import { KEY_OVERLAP_SECONDS_MAX } from "@exchange/contract/admin";
import { type CreatedKey, createKey } from "../../flows/merchants/create-key.ts";
import { revokeKey } from "../../flows/merchants/revoke-key.ts";
import { rollKey } from "../../flows/merchants/roll-key.ts";
import {
  type Command,
  type CommandInput,
  type CommandOption,
  type CommandResult,
  UsageError,
} from "../command.ts";
import { AS, CLIENT, operatorOf } from "../operator-options.ts";
import { fields } from "../table.ts";
import { withDatabase } from "../with-database.ts";

const KEY: CommandOption = {
  value: "KEY",
  required: true,
  description: "The key's id: the 12 characters after the environment.",
};

export const keyCreate: Command = {
  name: "key create",
  summary: "Create a second API key for a merchant. The key is shown only once.",
  options: {
    client: CLIENT,
    scope: {
      value: "LIST",
      description: `The scopes of the key, separated by commas: ${KEY_SCOPES.join(", ")}. Default: all.`,
    },
    expires: {
      value: "TIME",
      description:
        "The key works until then, such as 2027-01-31T12:00Z. Default: until it is revoked.",
    },
    network: {
      value: "CIDR",
      multiple: true,
      description:
        "An address or a network that the key works from, such as 203.0.113.0/24. Default: everywhere.",
    },
    as: AS,
  },
  example:
    "key create --client client_dev_ABCDEFGHIJKLMNOP --scope read,orders.write --network 203.0.113.0/24",
  run: (context, input) => {
    const [scopes, expiresAt] = [input.one("scope"), expiryOf(input)];
    return withDatabase(context, async (deps) => {
      const merchantId = input.required("client");
      const key = await createKey(deps, {
        merchantId,
        scopes: scopes?.split(",").map((scope) => scope.trim()),
        expiresAt,
        networks: input.many("network"),
        by: operatorOf(context, input),
      });
      return showKey(merchantId, key);
    });
  },
};

/** Shows a new key, once. */
function showKey(clientId: string, key: CreatedKey, earlier?: string): CommandResult {
  const shown = {
    "Key id": key.keyId,
    Scopes: key.scopes.join(", "),
    Expires: key.expiresAt?.toISOString() ?? "never",
    Networks: key.networks?.join(", ") ?? "all",
    "API key": key.apiKey,
  };
  const json = { clientId, ...key, expiresAt: key.expiresAt?.toISOString() ?? null };
  const lines = [
    fields(shown),
    ...(earlier === undefined ? [] : [earlier]),
    "Save the key now. It is not shown again.",
  ];
  return { json, text: lines.join("\n\n") };
}

function expiryOf(input: CommandInput): Date | undefined {
  const text = input.one("expires");
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time;
  throw new UsageError(`--expires must be a time such as 2027-01-31T12:00Z, not "${text}".`);
}

export const keyRoll: Command = {
  name: "key roll",
  summary: "Replace an API key by one with the same limits. The new key is shown only once.",
  options: {
    client: CLIENT,
    key: KEY,
    overlap: {
      value: "SECONDS",
      description: `How long the earlier key works on: 0 to ${KEY_OVERLAP_SECONDS_MAX}. 0 revokes it now. Default: a day.`,
    },
    as: AS,
  },
  example: "key roll --client client_dev_ABCDEFGHIJKLMNOP --key abcdefghijkl --overlap 3600",
  run: (context, input) => {
    const overlapSeconds = overlapOf(input);
    return withDatabase(context, async (deps) => {
      const merchantId = input.required("client");
      const id = input.required("key");
      const by = operatorOf(context, input);
      const key = await rollKey(deps, { merchantId, id, overlapSeconds, by });
      const earlier =
        overlapSeconds === 0
          ? `Key ${id} is revoked.`
          : `Key ${id} works for the overlap. Replace it on your servers meanwhile.`;
      return showKey(merchantId, key, earlier);
    });
  },
};

function overlapOf(input: CommandInput): number | undefined {
  const text = input.one("overlap");
  if (text === undefined) return undefined;
  const seconds = /^[0-9]{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= KEY_OVERLAP_SECONDS_MAX) return seconds;
  throw new UsageError(
    `--overlap must be a number of seconds from 0 to ${KEY_OVERLAP_SECONDS_MAX}, not "${text}".`,
  );
}

export const keyRevoke: Command = {
  name: "key revoke",
  summary: "Revoke an API key. It stops working within a second.",
  options: {
    client: CLIENT,
    key: KEY,
    as: AS,
  },
  example: "key revoke --client client_dev_ABCDEFGHIJKLMNOP --key abcdefghijkl",
  run: (context, input) =>
    withDatabase(context, async (deps) => {
      const clientId = input.required("client");
      const keyId = input.required("key");
      await revokeKey(deps, { merchantId: clientId, id: keyId, by: operatorOf(context, input) });
      return { json: { clientId, keyId, revoked: true }, text: `Key ${keyId} is revoked.` };
    }),
};
