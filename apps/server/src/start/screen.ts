import { relative } from "node:path";
import type { Demo } from "./demo.ts";
import type { Service } from "./service.ts";

export interface Shown {
  readonly service: Service;
  readonly demo: Demo | undefined;
  readonly shop: { readonly url: string } | undefined;
}

/** The one screen that says where everything is, and the line that scripts wait for. */
export function printScreen(shown: Shown): void {
  console.log(screenText(shown));
  console.log(`ready ${shown.service.url}`);
}

export function screenText({ service, demo, shop }: Shown): string {
  const { url } = service;
  const lines = [
    "",
    `  Exchange (${service.config.environment})`,
    "",
    `    API          ${url}/v1`,
    `    Documents    ${url}/docs`,
    `    Checkout     ${url}/checkout`,
    ...(shop ? [`    Demo shop    ${shop.url}`] : []),
    ...(demo ? demoLines(url, demo) : []),
    "",
    shop
      ? "  Open the demo shop to buy with a test card. Ctrl-C stops everything."
      : "  Ctrl-C stops it.",
    "",
  ];
  return lines.join("\n");
}

function demoLines(url: string, demo: Demo): string[] {
  const keyFile = shortPath(demo.keyFile);
  const query = "operationType=B&countryCode=DE";
  return [
    "",
    `    Demo merchant   ${demo.clientId}`,
    `    Its API key     in ${keyFile}`,
    "",
    "  Try it:",
    "",
    `    curl -H "x-client-id: ${demo.clientId}" -H "x-api-key: $(cat ${quote(keyFile)})" "${url}/v1/payment-methods?${query}"`,
  ];
}

/** Relative to where the reader stands, if that is shorter. */
function shortPath(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith("..") ? path : fromHere;
}

const quote = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
