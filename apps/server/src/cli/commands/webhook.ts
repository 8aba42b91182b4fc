import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from "@exchange/contract";
import { addWebhookEndpoint } from "../../flows/webhooks/add-endpoint.ts";
import { changeWebhookEndpoint } from "../../flows/webhooks/change-endpoint.ts";
import { listWebhookEndpoints } from "../../flows/webhooks/list-endpoints.ts";
import { removeWebhookEndpoint } from "../../flows/webhooks/remove-endpoint.ts";
import { requireWebhookEndpoint } from "../../flows/webhooks/require-endpoint.ts";
import { listEndpointLog } from "../../storage/webhooks/endpoint-log.ts";
import type { WebhookEndpoint } from "../../storage/webhooks/endpoints.ts";
import type { Command, CommandOption } from "../command.ts";
import { AS, CLIENT, operatorOf } from "../operator-options.ts";
import { fields, listing } from "../table.ts";
import { withDatabase } from "../with-database.ts";
import { readEventType } from "./trigger.ts";

const ENDPOINT: CommandOption = {
  value: "ID",
  required: true,
  description: "The endpoint's id.",
};

export const showEndpoint = (endpoint: WebhookEndpoint) => ({
  id: endpoint.id,
  url: endpoint.url,
  events: endpoint.eventTypes,
  state: endpoint.state,
  disabledReason: endpoint.disabledReason,
  firstFailureAt: endpoint.firstFailureAt?.toISOString() ?? null,
  pausedUntil: endpoint.pausedUntil?.toISOString() ?? null,
  createdAt: endpoint.createdAt.toISOString(),
});

export const webhookAdd: Command = {
  name: "webhook add",
  summary: "Register a URL for a merchant's webhooks. Its secret is shown only once.",
  options: {
    client: CLIENT,
    url: { value: "URL", required: true, description: "The URL that receives webhooks." },
    events: {
      value: "LIST",
      description: `Event types, separated by commas: ${WEBHOOK_EVENT_TYPES.join(", ")}. Default: OrderCreated,OrderFulfillment.`,
    },
    as: AS,
  },
  example: "webhook add --client client_dev_ABCDEFGHIJKLMNOP --url https://shop.example/webhooks",
  run: (context, input) =>
    withDatabase(context, async (deps) => {
      const events = input.one("events");
      const { endpoint, secret } = await addWebhookEndpoint(deps, {
        merchantId: input.required("client"),
        url: input.required("url"),
        operator: operatorOf(context, input),
        ...(events === undefined ? {} : { eventTypes: parseEvents(events) }),
      });
      const shown = { Id: endpoint.id, URL: endpoint.url, Secret: secret };
      return {
        json: { ...showEndpoint(endpoint), secret },
        text: `${fields(shown)}\n\nSave the secret now. It is not shown again. Paste this line where your receiver starts:\n\nexport EXCHANGE_WEBHOOK_SECRET=${secret}`,
      };
    }),
};

export const webhookList: Command = {
  name: "webhook list",
  summary: "List a merchant's webhook endpoints.",
  options: { client: CLIENT },
  example: "webhook list --client client_dev_ABCDEFGHIJKLMNOP",
  run: (context, input) =>
    withDatabase(context, async (deps) => {
      const endpoints = await listWebhookEndpoints(deps, { merchantId: input.required("client") });
      const shown = endpoints.map(showEndpoint);
      const rows = shown.map((one) => [one.id, describeState(one), one.url, one.events.join(",")]);
      return {
        json: shown,
        text: listing(
          ["ID", "STATE", "URL", "EVENTS"],
          rows,
          "The merchant has no webhook endpoint. Add one: exchange webhook add --help",
        ),
      };
    }),
};

export const webhookRemove: Command = {
  name: "webhook remove",
  summary: "Remove a webhook endpoint. Its pending deliveries are dropped.",
  options: {
    client: CLIENT,
    id: ENDPOINT,
    as: AS,
  },
  example:
    "webhook remove --client client_dev_ABCDEFGHIJKLMNOP --id 6f1c2a34-0000-4000-8000-000000000000",
  run: (context, input) =>
    withDatabase(context, async (deps) => {
      const endpointId = input.required("id");
      const operator = operatorOf(context, input);
      const merchantId = input.required("client");
      await removeWebhookEndpoint(deps, { merchantId, endpointId, operator });
      return {
        json: { id: endpointId, removed: true },
        text: `Endpoint ${endpointId} is removed.`,
      };
    }),
};

/** Returns the state in the words of the list. */
function describeState(shown: ReturnType<typeof showEndpoint>): string {
  if (shown.state === "disabled") return `disabled (${shown.disabledReason})`;
  if (shown.pausedUntil !== null) return "active, paused";
  return shown.firstFailureAt === null ? "active" : `active, failing since ${shown.firstFailureAt}`;
}

const switchCommand = (
  name: string,
  summary: string,
  enabled: "enabled" | "disabled",
): Command => ({
  name,
  summary,
  options: { client: CLIENT, id: ENDPOINT, as: AS },
  example: `${name} --client client_dev_ABCDEFGHIJKLMNOP --id 6f1c2a34-0000-4000-8000-000000000000`,
  run: (context, input) =>
    withDatabase(context, async (deps) => {
      const endpoint = await changeWebhookEndpoint(deps, {
        merchantId: input.required("client"),
        endpointId: input.required("id"),
        by: operatorOf(context, input),
        enabled: enabled === "enabled",
      });
      return { json: showEndpoint(endpoint), text: `Endpoint ${endpoint.id} is ${enabled}.` };
    }),
});

export const webhookEnable = switchCommand(
  "webhook enable",
  "Enable a webhook endpoint, no matter who disabled it. Waiting deliveries are sent.",
  "enabled",
);

export const webhookDisable = switchCommand(
  "webhook disable",
  "Disable a webhook endpoint. Its events wait until the operator enables it.",
  "disabled",
);

export const webhookHistory: Command = {
  name: "webhook history",
  summary: "Show the history of a webhook endpoint, such as when it was disabled.",
  options: { client: CLIENT, id: ENDPOINT },
  example:
    "webhook history --client client_dev_ABCDEFGHIJKLMNOP --id 6f1c2a34-0000-4000-8000-000000000000",
  run: (context, input) =>
    withDatabase(context, async ({ database }) => {
      const key = { merchantId: input.required("client"), endpointId: input.required("id") };
      await requireWebhookEndpoint(database, key);
      const log = await listEndpointLog(database, key);
      const shown = log.map(({ at, what, detail }) => ({ at: at.toISOString(), what, detail }));
      const rows = shown.map(({ at, what, detail }) => [at, what, detail]);
      return {
        json: shown,
        text: listing(["AT", "WHAT", "DETAIL"], rows, "Nothing happened to this endpoint yet."),
      };
    }),
};

function parseEvents(text: string): WebhookEventType[] {
  return text.split(",").map((name) => readEventType(name.trim()));
}
