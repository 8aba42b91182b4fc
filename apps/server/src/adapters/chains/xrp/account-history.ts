import { AnswerTooLong, EndpointFault, type Rpc } from "../rpc.ts";
import { readMove, type XrpMove } from "./moves.ts";
import { askXrp, type XrpAnswer } from "./rpc.ts";
import { xrpWordsOf } from "./words.ts";

const ENTRIES_AT_ONCE = 200;
/** The divisor of a page's entries when its answer is too long. */
const FEWER_ENTRIES = 8;
/** A bound for servers whose pages never end. */
const PAGES_MAX = 10_000;
/** The refusals of a server that does not have the ledgers. */
const NO_LEDGERS = ["lgrIdxsInvalid", "lgrIdxInvalid", "lgrNotFound", "lgrNotValidated"];

export interface LedgerSpan {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Returns the transactions of validated ledgers that changed an account, the oldest first. Undefined when the
 * endpoint lacks one of the ledgers. An endpoint leaves out the transactions of such a ledger, and only the range of
 * its answer shows it.
 */
export async function readHistory(
  rpc: Rpc,
  account: string,
  { from, to }: LedgerSpan,
): Promise<readonly XrpMove[] | undefined> {
  const words = xrpWordsOf(rpc.name);
  const question = {
    account,
    ledger_index_min: Number(from),
    ledger_index_max: Number(to),
    forward: true,
    binary: false,
  };
  // Pages may overlap. One transaction is one move, because the database refuses two of one name.
  const moves = new Map<string, XrpMove>();
  let marker: unknown;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const parameters = marker === undefined ? question : { ...question, marker };
    const answer = await askPage(rpc, numbersIn(parameters));
    if (!answer || !isWhole(answer, { from, to })) return undefined;
    for (const entry of words.list(answer["transactions"])) {
      const move = readMove(rpc, entry, account);
      const isInSpan = move.height >= from && move.height <= to;
      if (entry["validated"] !== true || !isInSpan) {
        throw new EndpointFault(
          rpc.name,
          `transaction ${move.hash} is not in the ledgers asked for`,
        );
      }
      moves.set([move.hash, move.height, move.change].join(" "), move);
    }
    ({ marker } = answer as { readonly marker?: unknown });
    if (marker === undefined) return [...moves.values()];
  }
  throw new EndpointFault(rpc.name, `the history of ${account} has more than ${PAGES_MAX} pages`);
}

/** A payment through hundreds of offers has a megabyte of metadata, so a page that is too long is asked for in parts. */
async function askPage(
  rpc: Rpc,
  question: object,
  limit = ENTRIES_AT_ONCE,
): Promise<XrpAnswer | undefined> {
  try {
    return await askXrp(rpc, ["account_tx", { ...question, limit }], NO_LEDGERS);
  } catch (error) {
    if (!(error instanceof AnswerTooLong) || limit === 1) throw error;
    return askPage(rpc, question, Math.max(1, Math.floor(limit / FEWER_ENTRIES)));
  }
}

const isWhole = (answer: Readonly<Record<string, unknown>>, { from, to }: LedgerSpan): boolean =>
  Number(answer["ledger_index_min"]) <= Number(from) &&
  Number(answer["ledger_index_max"]) >= Number(to);

/** A marker is sent back as the server wrote it, and its numbers were read as text. */
function numbersIn(
  parameters: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { marker } = parameters as { readonly marker?: Readonly<Record<string, unknown>> };
  if (typeof marker !== "object" || marker === null) return parameters;
  const numbers = Object.entries(marker).map(([name, value]) => [
    name,
    typeof value === "string" && /^[0-9]{1,15}$/.test(value) ? Number(value) : value,
  ]);
  return { ...parameters, marker: Object.fromEntries(numbers) };
}
