import { compareDecimals, type Decimal, parseDecimal } from "@exchange/money";
import { fitsAmounts } from "../../domain/catalogue/pricing-rule.ts";
import { checkAddress } from "../../domain/wallets/check-address.ts";
import { patternProblem } from "./check-patterns.ts";
import type { CatalogueFileName, CatalogueFiles } from "./file-schemas.ts";
import type { CatalogueProblem } from "./read-files.ts";

type Report = (path: string, sentence: string) => void;

/** Returns the problems that schemas cannot find: contradictions within a file or between files. */
export function crossCheck(files: CatalogueFiles): readonly CatalogueProblem[] {
  const problems: CatalogueProblem[] = [];
  const report: Report = (path, sentence) => problems.push({ path, sentence });
  checkUniqueness(files, report);
  checkNetworks(files, report);
  checkFiatCurrencies(files, report);
  checkCryptoCurrencies(files, report);
  checkDefaultNetworks(files, report);
  checkMethods(files, report);
  checkPayoutFields(files, report);
  checkPricing(files, report);
  checkLimits(files, report);
  return problems;
}

const UNIQUE_MEMBERS = {
  "networks.json": ["code"],
  "fiat-currencies.json": ["id", "reference", "code"],
  "crypto-currencies.json": ["id", "reference"],
  "payment-methods.json": ["id", "reference"],
  "delivery-methods.json": ["id", "reference"],
  "payout-fields.json": ["name"],
  "countries.json": ["code"],
  "pricing.json": ["reference"],
} as const satisfies Record<CatalogueFileName, readonly string[]>;

function checkUniqueness(files: CatalogueFiles, report: Report): void {
  for (const [name, members] of Object.entries(UNIQUE_MEMBERS)) {
    const items: readonly object[] = files[name as CatalogueFileName];
    for (const member of members) {
      const seen = new Set<unknown>();
      for (const [index, item] of items.entries()) {
        const value: unknown = Reflect.get(item, member);
        if (seen.has(value))
          report(`${name}[${index}].${member}`, `${String(value)} is used by an earlier item too.`);
        seen.add(value);
      }
    }
  }
}

function checkNetworks(files: CatalogueFiles, report: Report): void {
  for (const [index, { confirmations, large }] of files["networks.json"].entries()) {
    if (large && large.confirmations < confirmations) {
      report(
        `networks.json[${index}].large.confirmations`,
        `A large deposit needs at least the ${confirmations} confirmations of a small one.`,
      );
    }
  }
}

function checkFiatCurrencies(files: CatalogueFiles, report: Report): void {
  for (const [index, item] of files["fiat-currencies.json"].entries()) {
    if (item.reference !== item.code.toLowerCase()) {
      report(
        `fiat-currencies.json[${index}].reference`,
        `The reference of ${item.code} must be "${item.code.toLowerCase()}".`,
      );
    }
  }
}

function checkCryptoCurrencies(files: CatalogueFiles, report: Report): void {
  const networks = new Map(files["networks.json"].map((network) => [network.code, network]));
  const fiatIds = new Set(files["fiat-currencies.json"].map(({ id }) => id));
  const fiatCodes = new Set(files["fiat-currencies.json"].map(({ code }) => code));
  for (const [index, item] of files["crypto-currencies.json"].entries()) {
    const path = `crypto-currencies.json[${index}]`;
    const network = networks.get(item.network);
    if (!network) report(`${path}.network`, `There is no network "${item.network}".`);
    if (fiatIds.has(item.id)) {
      report(`${path}.id`, `${item.id} is a fiat currency's id. Use another id.`);
    }
    if (fiatCodes.has(item.code)) {
      report(`${path}.code`, `${item.code} is a fiat currency's code. Use another code.`);
    }
    if (item.publishedDecimals > item.decimals) {
      report(`${path}.publishedDecimals`, "It must not be above decimals.");
    }
    if (network && item.contract && !checkAddress(network.addressFormat, item.contract)) {
      report(`${path}.contract`, `${item.contract} is not an address on ${network.name}.`);
    }
  }
}

/** A code without a network must name one coin, and no reference may be the code of another coin. */
function checkDefaultNetworks(files: CatalogueFiles, report: Report): void {
  const items = files["crypto-currencies.json"];
  const enabled = items.filter((item) => item.enabled !== false);
  for (const code of new Set(enabled.map((item) => item.code))) {
    const marked = enabled.filter((item) => item.code === code && item.defaultNetwork).length;
    if (marked !== 1) {
      report(
        "crypto-currencies.json",
        `${code} has ${marked} default networks. Write "defaultNetwork": true for exactly one enabled item of it, and false for the others.`,
      );
    }
  }
  for (const [index, { reference, code, defaultNetwork }] of items.entries()) {
    const namesake = items.some((item) => item.code === reference.toUpperCase());
    if (namesake && (code !== reference.toUpperCase() || !defaultNetwork)) {
      report(
        `crypto-currencies.json[${index}].reference`,
        `"${reference}" is the code of a coin whose default network is another item.`,
      );
    }
  }
}

