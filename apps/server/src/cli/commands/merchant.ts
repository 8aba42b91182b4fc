import { createMerchant } from "../../flows/merchants/create.ts";
import { Refusal } from "../../flows/refusal.ts";
import { listWebhookEndpoints } from "../../flows/webhooks/list-endpoints.ts";
import { listApiKeys } from "../../storage/merchants/api-keys.ts";
import {
  findMerchant,
  listMerchants,
  type MerchantRecord,
} from "../../storage/merchants/merchants.ts";
import type { Command } from "../command.ts";
import { fields, table } from "../table.ts";
import { withDatabase } from "../with-database.ts";
import { showEndpoint } from "./webhook.ts";

const showMerchant = (merchant: MerchantRecord) => ({
  clientId: merchant.id,
  name: merchant.name,
  allowedOrigins: merchant.settings.allowedOrigins,
  countryCode: merchant.settings.countryCode,
  createdAt: merchant.createdAt.toISOString(),
  disabledAt: merchant.disabledAt?.toISOString() ?? null,
});

export const merchantCreate: Command = {
  name: "merchant create",
  summary: "Create a merchant with its first API key, which is shown only once.",
  options: {
    name: { value: "NAME", required: true, description: "The merchant's name." },
    origin: {
      value: "URL",
      multiple: true,
      description: "An origin whose pages may open the popup, such as https://shop.example.",
    },
    country: { value: "CC", description: "Its country as two capital letters. Default: US." },
  },
  example: 'merchant create --name "My Shop" --origin https://shop.example --country DE',
  run: (context, input) =>
    withDatabase(context, async (deps) => {
      const countryCode = input.one("country");
      const { merchant, key } = await createMerchant(deps, {
        name: input.required("name"),
        allowedOrigins: input.many("origin"),
        ...(countryCode === undefined ? {} : { countryCode }),
      });
      const json = { ...showMerchant(merchant), keyId: key.keyId, apiKey: key.apiKey };
      const shown = { "Client id": merchant.id, "API key": key.apiKey };
      return { json, text: `${fields(shown)}\n\nSave the key now. It is not shown again.` };
    }),
};

export const merchantList: Command = {
  name: "merchant list",
  summary: "List all merchants.",
  options: {},
  example: "merchant list",
  run: (context) =>
    withDatabase(context, async ({ database }) => {
      const merchants = (await listMerchants(database)).map(showMerchant);
      const rows = merchants.map((one) => [one.clientId, one.name, one.createdAt]);
      return { json: merchants, text: table([["CLIENT ID", "NAME", "CREATED"], ...rows]) };
    }),
};

export const merchantShow: Command = {
  name: "merchant show",
  summary: "Show one merchant with its keys and webhook endpoints.",
  options: { client: { value: "ID", required: true, description: "The merchant's client id." } },
  argument: "client",
  example: "merchant show --client client_dev_ABCDEFGHIJKLMNOP",
  run: (context, input) =>
    withDatabase(context, async ({ database }) => {
      const merchantId = input.required("client");
      const merchant = await findMerchant(database, merchantId);
      if (merchant === undefined) {
        throw new Refusal("NOT_FOUND", { message: `There is no merchant ${merchantId}.` });
      }
      const keys = (await listApiKeys(database, merchantId)).map((key) => ({
        keyId: key.id,
        createdAt: key.createdAt.toISOString(),
        revokedAt: key.revokedAt?.toISOString() ?? null,
      }));
      const webhooks = await listWebhookEndpoints({ database }, { merchantId });
      const json = { ...showMerchant(merchant), keys, webhooks: webhooks.map(showEndpoint) };
      return { json, text: describe(json) };
    }),
};

function describe(
  merchant: ReturnType<typeof showMerchant> & {
    readonly keys: readonly { keyId: string; createdAt: string; revokedAt: string | null }[];
    readonly webhooks: readonly ReturnType<typeof showEndpoint>[];
  },
): string {
  const head = fields({
    "Client id": merchant.clientId,
    Name: merchant.name,
    Country: merchant.countryCode,
    Origins: merchant.allowedOrigins.join(", ") || "none",
    Created: merchant.createdAt,
  });
  const keys = merchant.keys.map((key) => [
    key.keyId,
    key.revokedAt === null ? "active" : `revoked ${key.revokedAt}`,
    key.createdAt,
  ]);
  const webhooks = merchant.webhooks.map((one) => [one.id, one.state, one.url]);
  return [
    head,
    table([["KEY", "STATE", "CREATED"], ...keys]),
    table([["WEBHOOK", "STATE", "URL"], ...webhooks]),
  ].join("\n\n");
}
