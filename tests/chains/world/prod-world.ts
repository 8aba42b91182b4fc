import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { askSigner } from "../../../apps/server/src/adapters/chains/signer-client.ts";
import type { StatusAnswer } from "../../../apps/server/src/signer/protocol.ts";
import { openDatabase, statement } from "../../../apps/server/src/storage/postgres/database.ts";
import { shippedCatalogue } from "../../../apps/server/src/testing/catalogue.ts";
import { startStandInVenue } from "../../../apps/server/src/testing/stand-in-venue.ts";
import { makeCertificate } from "../../../apps/server/src/testing/webhooks/certificates.ts";
import { KEY_LINE } from "../../../apps/server/src/testing/world.ts";
import { exchangeHere } from "../../support/service/command-line.ts";
import {
  type StartedService,
  serviceSettings,
  startService,
} from "../../support/service/service.ts";
import { type Anvil, startAnvil } from "./anvil.ts";
import { type LiveSigner, makeLiveSigner } from "./live-signer.ts";
import { withLitecoin } from "./paying-coins.ts";
import { CONTRACTS, HOT, hex } from "./paying-world.ts";
import { type ProdLitecoin, startProdLitecoin } from "./prod-litecoin.ts";

/** The chain id of the real network: `prod` takes no other. */
const MAINNET = 1;
const INSTALLATION = "shop-1";
const DOLLARS: Readonly<Record<string, number>> = { ETH: 3_000, LTC: 80, USDT: 1, EUR: 1.15 };
/** The age of the chain at its start, in seconds: each block that is mined at once takes a second of its time. */
const BEGAN_SECONDS_AGO = 600;

/** The service in `prod`, as one process: a database role, venues by TLS, a signer, and a node with the id of Ethereum. */
export interface ProdWorld {
  readonly node: Anvil;
  /** Undefined where there is no litecoind. */
  readonly litecoin: ProdLitecoin | undefined;
  readonly signerSocket: string;
  readonly service: StartedService;
  /** An account with coins that are not ours. */
  readonly stranger: string;
  /** Sends from an account with coins, and mines the transaction. */
  send(transaction: { to: string; data?: string; value?: bigint }): Promise<string>;
  mine(blocks?: number): Promise<void>;
  close(): Promise<void>;
}

