import { createKey } from "../../flows/merchants/create-key.ts";
import { revokeKey } from "../../flows/merchants/revoke-key.ts";
import type { Command, CommandOption } from "../command.ts";
import { fields } from "../table.ts";
import { withDatabase } from "../with-database.ts";

const CLIENT: CommandOption = {
  value: "ID",
  required: true,
  description: "The merchant's client id.",
};

export const keyCreate: Command = {
  name: "key create",
  summary: "Create a second API key for a merchant. The key is shown only once.",
  options: { client: CLIENT },
  example: "key create --client client_dev_ABCDEFGHIJKLMNOP",
  run: (context, input) =>
    withDatabase(context, async (deps) => {
      const clientId = input.required("client");
      const key = await createKey(deps, clientId);
      const text = `${fields({ "Key id": key.keyId, "API key": key.apiKey })}\n\nSave the key now. It is not shown again.`;
      return { json: { clientId, ...key }, text };
    }),
};

export const keyRevoke: Command = {
  name: "key revoke",
  summary: "Revoke an API key. It stops working within a second.",
  options: {
    client: CLIENT,
    key: {
      value: "KEY",
      required: true,
      description: "The key's id: the 12 characters after the environment.",
    },
  },
  example: "key revoke --client client_dev_ABCDEFGHIJKLMNOP --key abcdefghijkl",
  run: (context, input) =>
    withDatabase(context, async (deps) => {
      const clientId = input.required("client");
      const keyId = input.required("key");
      await revokeKey(deps, { merchantId: clientId, id: keyId });
      return { json: { clientId, keyId, revoked: true }, text: `Key ${keyId} is revoked.` };
    }),
};
