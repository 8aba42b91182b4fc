import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { BASE_FEE, INCREMENT, RESERVE, type XrpChain, type XrpLedger } from "./xrp-ledger.ts";

export interface XrpNodeQuestion {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A server that speaks as rippled does, in front of a ledger of the tests. */
export interface XrpNode {
  readonly url: string;
  /** Called before each question is answered. It may throw instead of an answer. */
  before: (question: XrpNodeQuestion) => Promise<void> | void;
  /** Returns another answer. */
  rewrite: (question: XrpNodeQuestion, answer: Readonly<Record<string, unknown>>) => unknown;
  /** The number of the newest ledgers that it has not seen. */
  behind: number;
  /** It has no ledger before this one. */
  since: number;
  /** The most transactions in one answer. */
  page: number;
  /** Every question that was asked. */
  readonly questions: XrpNodeQuestion[];
  close(): Promise<void>;
}

/** As an answer, it ends the connection instead. */
export const LOST = Symbol("lost");

type Answer = Readonly<Record<string, unknown>>;

const refusal = (error: string, more: object = {}): Answer => ({
  error,
  error_message: error,
  status: "error",
  ...more,
});

export async function startXrpNode(chain: XrpChain): Promise<XrpNode> {
  const server = createServer((request, response) => {
    void serve(node, chain, request)
      .then((found) => {
        if (found === LOST) return response.destroy();
        response.writeHead(200, { "content-type": "application/json" });
        return response.end(JSON.stringify({ result: found }));
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const node: XrpNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    before: () => {},
    rewrite: (_, found) => found,
    behind: 0,
    since: 0,
    page: 200,
    questions: [],
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return node;
}

async function serve(node: XrpNode, chain: XrpChain, request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const part of request) text += String(part);
  const { method, params } = JSON.parse(text) as { method: string; params: readonly object[] };
  const question = { method, params: (params[0] ?? {}) as XrpNodeQuestion["params"] };
  node.questions.push(question);
  await node.before(question);
  const seen = chain.ledgers.slice(0, chain.ledgers.length - node.behind);
  const visible = seen.filter(({ index }) => index >= node.since);
  const found = answerOf(chain, { node, visible }, question);
  return node.rewrite(question, { status: "success", ...found });
}

interface Sight {
  readonly node: XrpNode;
  readonly visible: readonly XrpLedger[];
}

function answerOf(chain: XrpChain, sight: Sight, { method, params }: XrpNodeQuestion): Answer {
  const newest = sight.visible.at(-1);
  if (!newest) return refusal("noNetwork");
  switch (method) {
    case "server_info":
      return { info: infoOf(chain, sight) };
    case "server_state": {
      const prices = { base_fee: Number(BASE_FEE), reserve_base: Number(RESERVE) };
      const validated_ledger = { ...prices, reserve_inc: Number(INCREMENT), seq: newest.index };
      return { state: { validated_ledger } };
    }
    case "fee":
      return { drops: { base_fee: String(BASE_FEE), open_ledger_fee: String(chain.fee) } };
    case "ledger": {
      const ledger = ledgerOf(sight, params);
      if (!ledger) return refusal("lgrNotFound");
      const { index, hash, parent, closeTime } = ledger;
      const header = { ledger_hash: hash, parent_hash: parent, close_time: closeTime };
      const named = { ledger_hash: hash, ledger_index: index, validated: true };
      return { ledger: { ...header, ledger_index: String(index), closed: true }, ...named };
    }
    case "account_info":
      return accountOf(chain, sight, params);
    case "account_tx":
      return historyOf(sight, params);
    case "tx":
      return transactionOf(chain, sight, params);
    case "submit":
      return { ...chain.submit(String(params["tx_blob"])), engine_result_message: "" };
    default:
      return refusal("unknownCmd");
  }
}

function infoOf({ networkId }: XrpChain, { visible }: Sight): Answer {
  const range = `${visible[0]?.index}-${visible.at(-1)?.index}`;
  return {
    build_version: "2.4.0",
    complete_ledgers: range,
    network_id: networkId,
    server_state: "full",
  };
}

function ledgerOf({ visible }: Sight, params: Answer): XrpLedger | undefined {
  const { ledger_index: index, ledger_hash: hash } = params;
  if (hash !== undefined) return visible.find((one) => one.hash === hash);
  return index === "validated"
    ? visible.at(-1)
    : visible.find((one) => one.index === Number(index));
}

function accountOf(chain: XrpChain, sight: Sight, params: Answer): Answer {
  const address = String(params["account"]);
  const isOpen = params["ledger_index"] === "current";
  const ledger = isOpen ? undefined : ledgerOf(sight, params);
  if (!isOpen && !ledger) return refusal("lgrNotFound");
  const account = (ledger?.state ?? chain.open).get(address);
  if (!account) return refusal("actNotFound");
  const account_data = {
    Account: address,
    Balance: String(account.balance),
    Flags: Number(account.flags),
    OwnerCount: Number(account.ownerCount),
    Sequence: account.sequence,
  };
  return { account_data, validated: !isOpen, ledger_hash: ledger?.hash };
}

/** A node leaves out the ledgers that it does not have, and says so only by the range of its answer. */
function historyOf({ node, visible }: Sight, params: Answer): Answer {
  const [first, last] = [visible[0]?.index ?? 0, visible.at(-1)?.index ?? 0];
  const from = Math.max(Number(params["ledger_index_min"]), first);
  const to = Math.min(Number(params["ledger_index_max"]), last);
  if (to < from) return refusal("lgrIdxsInvalid");
  const account = String(params["account"]);
  const all = visible
    .filter(({ index }) => index >= from && index <= to)
    .flatMap(({ entries }) => entries)
    .filter(({ meta }) => JSON.stringify(meta).includes(`"${account}"`));
  const most = Math.min(node.page, Number(params["limit"] ?? node.page));
  const { seq = 0 } = (params["marker"] ?? {}) as { readonly seq?: number };
  const transactions = all.slice(seq, seq + most).map(({ hash, transaction, meta, ledger }) => ({
    tx: { ...transaction, hash, ledger_index: ledger },
    meta,
    validated: true,
  }));
  const next = seq + most;
  return {
    account,
    ledger_index_min: from,
    ledger_index_max: to,
    transactions,
    validated: true,
    ...(next < all.length && { marker: { ledger: to, seq: next } }),
  };
}

/** As rippled does, it answers with a transaction that it remembers and has not seen validated. */
function transactionOf(chain: XrpChain, { visible }: Sight, params: Answer): Answer {
  const hash = String(params["transaction"]);
  const entry = chain.find(hash);
  const [first, last] = [visible[0]?.index ?? 0, visible.at(-1)?.index ?? 0];
  const isVisible = entry?.ledger === undefined || (entry.ledger >= first && entry.ledger <= last);
  if (!entry || !isVisible) return refusal("txnNotFound");
  const { transaction, meta, ledger } = entry;
  if (ledger === undefined) return { ...transaction, hash, validated: false };
  return { ...transaction, hash, ledger_index: ledger, meta, validated: true };
}
