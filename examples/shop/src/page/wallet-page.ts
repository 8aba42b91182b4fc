import type { WalletView } from "../test-wallet/wallet.ts";
import { find } from "./elements.ts";

const REFRESH_MS = 1_500;
const COPIED_MS = 2_000;
const payForm = document.forms.namedItem("pay-form") as HTMLFormElement;
const FEW_DIGITS = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });

function element(tag: string, className: string, text: string): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

const shorten = (text: string): string => `${text.slice(0, 8)}…${text.slice(-6)}`;

function fullText(tag: string, text: string): HTMLElement {
  const made = element(tag, "", shorten(text));
  made.title = text;
  return made;
}

function showCoins({ coins }: WalletView): void {
  for (const { code, amount } of coins) {
    const place = document.querySelector<HTMLElement>(`[data-coin="${code}"]`);
    if (place === null) continue;
    place.textContent = FEW_DIGITS.format(Number(amount));
    place.dataset["exact"] = amount;
    place.title = `${amount} ${code}`;
  }
}

function paymentEntry(
  { id, hash, direction, code, amount, counterparty, block }: WalletView["payments"][number],
  final: number,
): HTMLElement {
  const entry = document.createElement("li");
  entry.dataset["id"] = id;
  entry.classList.toggle("chosen", hash === location.hash.slice(1));
  const isFinal = block <= final;
  const sign = direction === "in" ? "+" : "−";
  const words = element("span", `change ${direction}`, `${sign}${amount} ${code}`);
  const badge = element(
    "span",
    isFinal ? "badge valid" : "badge",
    isFinal ? "final" : `${block - final} to go`,
  );
  const detail = element("span", "detail", direction === "in" ? "from " : "to ");
  detail.append(fullText("code", counterparty), ` · block ${block} · transaction `);
  detail.append(fullText("code", hash));
  entry.append(words, badge, detail);
  return entry;
}

function blockEntry(
  { number, hash, time, transactions }: WalletView["blocks"][number],
  final: number,
): HTMLElement {
  const entry = document.createElement("li");
  const isFinal = number <= final;
  entry.className = isFinal ? "final" : "open";
  const count = transactions === 1 ? "1 transaction" : `${transactions} transactions`;
  const seconds = Math.max(0, Math.round(Date.now() / 1000 - time));
  const age = seconds < 120 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
  entry.append(
    element("strong", "", String(number)),
    element("span", "", transactions === 0 ? "empty" : count),
    fullText("code", hash),
    element("span", isFinal ? "badge valid" : "badge", isFinal ? "final" : "not final"),
    element("span", "age", age),
  );
  return entry;
}

/** The element of one chain. The server wrote it. */
const part = (selector: string, chain: string): HTMLElement =>
  document.querySelector(`${selector}[data-chain="${chain}"]`) as HTMLElement;

function show(view: WalletView): void {
  const { chain, address, payments, blocks, final, waiting } = view;
  (part(".address", chain).querySelector(".own") as HTMLElement).textContent = address;
  showCoins(view);
  part(".waiting", chain).textContent =
    waiting === 0
      ? ""
      : `${waiting === 1 ? "One transaction waits" : `${waiting} transactions wait`} for the next block.`;
  part(".entries", chain).replaceChildren(
    ...payments.map((payment) => paymentEntry(payment, final)),
  );
  part(".blocks", chain).replaceChildren(...blocks.map((block) => blockEntry(block, final)));
}

let scrolledTo = "";

/** The checkout links to a transaction here, as to an explorer. It is scrolled to once. */
function showChosen(): void {
  const chosen = document.querySelector("#payments .chosen");
  if (chosen === null || scrolledTo === location.hash) return;
  scrolledTo = location.hash;
  chosen.scrollIntoView({ block: "center" });
}

async function refresh(): Promise<void> {
  const response = await fetch("/api/wallet").catch(() => undefined);
  if (response?.ok) {
    const { wallets } = (await response.json()) as { wallets: readonly WalletView[] };
    for (const view of wallets) show(view);
    showChosen();
    find("notice").textContent = "";
    return;
  }
  const { message } = response ? ((await response.json()) as { message: string }) : {};
  find("notice").textContent = message ?? "The shop does not answer. Is `npm start` still running?";
}

async function pay(): Promise<void> {
  find("problem").textContent = "";
  find("sent").textContent = "";
  const response = await fetch(payForm.action, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(Object.fromEntries(new FormData(payForm))),
  }).catch(() => undefined);
  const answer = (await response?.json()) as { hash?: string; message?: string } | undefined;
  if (answer?.hash === undefined) {
    find("problem").textContent = answer?.message ?? "The shop does not answer.";
    return;
  }
  payForm.reset();
  find("sent").textContent = `Sent. The transaction is ${shorten(answer.hash)}.`;
  await refresh();
}

for (const place of document.querySelectorAll(".address")) {
  const copied = place.querySelector(".copied") as HTMLElement;
  place.querySelector(".copy")?.addEventListener("click", async () => {
    const address = place.querySelector(".own")?.textContent ?? "";
    const message = await navigator.clipboard.writeText(address).then(
      () => "Copied",
      () => "Select the address and copy it",
    );
    copied.textContent = message;
    setTimeout(() => {
      copied.textContent = "";
    }, COPIED_MS);
  });
}
payForm.addEventListener("submit", (event) => {
  event.preventDefault();
  void pay();
});
addEventListener("hashchange", () => void refresh());
setInterval(() => void refresh(), REFRESH_MS);
void refresh();
