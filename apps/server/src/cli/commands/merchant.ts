import { createMerchant } from "../../flows/merchants/create.ts";
import { readMerchant } from "../../flows/merchants/read.ts";
import { listWebhookEndpoints } from "../../flows/webhooks/list-endpoints.ts";
import { type ApiKeyRecord, listApiKeys } from "../../storage/merchants/api-keys.ts";
import { listMerchants, type MerchantRecord } from "../../storage/merchants/merchants.ts";
import type { Command, CommandContext } from "../command.ts";
import { AS, CLIENT, operatorOf } from "../operator-options.ts";
import { fields, listing, table } from "../table.ts";
import { withDatabase } from "../with-database.ts";
import { showEndpoint } from "./webhook.ts";

export function showMerchant({ id, name, settings, createdAt, disabledAt }: MerchantRecord) {
  const { defaults } = settings;
  return {
    clientId: id,
    name,
    allowedOrigins: settings.allowedOrigins,
    countryCode: settings.countryCode,
    defaults: {
      baseCurrency: defaults.baseCurrency,
      targetCurrency: defaults.targetCurrency,
      baseAmount: defaults.baseAmount ?? null,
      targetAmount: defaults.targetAmount ?? null,
    },
    logo: settings.logoUrl ?? null,
    color: settings.primaryColor ?? null,
    tokenLifetimeSeconds: settings.tokenLifetimeSeconds ?? null,
    createdAt: createdAt.toISOString(),
    disabledAt: disabledAt?.toISOString() ?? null,
  };
}

export type ShownMerchant = ReturnType<typeof showMerchant>;

const showKey = (key: ApiKeyRecord) => ({
  keyId: key.id,
  scopes: key.scopes,
  networks: key.networks,
  createdAt: key.createdAt.toISOString(),
  expiresAt: key.expiresAt?.toISOString() ?? null,
  revokedAt: key.revokedAt?.toISOString() ?? null,
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  lastAddress: key.lastAddress,
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
    country: {
      value: "CC",
      description:
        "Its country as two capital letters. The popup begins with its currency. Default: US.",
    },
    as: AS,
  },
  example: 'merchant create --name "My Shop" --origin https://shop.example --country DE',
  run: (context, input) =>
    withDatabase(context, async (deps) => {
      const countryCode = input.one("country");
      const { merchant, key } = await createMerchant(deps, {
        name: input.required("name"),
        allowedOrigins: input.many("origin"),
        by: operatorOf(context, input),
        ...(countryCode === undefined ? {} : { countryCode }),
      });
      const shownMerchant = showMerchant(merchant);
      const json = { ...shownMerchant, keyId: key.keyId, apiKey: key.apiKey };
      const shown = { "Client id": merchant.id, "API key": key.apiKey };
      const lines = [
        fields(shown),
        "",
        "Save the key now. It is not shown again. Paste this line where your server starts:",
        "",
        `export EXCHANGE_URL=${addressOf(context)} EXCHANGE_CLIENT_ID=${merchant.id} EXCHANGE_API_KEY=${key.apiKey}`,
      ];
      if (shownMerchant.allowedOrigins.length === 0) lines.push("", noOrigin(merchant.id));
      return { json, text: lines.join("\n") };
    }),
};

function addressOf(context: CommandContext): string {
  const { publicUrl, port } = context.config();
  return publicUrl ?? `http://localhost:${port}`;
}

const noOrigin = (clientId: string): string =>
  `No page may open the popup yet. Add its origin: exchange merchant update --client ${clientId} --add-origin https://shop.example`;

export const merchantList: Command = {
  name: "merchant list",
  summary: "List all merchants.",
  options: {},
  example: "merchant list",
  run: (context) =>
    withDatabase(context, async ({ database }) => {
      const merchants = (await listMerchants(database)).map(showMerchant);
      const rows = merchants.map((one) => [
        one.clientId,
        one.name,
        one.disabledAt === null ? "active" : `disabled ${one.disabledAt}`,
        one.createdAt,
      ]);
      return {
        json: merchants,
        text: listing(
          ["CLIENT ID", "NAME", "STATE", "CREATED"],
          rows,
          "There is no merchant yet. Create one: exchange merchant create --help",
        ),
      };
    }),
};

export const merchantShow: Command = {
  name: "merchant show",
  summary: "Show one merchant with its settings, its keys and its webhook endpoints.",
  options: { client: CLIENT },
  argument: "client",
  example: "merchant show --client client_dev_ABCDEFGHIJKLMNOP",
  run: (context, input) =>
    withDatabase(context, async ({ database }) => {
      const merchantId = input.required("client");
      const merchant = await readMerchant({ database }, merchantId);
      const keys = (await listApiKeys(database, merchantId)).map(showKey);
      const webhooks = await listWebhookEndpoints({ database }, { merchantId });
      const json = { ...showMerchant(merchant), keys, webhooks: webhooks.map(showEndpoint) };
      return { json, text: describe(json) };
    }),
};

/** Returns the settings of a merchant for a terminal. */
export function describeSettings(merchant: ShownMerchant): string {
  const { defaults } = merchant;
  const amounts = [
    ...(defaults.baseAmount === null ? [] : [`${defaults.baseAmount} spent`]),
    ...(defaults.targetAmount === null ? [] : [`${defaults.targetAmount} received`]),
  ];
  return fields({
    "Client id": merchant.clientId,
    Name: merchant.name,
    State: merchant.disabledAt === null ? "active" : `disabled ${merchant.disabledAt}`,
    Country: merchant.countryCode,
    Origins: merchant.allowedOrigins.join(", ") || "none",
    Defaults: [`${defaults.baseCurrency} to ${defaults.targetCurrency}`, ...amounts].join(", "),
    Logo: merchant.logo === null ? "none" : `${merchant.logo.slice(0, merchant.logo.indexOf(";"))}`,
    Colour: merchant.color ?? "none",
    "Token lifetime": `${merchant.tokenLifetimeSeconds ?? 1800} seconds`,
    Created: merchant.createdAt,
  });
}

function describe(
  merchant: ShownMerchant & {
    readonly keys: readonly ReturnType<typeof showKey>[];
    readonly webhooks: readonly ReturnType<typeof showEndpoint>[];
  },
): string {
  const keys = merchant.keys.map((key) => [
    key.keyId,
    stateOfKey(key),
    key.scopes.join(","),
    key.networks?.join(",") ?? "all",
    key.createdAt,
    key.lastUsedAt === null ? "never" : `${key.lastUsedAt} from ${key.lastAddress}`,
  ]);
  const webhooks = merchant.webhooks.map((one) => [one.id, one.state, one.url]);
  return [
    describeSettings(merchant),
    table([["KEY", "STATE", "SCOPES", "NETWORKS", "CREATED", "LAST USED"], ...keys]),
    table([["WEBHOOK", "STATE", "URL"], ...webhooks]),
  ].join("\n\n");
}

function stateOfKey({ revokedAt, expiresAt }: ReturnType<typeof showKey>): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  if (expiresAt === null) return "active";
  return Date.parse(expiresAt) <= Date.now() ? `expired ${expiresAt}` : `active until ${expiresAt}`;
}
