import { chains, storage } from "./suites.mjs";

const SCANNER = "apps/server/src/chains";
const STORED = "apps/server/src/storage/chains";
const OUTCOMES = (title) =>
  storage("apps/server/src/flows/payouts/outcomes.storage.test.ts", title);
/** Its tests need the orders that the first of them makes. */
const AUDITOR = storage("apps/server/src/auditor/auditor.storage.test.ts");
const RESOLVE = (title) => storage("apps/server/src/flows/payouts/resolve.storage.test.ts", title);

/** Defects of the audit of wallets, and of payouts that end otherwise than they should. */
export const AUDIT_DEFECTS = [
  {
    name: "a transaction that moved less than owed counts as paid",
    file: "apps/server/src/jobs/chain-rail.ts",
    find: `    case "failed":
    case "mismatch":
      return { ...outcome, networkFee: fee(outcome) };`,
    replace: `    case "mismatch":
      return { state: "settled", hash: outcome.hash, confirmations: 1, networkFee: fee(outcome) };
    case "failed":
      return { ...outcome, networkFee: fee(outcome) };`,
    tests: OUTCOMES("moved less than owed"),
  },
  {
    name: "a foreign transaction at a payout's place is not reported",
    file: "apps/server/src/jobs/payout-ends.ts",
    find: "  await reportForeign(deps, spenderOf(intent), by);\n",
    replace: "  if (by === undefined) await reportForeign(deps, spenderOf(intent), by);\n",
    tests: OUTCOMES("a foreign transaction at a payout's place"),
  },
  {
    name: "a payout whose place is taken waits for ever",
    file: "apps/server/src/jobs/send-payout.ts",
    find: "      return endDead(deps, sending, outcome.by);",
    replace: `      if (outcome.by === undefined) return endDead(deps, sending, outcome.by);
      return postponeJob(deps.database, job, MISMATCH_LOOK_MS);`,
    tests: OUTCOMES("a foreign transaction at a payout's place"),
  },
  {
    name: "the place that a stopped payout left is not filled",
    file: "apps/server/src/storage/payouts/holes.ts",
    find: "where intent.state = 'created'\n     union all",
    replace: "where intent.state = 'void'\n     union all",
    tests: storage(
      "apps/server/src/jobs/fill-holes.storage.test.ts",
      "the place that a stopped payout left is filled",
    ),
  },
  {
    name: "a transaction that we did not sign is taken for ours",
    file: `${STORED}/wallet-movements.ts`,
    find: "and not exists (select from chain_transactions t where t.hash = movement.transaction_hash)",
    replace:
      "and exists (select from chain_transactions t where t.hash = movement.transaction_hash)",
    tests: chains("audit", "a thief's transaction of coins"),
  },
  {
    name: "transfers that leave a wallet are not asked for",
    file: "apps/server/src/adapters/chains/evm/wallet-movements.ts",
    find: '{ end: "from", addresses: own }',
    replace: '{ end: "from", addresses: own.slice(own.length) }',
    tests: chains("audit", "a thief's transaction of a token"),
  },
  {
    name: "coins that vanish from a wallet are not looked for",
    file: `${SCANNER}/compare-balances.ts`,
    find: "if (units !== 0n) walletResidue.push",
    replace: "if (units > 0n) walletResidue.push",
    tests: chains("audit", "coins that vanish without a transaction"),
  },
  {
    name: "coins that the operator brings are not booked",
    file: `${STORED}/final-movements.ts`,
    find: "if (final.wallets.some(({ units }) => units > 0n))",
    replace: "if (final.wallets.some(({ units }) => units === 0n))",
    tests: chains("audit", "coins that the operator brings"),
  },
  {
    name: "coins that a reorganisation dropped are booked",
    file: `${STORED}/wallet-movements.ts`,
    find: "where network_code = $1 and state = 'seen' and height > $2`,",
    replace: "where network_code = $1 and state = 'final' and height > $2`,",
    tests: chains("audit", "coins that a reorganisation drops"),
  },
  {
    name: "a difference of books and chain stops nothing",
    file: `${SCANNER}/compare-books.ts`,
    find: "const isNew = difference !== 0n && difference !== book.difference;",
    replace: "const isNew = difference !== 0n && difference === book.chainUnits;",
    tests: chains("audit", "books that have more than the chain"),
  },
  {
    name: "a swept address is watched for ever",
    file: `${STORED}/final-movements.ts`,
    find: "having sum(units) <> 0)",
    replace: "having count(*) <> 0)",
    tests: chains("audit", "a deposit that is swept"),
  },
  {
    name: "a fault of one network stops every payout",
    file: "apps/server/src/auditor/pass.ts",
    find: "found.filter(({ networkCode }) => networkCode === null);",
    replace: "found.filter(({ networkCode }) => networkCode !== undefined);",
    tests: AUDITOR,
  },
  {
    name: "a network fee that is missing is not looked for",
    file: "apps/server/src/auditor/pass.ts",
    find: "recordNetworkBreaks(deps, [...found, ...fees, ...unfollowed]);",
    replace: "recordNetworkBreaks(deps, [...found, ...fees.slice(fees.length), ...unfollowed]);",
    tests: AUDITOR,
  },
  {
    name: "a paid payout that no job follows is not looked for",
    file: "apps/server/src/auditor/pass.ts",
    find: "findUnfollowed(deps.database);",
    replace: "findUnfollowed(deps.database).then(() => []);",
    tests: AUDITOR,
  },
  {
    name: "one person ends a payout that needs two",
    file: "apps/server/src/flows/payouts/resolve.ts",
    find: "return isAbove ? APPROVALS_NEEDED : 1;",
    replace: "return isAbove ? 1 : APPROVALS_NEEDED - 1;",
    tests: RESOLVE("two people must say the same"),
  },
  {
    name: "coins that left beside a payout are not booked",
    file: "apps/server/src/flows/payouts/resolve.ts",
    find: "left - booked);",
    replace: "(left - booked) * 0n);",
    tests: RESOLVE("the house bears what left beside"),
  },
];
