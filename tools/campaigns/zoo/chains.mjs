import { chains, storage, unit } from "./suites.mjs";

const EVM = "apps/server/src/adapters/chains/evm";
const UTXO = "apps/server/src/adapters/chains/utxo";
const SCANNER = "apps/server/src/chains";

/** Defects of the scanner of live networks. Their suites need anvil and litecoind. */
export const CHAIN_DEFECTS = [
  {
    name: "one endpoint is believed",
    file: "apps/server/src/adapters/chains/agree.ts",
    find: "if (members.length < quorum ||",
    replace: "if (members.length < 1 ||",
    tests: chains("endpoints", "N2: a deposit that one endpoint invents"),
  },
  {
    name: "a deposit is named by its log's number in the block",
    file: `${EVM}/read-span.ts`,
    find: "`${id}:log${number}:",
    replace: "`${id}:log${log.index}:",
    tests: chains("deposits", "D3: the number of a log"),
  },
  {
    name: "a deposit that was only seen is credited",
    file: `${SCANNER}/finalize.ts`,
    find: "const height = final < cursor.height ? final : cursor.height;",
    replace: "const height = final < 0n ? final : cursor.height;",
    tests: chains("deposits", "D1: a deposit is seen"),
  },
  {
    name: "a reorganisation below the final block is taken back",
    file: `${SCANNER}/scan-step.ts`,
    find: "if (at.height <= cursor.finalHeight) throw",
    replace: "if (at.height <= 0n) throw",
    tests: chains("deposits", "D4b, D5"),
  },
  {
    name: "a refusal of too many results is taken for a fault",
    file: "apps/server/src/adapters/chains/rpc.ts",
    find: "/range|limit|more than|too",
    replace: "/range|limit|too",
    tests: chains("deposits", "D8"),
  },
  {
    name: "coins that only a balance shows are not credited",
    file: `${SCANNER}/finalize.ts`,
    find: "if (units > 0n) residue.push(",
    replace: "if (units > UNITS_MAX) residue.push(",
    tests: chains("deposits", "D6: coins that a contract pays"),
  },
  {
    name: "a deposit that its balance does not cover is credited",
    file: `${SCANNER}/finalize.ts`,
    find: "if (pendingUnits > 0n) {",
    replace: "if (pendingUnits < 0n) {",
    tests: chains("endpoints", "N2: a deposit that two endpoints invent with its receipt"),
  },
  {
    name: "dropped deposits stay seen",
    file: "apps/server/src/storage/chains/movements.ts",
    find: "and state = 'seen' and height > $2 returning address",
    replace: "and state = 'final' and height < $2 returning address",
    tests: chains("deposits", "D4: a deposit that is spent elsewhere"),
  },
  {
    name: "a coin is credited a block early",
    file: `${UTXO}/reader.ts`,
    find: "const final = lowest - BigInt(confirmations) + 1n;",
    replace: "const final = lowest - BigInt(confirmations) + 2n;",
    tests: chains("coin-deposits", "U1: a deposit is seen"),
  },
  {
    name: "blocks of another branch are read as the next ones",
    file: `${UTXO}/read-span.ts`,
    find: "if (name.parent !== (blocks.at(-1) ?? from).hash) return undefined;",
    replace: "if (name.parent === name.hash) return undefined;",
    tests: chains("coin-endpoints", "a span that begins on another branch"),
  },
  {
    name: "a node below our cursor is a reorganisation",
    file: `${UTXO}/reader.ts`,
    find: "if (hash === undefined) return undefined;",
    replace: 'if (hash === undefined) return { height, hash: "0".repeat(64), parent: "" };',
    tests: chains("coin-deposits", "U10b: a node that was killed"),
  },
  {
    name: "an accepted branch is not read from where it parts",
    file: "apps/server/src/flows/chains/accept-branch.ts",
    find: "spans.push(span);",
    replace: "spans.push({ ...span, movements: [] });",
    tests: chains("coin-deposits", "D5: after a branch was accepted"),
  },
  {
    name: "a coin is taken for two sends",
    file: "apps/server/src/storage/chains/take-coins.ts",
    find: '"coin.send_id is null or has_left_coins(coin.send_id)"',
    replace: '"coin.units > 0 or has_left_coins(coin.send_id)"',
    tests: storage("apps/server/src/storage/chains/coins.storage.test.ts"),
  },
  {
    name: "coins are spent in a block that may still be dropped",
    file: "apps/server/src/storage/chains/take-coins.ts",
    find: "(coin.height <= cursor.final_height or",
    replace: "(coin.height <= cursor.height or",
    tests: storage("apps/server/src/storage/chains/coins.storage.test.ts"),
  },
  {
    name: "a foreign transaction with our coin is not noticed",
    file: "apps/server/src/chains/live-coins.ts",
    find: "const isFinal = ({ height }: SpentIn): boolean => height <= cursor.finalHeight;",
    replace: "const isFinal = ({ height }: SpentIn): boolean => height < 0n;",
    tests: chains("coin-payouts", "P6: another transaction"),
  },
  {
    name: "amounts of coins are read as doubles",
    file: "apps/server/src/adapters/chains/digits.ts",
    find: 'text.replaceAll(TOKEN, (token) => (token.startsWith(\'"\') ? token : `"${token}"`)),',
    replace:
      'text.replaceAll(TOKEN, (token) => (token.startsWith(\'"\') ? token : `"${Number(token)}"`)),',
    tests: unit(`${UTXO}/words.test.ts`),
  },
  {
    name: "a step of a scanner that lost its lease is stored",
    file: "apps/server/src/storage/chains/cursors.ts",
    find: "where network_code = $1 and lease_token = $2 and height = $3 and hash = $4`,",
    replace: "where network_code = $1 and $2::uuid is not null and height = $3 and hash = $4`,",
    tests: storage("apps/server/src/storage/chains/guards.storage.test.ts"),
  },
  {
    name: "one endpoint sets the network fee",
    file: `${EVM}/fee-market.ts`,
    find: "if (rates.length - far.length >= needed) return centre;",
    replace: "if (needed > 0) return centre;",
    tests: chains("fees", "three endpoints that contradict each other"),
  },
  {
    name: "a stale network fee is quoted",
    file: "apps/server/src/domain/quotes/fee-rate.ts",
    find: "if (ageMs <= freshMs) return",
    replace: "if (ageMs >= 0) return",
    tests: chains("fees", "without a fresh measurement"),
  },
  {
    name: "a large deposit is final as soon as a small one",
    file: "apps/server/src/flows/payments/record-deposits.ts",
    find: "deposit.confirmations >= required;",
    replace: "deposit.confirmations > 0;",
    tests: chains("confirmations", "a small deposit is final by the network's own word"),
  },
];
