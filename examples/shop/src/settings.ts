import type { Exchange } from "@exchange/node";
import type { LiveView } from "./demo/live-view.ts";
import type { Product } from "./products.ts";
import type { Purchases } from "./purchases.ts";

/** How this shop reaches Exchange, and the secrets that only its server may know. */
export interface Settings {
  readonly port: number;
  /** Base address of the service, with `/v1`. */
  readonly exchangeUrl: string;
  readonly environment: string;
  readonly clientId: string;
  readonly apiKey: string;
  /** The endpoint's secret; during a rotation, all valid ones. */
  readonly webhookSecrets: readonly string[];
  /** The node of a test chain. `npm start -- --chains local` sets it, and no real shop has one. */
  readonly testNode?: string | undefined;
  /** The node of a test chain of coins, with its name and password. It runs beside the other one, or not at all. */
  readonly testCoinNode?: string | undefined;
}

/** Everything that the routes share. */
export interface ShopParts {
  readonly settings: Settings;
  readonly exchange: Exchange;
  readonly purchases: Purchases;
  readonly products: readonly Product[];
  readonly live: LiveView;
}

/** A test wallet pays for everybody who reaches it, so its node is on this machine. */
const LOOPBACK = /^http:\/\/127\.0\.0\.1:\d+$/;
const LOOPBACK_WITH_NAME = /^http:\/\/[\w-]+:[\w-]+@127\.0\.0\.1:\d+\/?$/;

const REQUIRED = ["EXCHANGE_CLIENT_ID", "EXCHANGE_API_KEY", "EXCHANGE_WEBHOOK_SECRET"];

/** Reads the environment once and names everything that is missing or wrong. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const port = Number(env["SHOP_PORT"] ?? 8081);
  const exchangeUrl = env["EXCHANGE_URL"] ?? "http://localhost:8080";
  const problems = REQUIRED.filter((name) => !env[name]).map((name) => `${name} is missing.`);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    problems.push("SHOP_PORT must be a port number.");
  }
  if (!/^https?:/.test(exchangeUrl) || !URL.canParse(exchangeUrl)) {
    problems.push("EXCHANGE_URL must be an address like http://localhost:8080.");
  }
  const testNode = env["SHOP_TEST_NODE"] || undefined;
  if (testNode !== undefined && !LOOPBACK.test(testNode)) {
    problems.push("SHOP_TEST_NODE must be an address like http://127.0.0.1:8545.");
  }
  const testCoinNode = env["SHOP_TEST_COIN_NODE"] || undefined;
  if (testCoinNode !== undefined && !LOOPBACK_WITH_NAME.test(testCoinNode)) {
    problems.push("SHOP_TEST_COIN_NODE must be an address like http://name:word@127.0.0.1:19443.");
  }
  if (testCoinNode !== undefined && testNode === undefined) {
    problems.push("SHOP_TEST_COIN_NODE goes with SHOP_TEST_NODE, which is missing.");
  }
  const environment = env["EXCHANGE_ENV"] ?? "dev";
  if (testNode !== undefined && environment !== "dev") {
    problems.push(`SHOP_TEST_NODE is for dev, and EXCHANGE_ENV is ${environment}.`);
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return {
    port,
    exchangeUrl: `${exchangeUrl.replace(/(\/v1)?\/*$/, "")}/v1`,
    environment,
    clientId: env["EXCHANGE_CLIENT_ID"] ?? "",
    apiKey: env["EXCHANGE_API_KEY"] ?? "",
    webhookSecrets: (env["EXCHANGE_WEBHOOK_SECRET"] ?? "").split(/[\s,]+/).filter(Boolean),
    testNode,
    testCoinNode,
  };
}
