import type { FastifyInstance } from "fastify";
import { buildCatalogue, type Catalogue } from "../../domain/catalogue/catalogue.ts";
import { unitsText } from "../../domain/catalogue/exact-amount.ts";
import type { Deps } from "../../flows/deps.ts";
import { type Html, html, NOTHING } from "../../http/pages/html.ts";
import { findTransfer, type SandboxTransfer } from "../chains/store.ts";
import { CHALLENGE_STYLE_PATH } from "./challenge-styles.ts";

const PATH = "/sandbox/transactions";
const POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/**
 * The catalogue with explorer pages of the sandbox. A public explorer does not know the transactions of
 * the sandbox's chains, so its link would lead the customer to an error.
 */
export const withSandboxExplorer = (catalogue: Catalogue, publicUrl: string): Catalogue =>
  buildCatalogue({
    ...catalogue,
    networks: catalogue.networks.map((network) => ({
      ...network,
      explorerTransactionUrl: `${publicUrl}${PATH}/${network.code}/{hash}`,
    })),
  });

/** Registers the page of a transaction of the sandbox's chains. */
export function registerExplorer(
  app: FastifyInstance,
  { database, catalogue }: Pick<Deps, "database" | "catalogue">,
): void {
  app.get<{ Params: { networkCode: string; hash: string } }>(
    `${PATH}/:networkCode/:hash`,
    async (request, reply) => {
      const { networkCode, hash } = request.params;
      const isKey = /^[\w-]{1,64}$/.test(networkCode) && /^\w{1,128}$/.test(hash);
      const key = { networkCode, transactionHash: hash };
      const transfer = isKey ? await findTransfer(database, key) : undefined;
      return reply
        .code(transfer ? 200 : 404)
        .type("text/html; charset=utf-8")
        .header("content-security-policy", POLICY)
        .header("cache-control", "no-store")
        .send(page(transfer ? details(transfer, catalogue()) : MISSING).text);
    },
  );
}

const page = (content: Html): Html => html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox explorer</title>
<link rel="stylesheet" href="${CHALLENGE_STYLE_PATH}">
<main aria-label="Sandbox explorer">
<p class="bank">Sandbox explorer</p>
${content}
</main>
</html>`;

const MISSING = html`<h1>We can't find this transaction</h1><p>Check the address of this page.</p>`;

function details(transfer: SandboxTransfer, catalogue: Catalogue): Html {
  const currency = catalogue.currencyByCodeOrReference(transfer.assetReference);
  const units = BigInt(transfer.units);
  const amount = currency
    ? `${unitsText(currency, units)} ${currency.code}`
    : `${units} units of ${transfer.assetReference}`;
  const memo = transfer.memo === null ? NOTHING : html`<p>Memo or tag: ${transfer.memo}</p>`;
  return html`<h1>${amount}</h1>
<p>On ${catalogue.network(transfer.networkCode)?.name ?? transfer.networkCode}, ${transfer.isMined ? "in a block" : "waiting for a block"}</p>
<p>To: ${transfer.address}</p>
${memo}
<p>Transaction: ${transfer.transactionHash}</p>
<p class="note">This chain is part of the sandbox. No coins move.</p>`;
}
