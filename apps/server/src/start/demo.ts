import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Deps } from "../flows/deps.ts";
import { ensureDemoMerchant } from "../flows/merchants/ensure-demo.ts";
import { addWebhookEndpoint } from "../flows/webhooks/add-endpoint.ts";
import { listWebhookEndpoints } from "../flows/webhooks/list-endpoints.ts";
import { removeWebhookEndpoint } from "../flows/webhooks/remove-endpoint.ts";
import { makeApiKey, makeClientId } from "../secrets/api-key.ts";
import { runExclusively } from "../storage/postgres/exclusive.ts";

/** The demo merchant with the data that its shop needs. */
export interface Demo {
  readonly clientId: string;
  readonly apiKey: string;
  readonly keyFile: string;
  readonly webhookSecret: string | undefined;
}

export interface DemoOptions {
  readonly dataDir: string;
  /** The address of the demo shop. Undefined when there is no shop. */
  readonly shopUrl: string | undefined;
  readonly progress: (line: string) => void;
}

/** The data kept between starts. The two secrets have files of their own. */
interface DemoFile {
  readonly clientId: string;
  readonly shopOrigin?: string | undefined;
  readonly webhookEndpointId?: string | undefined;
}

type DemoDeps = Pick<Deps, "environment" | "database" | "ids" | "secrets" | "webhookTargets">;

/** Returns the demo merchant's credentials, once a start has made them. */
export function readDemoCredentials(
  dataDir: string,
): { readonly clientId: string; readonly apiKey: string } | undefined {
  const file = readJson<DemoFile>(join(dataDir, "demo-merchant.json"));
  const apiKey = readText(join(dataDir, "demo-merchant.key"));
  return file && apiKey ? { clientId: file.clientId, apiKey } : undefined;
}

/**
 * Creates the demo merchant at the first start and finds it later. Processes that share the data folder and
 * start together take turns, so they find one demo merchant.
 */
export const ensureDemo = (deps: DemoDeps, options: DemoOptions): Promise<Demo> =>
  runExclusively(deps.database, { lock: "demo", doing: "creating the demo merchant" }, () =>
    findOrCreate(deps, options),
  );

/**
 * The merchant's id and key are written to their files before the database, so a crash between the two leaves
 * no merchant without a key.
 */
async function findOrCreate(deps: DemoDeps, options: DemoOptions): Promise<Demo> {
  const path = (name: string): string => join(options.dataDir, `demo-merchant.${name}`);
  const saved = readJson<DemoFile>(path("json"));
  if (saved === undefined) options.progress("creating the demo merchant");
  const file = saved ?? { clientId: makeClientId(deps.environment, deps.ids) };
  if (saved === undefined) writePrivate(path("json"), JSON.stringify(file));
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
  const savedKey = readText(keyFile);
  if (savedKey !== undefined && (await store(savedKey))) return savedKey;
  const apiKey = makeApiKey(deps.environment, deps.ids).text;
  writePrivate(keyFile, apiKey);
  if (await store(apiKey)) return apiKey;
  throw new Error(
    `The demo merchant ${file.clientId} has two other active keys. Revoke one with: ` +
      `exchange key revoke --client ${file.clientId} --key <key id>`,
  );
}

/** Registers the shop's webhook URL. When the shop has moved, its old URL is removed. */
async function ensureEndpoint(
  deps: DemoDeps,
  place: { readonly file: DemoFile; readonly secretFile: string; readonly options: DemoOptions },
): Promise<{ readonly endpointId: string; readonly secret: string } | undefined> {
  const { file, secretFile, options } = place;
  const url = webhookUrl(options.shopUrl);
  const merchantId = file.clientId;
  const endpoints = await listWebhookEndpoints(deps, { merchantId });
  const current = endpoints.find(({ id }) => id === file.webhookEndpointId);
  const savedSecret = readText(secretFile);
  if (current?.url === url && current?.state === "active" && savedSecret !== undefined) {
    return { endpointId: current.id, secret: savedSecret };
  }
  for (const { id, url: old } of endpoints) {
    const isOfShop = id === current?.id || old === url || old === webhookUrl(file.shopOrigin);
    if (isOfShop) await removeWebhookEndpoint(deps, { merchantId, endpointId: id });
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

/** Writes the file atomically, readable by its owner alone. */
function writePrivate(path: string, text: string): void {
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, `${text}\n`, { mode: 0o600 });
  renameSync(partial, path);
}
