import { pbkdf2Sync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { spanKey } from "../../apps/server/src/adapters/chains/span-key.ts";
import { depositAddressOf } from "../../apps/server/src/domain/wallets/solana.ts";
import { deriveEd25519 } from "../../apps/server/src/signer/slip10.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { TEST_WORDS } from "../../apps/server/src/testing/signer.ts";
import { isChosen, playSeeded, roundsOf, SEED } from "../simulation/campaign.ts";
import { type Counts, type Operation, type Pick, playOperations } from "./world/payout-history.ts";
import { type Stranger, strangerOf } from "./world/solana-chain.ts";
import { makeSolanaWorld, SOLANA_ACCOUNT, type SolanaWorld } from "./world/solana-world.ts";

const HISTORIES = roundsOf({ test: 1, campaign: 60 });
const OPERATIONS = 80;
/** Few, so that payments and their collection meet at one of them. */
const ADDRESSES = 2;
const SOL = 10n ** 9n;
const MOVED = statement(
  "test_solana_moved",
  `select coalesce(sum(units), 0)::text as units from (
     select units from chain_movements where address = $1 and state = 'final'
     union all
     select units from chain_wallet_movements where address = $1 and state = 'final') moved`,
);

/**
 * Random histories of payments and of their collection, also while the balances are read, of dropped blocks and of
 * endpoints that are behind. Amounts are few, so that payments cancel each other. The reader that passes over quiet addresses
 * reads what one reads that lists them all.
 */
describe("random histories on Solana", () => {
  const seeds = Array.from({ length: HISTORIES }, (_, index) => SEED + index);
  test.each(seeds.filter((seed) => isChosen(`solana history ${seed}`)))(
    "solana history %i: what is read and credited is what the chain has",
    async (seed) => {
      const world = await makeSolanaWorld();
      const history = { campaign: "chains", name: `solana history ${seed}`, seed };
      try {
        await playSeeded({ ...history, of: "histories on Solana" }, () => playHistory(world, seed));
      } finally {
        await world.close();
      }
    },
    600_000,
  );
});

async function playHistory(world: SolanaWorld, seed: number): Promise<Counts> {
  const words = pbkdf2Sync(TEST_WORDS.deposits, "mnemonic", 2_048, 64, "sha512");
  const account = await strangerOf(deriveEd25519(words, "m/44'/501'/0'/0'"));
  await world.chain.pay([{ to: account.address, units: 10_000n * SOL }]);
  await world.settle();
  const compared = compareReads(world);
  const counts = await playOperations(operationsOf(world, account), {
    seed,
    length: OPERATIONS,
    pauseMaxMs: 0,
  });
  for (const server of world.servers) Object.assign(server, { behind: 0, before: () => {} });
  await world.settle();
  expect(await world.problem()).toBeNull();
  expect(compared.differences).toEqual([]);
  for (let index = 0; index < ADDRESSES; index += 1) {
    const address = world.address(index);
    const [moved] = await world.database.query<{ units: string }>(MOVED, [address]);
    expect(BigInt(moved?.units ?? "")).toBe(world.chain.lamports(address));
    const credited = await world.movements(index);
    expect(credited.map(({ source }) => source)).not.toContain("balance");
    const arrived = credited.filter(({ state }) => state === "final").map(({ units }) => units);
    expect(sumOf(arrived)).toBe(sumOf(depositsTo(world, address)));
  }
  return { ...counts, compared: compared.spans() };
}

const sumOf = (units: readonly bigint[]): bigint => units.reduce((sum, one) => sum + one, 0n);

/** Returns what the transactions in the blocks brought to an address. */
const depositsTo = ({ chain }: SolanaWorld, address: string): readonly bigint[] =>
  chain.blocks
    .flatMap(({ transactions }) => transactions)
    .flatMap(({ accounts, before, after }) =>
      accounts.map((one, at) => (one === address ? (after[at] ?? 0n) - (before[at] ?? 0n) : 0n)),
    )
    .filter((units) => units > 0n);

/** Reads each span again without passing over any address. The scanner catches errors, so differences are kept. */
function compareReads(world: SolanaWorld) {
  const reader = world.reader();
  const { read } = reader;
  const differences: unknown[] = [];
  let spans = 0;
  Object.assign(reader, {
    read: async (...[from, to, watch]: Parameters<typeof read>) => {
      const span = await read(from, to, watch);
      const { explainedBalances: _, ...all } = watch;
      const whole = await read(from, to, all);
      spans += 1;
      if (spanKey(span) !== spanKey(whole)) differences.push({ from, to, span, whole });
      return span;
    },
  });
  return { differences, spans: () => spans };
}

function operationsOf(world: SolanaWorld, account: Stranger): readonly Operation[] {
  const { chain, servers } = world;
  const pay = (pick: Pick, index = pick(ADDRESSES)) =>
    chain.pay([{ to: world.address(index), units: SOL * BigInt(1 + pick(2)) }]);
  /** Some of the coins of an address, or all. */
  const collect = async (pick: Pick, index = pick(ADDRESSES)): Promise<void> => {
    const { address: from, seed } = depositAddressOf(SOLANA_ACCOUNT, index);
    const all = chain.lamports(from);
    const units = pick(2) === 0 && all > SOL ? SOL : all;
    if (units > 0n) await chain.payWithSeed(account, seed, { from, to: account.address, units });
  };
  return [
    { name: "pay", weight: 5, run: async (pick) => void (await pay(pick)) },
    { name: "collect", weight: 5, run: (pick) => collect(pick) },
    { name: "mine", weight: 3, run: async (pick) => chain.mine(1 + pick(12)) },
    { name: "skip", weight: 1, run: async (pick) => chain.skip(1 + pick(5)) },
    {
      name: "fail",
      weight: 1,
      run: async (pick) => {
        const payer = await chain.stranger(SOL);
        const units = (SOL * 3n) / 4n;
        const both = [pick(ADDRESSES), pick(ADDRESSES)].map((at) => ({
          to: world.address(at),
          units,
        }));
        await chain.pay(both, payer);
      },
    },
    {
      name: "drop",
      weight: 1,
      run: async (pick) => {
        const depth = 1 + pick(8);
        const dropped = chain.drop(depth);
        chain.mine(depth + 1);
        for (const bytes of pick(2) === 0 ? dropped : []) chain.execute(bytes);
      },
    },
    {
      name: "be behind",
      weight: 2,
      run: async (pick) => {
        for (const server of servers) server.behind = 0;
        const one = servers[pick(servers.length)];
        if (one) one.behind = pick(40);
      },
    },
    {
      name: "collect while balances are read",
      weight: 4,
      run: async (pick) => {
        const index = pick(ADDRESSES);
        await pay(pick, index);
        let isOver = false;
        for (const server of servers) {
          server.before = async ({ method, params: [, words] }) => {
            const { commitment } = (words ?? {}) as { readonly commitment?: string };
            if (isOver || method !== "getMultipleAccounts" || commitment === "finalized") return;
            isOver = true;
            await collect(pick, index);
          };
        }
      },
    },
    {
      name: "let it become final",
      weight: 4,
      run: async () => {
        for (let turn = 0; turn < 4; turn += 1) {
          chain.mine(16);
          while ((await world.step()) === "more");
        }
      },
    },
    // A step that cannot agree changes nothing, and is made again.
    { name: "scan", weight: 8, run: async () => void (await world.step()) },
  ];
}
