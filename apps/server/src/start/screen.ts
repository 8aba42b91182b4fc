import { relative } from "node:path";
import { SETTINGS } from "../config/settings.ts";
import { readConfig } from "../config.ts";
import { readKeyExpression } from "../http/docs/samples.ts";
import type { Demo } from "./demo.ts";
import { partsOfRole } from "./roles.ts";
import type { RunningService } from "./running-service.ts";

export interface ScreenContent {
  readonly service: RunningService;
  readonly shop: { readonly url: string } | undefined;
  /** Lines about what runs beside the service. */
  readonly lines: readonly string[];
}

/** Prints the addresses of everything, and the line that scripts wait for: `ready` and the first address, if any. */
export function printScreen(content: ScreenContent): void {
  console.log(screenText(content));
  console.log(["ready", ...mainAddress(content.service)].join(" "));
}

function mainAddress({ url, config, console: opened }: RunningService): string[] {
  if (partsOfRole(config).servesApi) return [url];
  return opened ? [opened.url] : [];
}

export function screenText({ service, shop, lines: besides }: ScreenContent): string {
  const { demo } = service;
  const lines = [
    "",
    `  Exchange (${service.config.environment})`,
    "",
    ...partLines(service),
    ...(shop ? [`    Demo shop    ${shop.url}`] : []),
    ...(service.console ? [`    Console      ${service.console.url}`] : []),
    ...besides.map((line) => (line === "" ? "" : `  ${line}`)),
    ...(demo ? demoLines(service, demo) : []),
    ...(besides.length === 0 ? commandLines(service) : []),
    ...(demo && service.console ? SEED_LINES : []),
    ...firstLinkLines(service),
    "",
    shop
      ? "  Open the demo shop to buy with a test card. Ctrl-C stops everything."
      : "  Ctrl-C stops it.",
    "",
  ];
  return lines.join("\n");
}

/** Returns a line for each part that this process itself serves or runs. */
function partLines({ url, config }: RunningService): string[] {
  const { runsWorkers, servesApi } = partsOfRole(config);
  const api = [
    `    API          ${url}/v1`,
    `    Documents    ${url}/docs`,
    `    Checkout     ${url}/checkout`,
  ];
  return [
    ...(servesApi ? api : []),
    ...(runsWorkers && !servesApi ? ["    Worker       runs jobs, webhooks and the audit"] : []),
    ...(config.healthPort === 0
      ? []
      : [`    Probes       http://localhost:${config.healthPort}/readyz`]),
  ];
}

const firstLinkLines = ({ console: opened }: RunningService): string[] =>
  opened?.firstLink === undefined
    ? []
    : [
        "",
        "  Nobody has an account of the console yet. This link makes you its first operator, once:",
        "",
        `    ${opened.firstLink}`,
      ];

/** A console without orders has little to show. */
const SEED_LINES = [
  "",
  "  A day of orders to look at in the console:",
  "",
  "    bin/exchange demo seed",
];

/**
 * Returns the line for a second terminal where commands need other settings than the defaults. Programs beside the
 * service print their own.
 */
function commandLines({ url, config }: RunningService): string[] {
  if (config.environment !== "dev" || config.databaseUrl !== undefined) return [];
  const defaults = readConfig({});
  const { port } = new URL(url);
  const settings = [
    ...(config.dataDir === defaults.dataDir
      ? []
      : [`${SETTINGS.dataDir.name}=${quoted(config.dataDir)}`]),
    ...(port === String(defaults.port) ? [] : [`${SETTINGS.port.name}=${port}`]),
    // The link of an invitation has it.
    ...(config.consolePort === defaults.consolePort
      ? []
      : [`${SETTINGS.consolePort.name}=${config.consolePort}`]),
  ];
  if (settings.length === 0) return [];
  return [
    "",
    "  The command line reaches this service in another terminal after:",
    "",
    `    export ${settings.join(" ")}`,
  ];
}

/** Returns the text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function demoLines({ url, config }: RunningService, demo: Demo): string[] {
  const keyFile = shortPath(demo.keyFile);
  const query = "operationType=B&countryCode=DE";
  const merchant = [
    "",
    `    Demo merchant   ${demo.clientId}`,
    `    Its API key     in ${keyFile}`,
  ];
  if (!partsOfRole(config).servesApi) return merchant;
  return [
    ...merchant,
    "",
    "  Try it:",
    "",
    `    curl -H "x-client-id: ${demo.clientId}" -H "x-api-key: ${readKeyExpression(keyFile)}" "${url}/v1/payment-methods?${query}"`,
  ];
}

/** Returns the path relative to the current folder, if that is inside it. */
function shortPath(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith("..") ? path : fromHere;
}
