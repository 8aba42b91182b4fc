import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import type { Deps } from "../flows/deps.ts";
import { ensureDemoMerchant } from "../flows/merchants/ensure-demo.ts";
import { addWebhookEndpoint } from "../flows/webhooks/add-endpoint.ts";
import { listWebhookEndpoints } from "../flows/webhooks/list-endpoints.ts";
import { removeWebhookEndpoint } from "../flows/webhooks/remove-endpoint.ts";
import { makeApiKey, makeClientId } from "../secrets/api-key.ts";

/** The demo merchant and what its shop needs to know. */
export interface Demo {
  readonly clientId: string;
  readonly apiKey: string;
  readonly keyFile: string;
  readonly webhookSecret: string | undefined;
}

export interface DemoOptions {
  readonly dataDir: string;
  /** Where the demo shop will be; undefined when there is none. */
  readonly shopUrl: string | undefined;
  readonly progress: (line: string) => void;
}

/** What is remembered between starts, beside the two secrets, which have files of their own. */
interface DemoFile {
  readonly clientId: string;
  readonly shopOrigin?: string | undefined;
  readonly webhookEndpointId?: string | undefined;
}

type DemoDeps = Pick<Deps, "environment" | "database" | "ids" | "secrets" | "webhookTargets">;

export const shopUrlOf = (config: Pick<Config, "shopPort">): string | undefined =>
  config.shopPort === 0 ? undefined : `http://localhost:${config.shopPort}`;

/**
 * Makes the demo merchant at the first start and finds it again later. Its id and key are written
 * down before they are stored, so a crash between the two leaves nothing behind.
 */
export async function ensureDemo(deps: DemoDeps, options: DemoOptions): Promise<Demo> {
  const path = (name: string): string => join(options.dataDir, `demo-merchant.${name}`);
  const known = readJson<DemoFile>(path("json"));
  if (known === undefined) options.progress("creating the demo merchant");
  const file = known ?? { clientId: makeClientId(deps.environment, deps.ids) };
  if (known === undefined) writePrivate(path("json"), JSON.stringify(file));
  const apiKey = await ensureKey(deps, { file, keyFile: path("key"), options });
  const webhook = await ensureEndpoint(deps, { file, secretFile: path("webhook-secret"), options });
  const now: DemoFile = {
    clientId: file.clientId,
    shopOrigin: options.shopUrl,
    webhookEndpointId: webhook?.endpointId,
  };
  writePrivate(path("json"), JSON.stringify(now));
  return {
    clientId: file.clientId,
    apiKey,
    keyFile: path("key"),
    webhookSecret: webhook?.secret,
  };
}

async function ensureKey(
  deps: DemoDeps,
  place: { readonly file: DemoFile; readonly keyFile: string; readonly options: DemoOptions },
): Promise<string> {
  const { file, keyFile, options } = place;
  const store = (apiKey: string): Promise<boolean> =>
    ensureDemoMerchant(deps, {
      clientId: file.clientId,
      apiKey,
      shopOrigin: options.shopUrl,
      previousShopOrigin: file.shopOrigin,
    });
  const known = readText(keyFile);
  if (known !== undefined && (await store(known))) return known;
  const apiKey = makeApiKey(deps.environment, deps.ids).text;
  writePrivate(keyFile, apiKey);
  if (await store(apiKey)) return apiKey;
  throw new Error(
    `The demo merchant ${file.clientId} has two other active keys. Revoke one with: ` +
      `npx exchange key revoke --client ${file.clientId} --key <key id>`,
  );
}

/** Registers the shop's webhook address; when the shop moved, its old address goes. */
async function ensureEndpoint(
  deps: DemoDeps,
  place: { readonly file: DemoFile; readonly secretFile: string; readonly options: DemoOptions },
): Promise<{ readonly endpointId: string; readonly secret: string } | undefined> {
  const { file, secretFile, options } = place;
  const url = webhookUrl(options.shopUrl);
  const merchantId = file.clientId;
  const endpoints = await listWebhookEndpoints(deps, { merchantId });
  const current = endpoints.find(({ id }) => id === file.webhookEndpointId);
  const known = readText(secretFile);
  if (current?.url === url && current?.state === "active" && known !== undefined) {
    return { endpointId: current.id, secret: known };
  }
  for (const { id, url: old } of endpoints) {
    const isShops = id === current?.id || old === url || old === webhookUrl(file.shopOrigin);
    if (isShops) await removeWebhookEndpoint(deps, { merchantId, endpointId: id });
  }
  if (url === undefined) return undefined;
  const { endpoint, secret } = await addWebhookEndpoint(deps, { merchantId, url });
  writePrivate(secretFile, secret);
  return { endpointId: endpoint.id, secret };
}

const webhookUrl = (shopUrl: string | undefined): string | undefined =>
  shopUrl && `${shopUrl}/webhooks`;

const readText = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;

function readJson<T>(path: string): T | undefined {
  const text = readText(path);
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

/** Whole or not at all, and for its owner alone. */
function writePrivate(path: string, text: string): void {
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, `${text}\n`, { mode: 0o600 });
  renameSync(partial, path);
}
