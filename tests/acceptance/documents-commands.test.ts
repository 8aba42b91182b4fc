import { expect, inject, test } from "vitest";
import { linesOf, servedBlocks } from "../support/documents/blocks.ts";
import { wordsOf } from "../support/documents/lines.ts";
import {
  addWebhook,
  createMerchant,
  createToken,
  type Merchant,
  newSessionId,
} from "../support/orders/merchant.ts";
import { buyChoice, customerWith, placeOrder, takeQuote } from "../support/orders/purchase.ts";
import { runHere } from "../support/service/command-line.ts";

const service = inject("service");

/** The commands that read the service that this test has. The others change it, or need a signer or a live network. */
const READING = [
  ...["doctor", "rates", "status"],
  ...["merchant show", "webhook list", "webhook history"],
  ...["people list", "service-accounts list", "customers export", "rules explain"],
  ...["orders find", "orders list", "orders show", "orders explain"],
  ...["payouts list", "payouts stops", "payouts log", "prices list"],
  ...["chains show", "wallets list", "treasury show", "liquidity show"],
  ...["ledger check", "ledger breaks", "migrate status", "migrate plan"],
  ...["reports days", "reports fees", "reports payouts", "reports balances", "reports statement"],
];

const AT_ONCE = 6;

interface Scene {
  readonly merchant: Merchant;
  readonly orderId: number;
  readonly endpointId: string;
}

/** Returns every such command of the documents, once. */
async function commandsOfPages(): Promise<readonly string[]> {
  const answer = await fetch(`${service.url}/docs/search.json`);
  const pages = (await answer.json()) as readonly { name: string }[];
  const blocks = await Promise.all(pages.map(({ name }) => servedBlocks(service, name)));
  const lines = blocks.flat().flatMap(({ text }) => linesOf(text));
  const reading = lines.filter((line) => {
    const words = wordsOf(line) ?? [];
    const isOne = READING.includes(words[0] ?? "") || READING.includes(words.slice(0, 2).join(" "));
    return isOne && !words.includes("--watch");
  });
  return [...new Set(reading)].toSorted((a, b) => a.localeCompare(b));
}

/** Puts the ids of the test in place of those of the page. */
const withIds = (line: string, { merchant, orderId, endpointId }: Scene): string =>
  line
    .replace(/client_(dev|prod)_[\w]+|--client <(client )?id>/, (client) =>
      client.startsWith("--") ? `--client ${merchant.clientId}` : merchant.clientId,
    )
    .replace(/1000123456789|(?<=--order )<id>/, String(orderId))
    .replace(/(?<=--id )(<endpoint id>|[\da-f-]{36})/, endpointId);

/** Their exit status 1 says that something of the service needs a person, such as a stop that another test sets. */
const isRight = (line: string, status: number): boolean =>
  status === 0 || (status === 1 && /exchange (doctor|status)$/.test(line));

/** A purchase of a customer whose address the documents search for. */
async function makeScene(): Promise<Scene> {
  const merchant = await createMerchant(service);
  const { id } = await addWebhook(service, merchant, { url: "http://127.0.0.1:9/webhooks" });
  const sessionId = newSessionId();
  const customer = { email: "ada@example.com", countryCode: "CA" };
  const { body } = await createToken(service, merchant, { sessionId, customer });
  const ada = customerWith(service, sessionId, body.data.accessToken);
  const { quoteId } = await takeQuote(ada, await buyChoice(service, merchant));
  const { orderId } = (await placeOrder(ada, quoteId)).body.data;
  return { merchant, orderId, endpointId: id };
}

test("every command of the documents that only reads runs as it is written", async () => {
  const commands = await commandsOfPages();
  expect(commands.length).toBeGreaterThan(35);
  const missing = READING.filter(
    (name) => !commands.some((line) => line.includes(`exchange ${name}`)),
  );
  expect(missing).toEqual([]);
  const scene = await makeScene();
  const failed: string[] = [];
  const waiting = [...commands];
  const runWaiting = async (): Promise<void> => {
    for (let line = waiting.pop(); line !== undefined; line = waiting.pop()) {
      const words = wordsOf(withIds(line, scene)) ?? [];
      const { status, stdout, stderr } = await runHere(service, ...words);
      if (!isRight(line, status)) failed.push(`${line}: ${status} ${stdout}${stderr}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runWaiting));
  expect(failed).toEqual([]);
});
