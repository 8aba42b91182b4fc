import { buildOpenApiDocument, type OpenApiDocument, type OperationType } from "@exchange/contract";
import { ADMIN_ENDPOINTS } from "@exchange/contract/admin";
import type { Static } from "@sinclair/typebox";
import type { Currency } from "../../domain/catalogue/currency.ts";
import type { MerchantSettings } from "../../domain/ports/merchant-directory.ts";
import { listSides } from "../../domain/rules/availability.ts";
import { readMerchant } from "../../flows/merchants/read.ts";
import { samplesWithBody } from "../docs/samples.ts";
import { ok, toOperation } from "../wire.ts";
import { ownMerchant } from "./callers.ts";
import type { AdminDeps, RegisterAdmin } from "./registrar.ts";
import { triedCalls } from "./try-call.ts";

/** The page asks its own server for a token there. The documents use the same path. */
const TOKEN_PATH = "/checkout-token";
const GUIDE = "/docs/guides/integrate-the-checkout";

type Choices = Static<typeof ADMIN_ENDPOINTS.readInstallKit.query>;

/** Code for a merchant's page and server. */
export function registerInstall(
  register: RegisterAdmin,
  deps: AdminDeps,
  { shopUrl, mayTry }: { readonly shopUrl: string | undefined; readonly mayTry: boolean },
): void {
  const { publicUrl, environment } = deps;
  let document: OpenApiDocument | undefined;
  const readDocument = () => {
    const takesCards = deps.cardProcessor?.tokens !== undefined;
    document ??= buildOpenApiDocument({ publicUrl, environment, takesCards });
    return document;
  };
  register(ADMIN_ENDPOINTS.readInstallKit, async ({ caller, query }) => {
    const clientId = ownMerchant(caller);
    const { settings } = await readMerchant(deps, clientId);
    const exchange = chooseExchange(deps, settings, query);
    const isLocked = query.terms === "server";
    const body = {
      ...(isLocked && { lock: lockOf(exchange.terms) }),
      customer: { countryCode: settings.countryCode },
    };
    const call = { operationId: "createPublicToken", clientId, body };
    return ok({
      clientId,
      origins: [...settings.allowedOrigins],
      operationType: exchange.terms.operationType,
      baseCurrency: exchange.terms.baseCurrency,
      targetCurrency: exchange.terms.targetCurrency,
      spend: exchange.spend.map(presentChoice),
      receive: exchange.receive.map(presentChoice),
      page: pageOf(
        { publicUrl, environment, clientId },
        isLocked ? undefined : exchange.terms,
        query,
      ),
      tokenPath: TOKEN_PATH,
      tokenCall: samplesWithBody(readDocument(), call).map((sample) => ({ ...sample })),
      guideUrl: `${publicUrl}${GUIDE}`,
      shopUrl: shopUrl ?? null,
      apiUrl: `${publicUrl}/v1`,
      calls: mayTry ? triedCalls(readDocument(), { createPublicToken: body }) : [],
    });
  });
}

interface Terms {
  readonly operationType: OperationType;
  readonly baseCurrency: string;
  readonly targetCurrency: string;
  readonly baseAmount: string | undefined;
}

/** Returns the currencies of the operation, and the chosen ones. A choice that does not fit is replaced. */
function chooseExchange(
  deps: Pick<AdminDeps, "catalogue">,
  { countryCode, defaults }: MerchantSettings,
  query: Choices,
) {
  const catalogue = deps.catalogue();
  const operationType = query.operationType ?? "B";
  const operation = toOperation(operationType);
  const country = catalogue.country(countryCode);
  if (country === undefined) throw new Error(`The catalogue has no country ${countryCode}.`);
  const { spend, receive } = listSides(catalogue, { operation, country });
  const baseCurrency = choose(spend, [query.baseCurrency, defaults.baseCurrency]);
  const others = receive.filter(({ reference }) => reference !== baseCurrency);
  const targetCurrency = choose(others, [query.targetCurrency, defaults.targetCurrency]);
  const { baseAmount } = query;
  const terms: Terms = { operationType, baseCurrency, targetCurrency, baseAmount };
  return { spend, receive: others, terms };
}

const choose = (fitting: readonly Currency[], wanted: readonly (string | undefined)[]): string =>
  wanted.find((name) => fitting.some(({ reference }) => reference === name)) ??
  fitting[0]?.reference ??
  "";

const presentChoice = ({ reference, code, name, networkCode }: Currency) => ({
  reference,
  name: `${code}, ${name}${networkCode === null ? "" : ` (${networkCode})`}`,
});

const lockOf = ({ baseAmount, ...terms }: Terms) => ({
  ...terms,
  ...(baseAmount !== undefined && { baseAmount: Number(baseAmount) }),
});

/** Returns the HTML of a button that opens the checkout. Every value was checked by a pattern without quotes. */
function pageOf(
  service: { readonly publicUrl: string; readonly environment: string; readonly clientId: string },
  terms: Terms | undefined,
  { accent, radius, mode }: Choices,
): string {
  const { publicUrl, environment, clientId } = service;
  const look = {
    ...(accent !== undefined && { accent }),
    ...(radius !== undefined && { radius: Number(radius) }),
    ...(mode !== undefined && { mode }),
  };
  const attributes = [
    `token-url="${TOKEN_PATH}"`,
    ...(terms === undefined
      ? []
      : [
          `operation-type="${terms.operationType}"`,
          `base-currency="${terms.baseCurrency}"`,
          `target-currency="${terms.targetCurrency}"`,
          ...(terms.baseAmount === undefined ? [] : [`base-amount="${terms.baseAmount}"`]),
        ]),
    ...(Object.keys(look).length === 0 ? [] : [`appearance='${JSON.stringify(look)}'`]),
  ];
  const script = `${publicUrl}/v1/sdk/exchange`;
  return [
    `<script src="${script}.js?clientId=${clientId}&env=${environment}" async></script>`,
    `<script src="${script}-button.js" async></script>`,
    "<exchange-button",
    ...attributes.map((attribute) => `  ${attribute}`),
    ">",
    "  Continue to checkout",
    "</exchange-button>",
  ].join("\n");
}
