import { CHECKOUT_EVENTS, OPERATION_OF_WORD } from "@exchange/contract/frame";

/** The types of the script's interface by their module, in the order of the output. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "exchange-api": [
    "ExchangeApi",
    "ExchangeOptions",
    "InitOptions",
    "OpenOptions",
    "Callbacks",
    "AuthenticationToken",
    "CheckoutResult",
    "CheckoutEvent",
    "ExchangeEventName",
    "CheckoutListener",
    "CheckoutState",
    "ExchangeButtonElement",
  ],
  "script-config": ["ScriptEnvironment"],
  frame: ["Appearance", "CheckoutOptions", "CheckoutSnapshot", "CheckoutEventName", "CloseReason"],
  "exchange-error": ["ExchangeErrorCode", "ExchangeError"],
};

/** The compiler's output, and lists that the code declares as values. */
export interface TypeSources {
  /** The text of a module's declaration file. */
  readonly declarationOf: (module: string) => string;
  readonly operationTypes: readonly string[];
  readonly orderStatuses: readonly string[];
  readonly paymentOutcomes: readonly string[];
}

const union = (words: Iterable<string>): string =>
  Array.from(words, (word) => JSON.stringify(word)).join(" | ");

/**
 * Renders one file of types for pages that load the script with a tag. It consists of the
 * compiler's own declarations, declares `window.exchange`, imports nothing, and puts its names into
 * the namespace `Exchange`.
 */
export function renderTypes(sources: TypeSources): string {
  const { declarationOf, operationTypes, orderStatuses, paymentOutcomes } = sources;
  const codes = declarationOf("exchange-error").matchAll(/readonly (\w+): (?:true|false);/g);
  const words = new Map([
    ["(typeof CHECKOUT_EVENTS)[number]", union(CHECKOUT_EVENTS)],
    ["keyof typeof RECOVERABLE", union(Array.from(codes, ([, code = ""]) => code))],
    ['OrderData["status"]', union(orderStatuses)],
    ["PaymentOutcome", union(paymentOutcomes)],
  ]);
  const declarations = Object.entries(NAMES).flatMap(([module, names]) => {
    const found = declarationsIn(declarationOf(module));
    return names.map((name) => {
      const text = found.get(name);
      if (text === undefined) throw new Error(`${module} declares no type ${name}`);
      return [...words].reduce(
        (whole, [code, replacement]) => whole.replaceAll(code, replacement),
        text,
      );
    });
  });
  const types = [
    ...declarations,
    `export type OperationType = ${union(operationTypes)};`,
    `export type OperationWord = ${union(Object.keys(OPERATION_OF_WORD))};`,
  ];
  return `${HEAD}\ndeclare namespace Exchange {\n${indent(types.join("\n"))}\n}\n${GLOBALS}`;
}

/**
 * Finds the declarations. Each begins at the start of a line, after its comment, and ends before
 * the next.
 */
function declarationsIn(text: string): ReadonlyMap<string, string> {
  const pieces = text.matchAll(
    /^((?:\/\*\*(?:(?!\*\/)[^])*\*\/\n)?)export (?:declare )?((?:interface|type) (\w+)[^]*?)(?=\n(?:\/|export|import|declare)|\s*$(?![^]))/gm,
  );
  return new Map(
    Array.from(pieces, ([, comment = "", code = "", name = ""]) => [
      name,
      `${comment}export ${code}`,
    ]),
  );
}

const indent = (text: string): string => text.replace(/^(?=.)/gm, "  ");

const HEAD =
  "/** Types of the browser script exchange.js, for pages that load it with a script tag. */";

const GLOBALS = [
  "",
  "/** There when the script has been loaded. */",
  "declare const exchange: Exchange.ExchangeApi;",
  "",
  "interface Window {",
  "  readonly exchange: Exchange.ExchangeApi;",
  "}",
  "",
  "interface HTMLElementTagNameMap {",
  '  "exchange-button": Exchange.ExchangeButtonElement;',
  "}",
  "",
  "interface DocumentEventMap",
  "  extends Record<",
  "    `exchange:${Exchange.ExchangeEventName}`,",
  "    CustomEvent<Exchange.CheckoutEvent>",
  "  > {}",
  "",
].join("\n");