export async function makeProdWorld(): Promise<ProdWorld> {
  const node = await startAnvil(MAINNET);
  const litecoin = await startProdLitecoin();
  const [, stranger = ""] = await node.call<string[]>("eth_accounts");
  await prepareChain(node, stranger);
  const signer = await makeLiveSigner({
    installation: INSTALLATION,
    chainId: MAINNET,
    contracts: CONTRACTS,
    change: (policy) => (litecoin ? withLitecoin(policy, "mainnet") : policy),
  });
  const database = await makeEmptyDatabase();
  const venues = await startVenues();
  const { dataDir, env } = await serviceSettings({
    env: {
      EXCHANGE_ENV: "prod",
      HOST: "127.0.0.1",
      EXCHANGE_PUBLIC_URL: "https://pay.shop.example",
      EXCHANGE_LOG_LEVEL: "warn",
      DATABASE_URL: database.ownerUrl,
    },
  });
  const file = (name: string, content: string): string => {
    writeFileSync(join(dataDir, name), content, { mode: 0o600 });
    return join(dataDir, name);
  };
  const settings = {
    ...env,
    EXCHANGE_SECRET_KEYS_FILE: file("secret-keys", KEY_LINE),
    EXCHANGE_RAILS_FILE: file(
      "rails.json",
      JSON.stringify(await railsOf({ node, litecoin }, signer, venues.list)),
    ),
    NODE_EXTRA_CA_CERTS: file("venues.pem", venues.certificate),
  };
  await exchangeHere(
    { url: "", shopUrl: "", dataDir, env: settings },
    "database",
    "grants",
    database.role,
  );
  const running = await startService({
    dataDir,
    env: { ...settings, DATABASE_URL: database.serviceUrl },
  });
  const mine: ProdWorld["mine"] = async (blocks = 12) => {
    await node.call("anvil_mine", hex(blocks));
  };
  return {
    node,
    litecoin,
    signerSocket: signer.socket,
    service: running,
    stranger,
    mine,
    send: ({ to, data, value = 0n }) =>
      node.call("eth_sendTransaction", {
        ...{ from: stranger, to, gas: hex(200_000), value: hex(value) },
        ...(data && { data }),
      }),
    close: async () => {
      await running.stop();
      await Promise.all(venues.list.map(({ venue }) => venue.close()));
      await signer.close();
      await node.kill();
      await litecoin?.close();
      await database.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A token that answers `decimals()`, as the tokens of the local chain do. Its decimals are in the slot. */
const TOKEN = new URL("../../../tools/start/local/demo-token.json", import.meta.url);
const DECIMALS_SLOT = "0x3";

/** Empties the hot wallet, and puts a token at each address of the catalogue. The stranger gets USDT. */
async function prepareChain({ call }: Anvil, stranger: string): Promise<void> {
  await call("evm_setTime", Math.floor(Date.now() / 1_000) - BEGAN_SECONDS_AGO);
  await call("anvil_setBalance", HOT, "0x0");
  const { code } = JSON.parse(readFileSync(TOKEN, "utf8")) as { readonly code: string };
  const { currencies } = await shippedCatalogue();
  for (const { networkCode, contractAddress, decimals } of currencies) {
    if (networkCode !== "ethereum" || contractAddress === null) continue;
    await call("anvil_setCode", contractAddress, code);
    const word = `0x${decimals.toString(16).padStart(64, "0")}`;
    await call("anvil_setStorageAt", contractAddress, DECIMALS_SLOT, word);
  }
  await call("anvil_dealERC20", stranger, CONTRACTS.usdt, hex(10n ** 9n));
  await call("anvil_mine", hex(20));
}

async function startVenues() {
  const tls = makeCertificate("localhost");
  const kinds = ["kraken", "coinbase", "bitstamp"] as const;
  const dollars = (code: string): number | undefined => DOLLARS[code];
  const starting = kinds.map(async (kind) => {
    const venue = await startStandInVenue({ kind, dollars, now: Date.now, size: 1e6, tls });
    return { kind, venue };
  });
  return { certificate: tls.cert, list: await Promise.all(starting) };
}

/** Writes the file as docs/operating/go-live.md says, with the addresses that the signer names. */
async function railsOf(
  { node: { url }, litecoin }: Pick<ProdWorld, "node" | "litecoin">,
  { socket, releaseKeyFile }: LiveSigner,
  venues: Awaited<ReturnType<typeof startVenues>>["list"],
) {
  const { wallets } = await askSigner<StatusAnswer>(socket, { op: "status" });
  return {
    prices: {
      kind: "market",
      venues: venues.map(({ kind, venue }) => ({
        kind,
        url: venue.url,
        markets: Object.keys(DOLLARS).map((code) => `${code}/USD`),
        bestMilliseconds: 200,
        bookMilliseconds: 200,
      })),
    },
    signer: { socket, releaseKeyFile, installation: INSTALLATION },
    chains: {
      ethereum: {
        kind: "evm",
        chainId: MAINNET,
        endpoints: [{ name: "own", url, trust: "own" }],
        finality: { atLeast: 2 },
        scan: { pollMs: 200 },
        deposits: {
          xpub: wallets["ethereum-deposits"]?.publicKey,
          wallet: "ethereum-deposits",
        },
        hot: { wallet: "ethereum-hot", address: wallets["ethereum-hot"]?.address },
      },
      ...(litecoin && { litecoin: litecoin.railsOf(wallets["litecoin-hot"]?.publicKey) }),
    },
  };
}

/** Creates an empty database, and a role of the service that does not own its tables. */
async function makeEmptyDatabase() {
  const connection = inject("storageServer");
  const server = openDatabase({ ...connection, poolSize: 1 });
  const run = (text: string) => server.query(statement("", text));
  const suffix = randomBytes(6).toString("hex");
  const [name, role] = [`prod_${suffix}`, `exchange_${suffix}`];
  await run(`create database ${name}`);
  await run(`create role ${role} login`);
  const host = encodeURIComponent(connection.host ?? "");
  const urlAs = (user: string): string => `postgres://${user}@localhost/${name}?host=${host}`;
  return {
    role,
    ownerUrl: urlAs("postgres"),
    serviceUrl: urlAs(role),
    // The server goes with the run, and its databases with it. To drop one now waits for every other file's backends.
    close: () => server.close(),
  };
}