function checkMethods(files: CatalogueFiles, report: Report): void {
  const rails = new Set(files["payment-methods.json"].map(({ reference }) => reference));
  const fields = new Set(files["payout-fields.json"].map(({ name }) => name));
  for (const name of ["payment-methods.json", "delivery-methods.json"] as const) {
    for (const [index, item] of files[name].entries()) {
      checkPlaces(files, item, (place, sentence) => report(`${name}[${index}].${place}`, sentence));
      const [min, max] = item.days ?? [null, null];
      if (min !== null && max !== null && min > max) {
        report(`${name}[${index}].days`, "Put the minimum first.");
      }
    }
  }
  for (const [index, item] of files["delivery-methods.json"].entries()) {
    const path = `delivery-methods.json[${index}]`;
    if (!rails.has(item.rail)) report(`${path}.rail`, `There is no payment method "${item.rail}".`);
    for (const field of item.requiredFields ?? []) {
      if (!fields.has(field)) report(`${path}.requiredFields`, `There is no field "${field}".`);
    }
  }
}

function checkPlaces(
  files: CatalogueFiles,
  item: { readonly countries?: readonly string[]; readonly currencies?: readonly string[] },
  report: Report,
): void {
  const countries = files["countries.json"];
  const places = new Set(countries.flatMap(({ code, areas }) => [code, ...(areas ?? [])]));
  const codes = new Set(files["fiat-currencies.json"].map(({ code }) => code));
  for (const place of item.countries ?? []) {
    if (!places.has(place)) report("countries", `There is no country or area "${place}".`);
  }
  for (const code of item.currencies ?? []) {
    if (!codes.has(code)) report("currencies", `There is no fiat currency "${code}".`);
  }
}

function checkPayoutFields(files: CatalogueFiles, report: Report): void {
  for (const [index, { pattern }] of files["payout-fields.json"].entries()) {
    try {
      new RegExp(pattern, "u");
    } catch (error) {
      report(`payout-fields.json[${index}].pattern`, `${(error as Error).message}.`);
    }
    const problem = patternProblem(pattern);
    if (problem !== undefined) report(`payout-fields.json[${index}].pattern`, problem);
  }
}

function checkPricing(files: CatalogueFiles, report: Report): void {
  const rules = files["pricing.json"];
  const methods = new Set(files["payment-methods.json"].map(({ reference }) => reference));
  const currencies = new Set(
    [...files["fiat-currencies.json"], ...files["crypto-currencies.json"]].flatMap(
      ({ reference, code }) => [reference, code.toLowerCase()],
    ),
  );
  for (const [index, rule] of rules.entries()) {
    const path = `pricing.json[${index}]`;
    if (rule.paymentMethod !== undefined && !methods.has(rule.paymentMethod)) {
      report(`${path}.paymentMethod`, `There is no payment method "${rule.paymentMethod}".`);
    }
    if (rule.currency !== undefined && !currencies.has(rule.currency.toLowerCase())) {
      report(`${path}.currency`, `There is no currency "${rule.currency}".`);
    }
  }
  const isGeneral = (rule: (typeof rules)[number]): boolean =>
    !rule.merchant && !rule.operation && !rule.paymentMethod && !rule.currency;
  if (!rules.some((rule) => isGeneral(rule) && rule.enabled !== false)) {
    report("pricing.json", "Add an enabled rule without selectors, which applies to every order.");
  }
}

function checkLimits(files: CatalogueFiles, report: Report): void {
  for (const [name, items] of Object.entries(files)) {
    for (const [index, item] of (items as readonly LimitedItem[]).entries()) {
      const { minEuro, maxEuro, perEuro } = item;
      if (perEuro && !isPositive(perEuro))
        report(`${name}[${index}].perEuro`, "It must be above 0.");
      if (minEuro && maxEuro && compareDecimals(decimal(minEuro), decimal(maxEuro)) > 0) {
        report(`${name}[${index}]`, "The minimum is above the maximum.");
      }
    }
  }
  const largest = files["pricing.json"]
    .map((rule) => decimal(rule.maxEuro))
    .reduce((most, one) => (compareDecimals(one, most) > 0 ? one : most));
  const currencies = [
    ...files["crypto-currencies.json"].map((item) => [item, item.publishedDecimals] as const),
    ...files["fiat-currencies.json"].map((item) => [item, item.decimals] as const),
  ];
  for (const [item, publishedDecimals] of currencies) {
    if (!fitsAmounts(largest, { perEuro: decimal(item.perEuro), publishedDecimals })) {
      report(
        `${item.reference}`,
        `The highest limit has too many digits of ${item.code}. Publish fewer decimals or lower maxEuro.`,
      );
    }
  }
}

interface LimitedItem {
  readonly minEuro?: string;
  readonly maxEuro?: string;
  readonly perEuro?: string;
}

const decimal = (text: string): Decimal => parseDecimal(text) ?? { units: 0n, scale: 0 };
const isPositive = (text: string): boolean => decimal(text).units > 0n;
