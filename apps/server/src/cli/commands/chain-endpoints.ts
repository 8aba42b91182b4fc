import { examineEvmEndpoints } from "../../adapters/chains/evm/examine.ts";
import type {
  EndpointState,
  EndpointWeakness,
  Examination,
  ExaminedEndpoint,
} from "../../adapters/chains/examination.ts";
import { examineSolanaEndpoints } from "../../adapters/chains/solana/examine.ts";
import { examineNodes } from "../../adapters/chains/utxo/examine.ts";
import { examineXrpEndpoints } from "../../adapters/chains/xrp/examine.ts";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { CHAIN_IDS } from "../../domain/wallets/payment-uri.ts";
import type { NetworkChoices } from "../../start/rails/chain-choices.ts";
import { networkOf } from "../../start/rails/open-chains.ts";
import { coinEndpointsOf } from "../../start/rails/open-coins.ts";
import { solanaEndpointsOf } from "../../start/rails/open-solana.ts";
import { xrpEndpointsOf } from "../../start/rails/open-xrp.ts";
import { MAIN_GENESIS } from "../../start/rails/solana-choices.ts";
import type { TronChoices } from "../../start/rails/tron-choices.ts";
import { MAIN_NETWORK_ID } from "../../start/rails/xrp-choices.ts";
import type { Examined } from "../finding.ts";

/** A block that is further than this in the future shows that the clock of this machine is slow. */
const AHEAD_SECONDS = 15;
const BEHIND_BLOCKS = 10n;
const BEHIND_SECONDS = 60;
/** The time without a block after which the chain or its endpoint has stopped, by the kind of network. */
const SILENT_SECONDS = { evm: 15 * 60, utxo: 3 * 3_600, solana: 5 * 60, xrp: 5 * 60 };
const FINALITY_SECONDS = 3_600;

/** Asks each endpoint of a live network alone, and compares their answers with each other and with our clock. */
export async function examineEndpoints(
  catalogue: Catalogue,
  code: string,
  choices: ExaminedChoices,
): Promise<Examined> {
  const examination = await examine(catalogue, code, choices);
  return judgeEndpoints(examination, {
    nowSeconds: Date.now() / 1_000,
    silentSeconds: isPublic(code, choices) ? SILENT_SECONDS[choices.kind] : undefined,
  });
}

type ExaminedChoices = Exclude<NetworkChoices, TronChoices>;

async function examine(
  catalogue: Catalogue,
  code: string,
  choices: ExaminedChoices,
): Promise<Examination> {
  const suspect = (): void => {};
  if (choices.kind === "xrp") {
    return examineXrpEndpoints(xrpEndpointsOf(code, { choices, suspect }));
  }
  if (choices.kind === "utxo") {
    return examineNodes(coinEndpointsOf(catalogue, code, { choices, suspect }), choices.coin);
  }
  if (choices.kind === "solana") {
    return examineSolanaEndpoints(solanaEndpointsOf(catalogue, code, { choices, suspect }));
  }
  const contracts = catalogue.currencies.flatMap(({ networkCode, contractAddress }) =>
    networkCode === code && contractAddress !== null ? [contractAddress] : [],
  );
  return examineEvmEndpoints({
    ...networkOf(catalogue, code, { choices, suspect }),
    spanMax: choices.scan?.spanMax ?? 500,
    contracts,
  });
}

function isPublic(code: string, choices: ExaminedChoices): boolean {
  if (choices.kind === "xrp") return choices.networkId === MAIN_NETWORK_ID;
  if (choices.kind === "solana") return choices.genesis === MAIN_GENESIS;
  return choices.kind === "utxo" ? choices.chain === "main" : choices.chainId === CHAIN_IDS[code];
}

export interface EndpointRules {
  readonly nowSeconds: number;
  /** Undefined for a local test chain: it makes a block only when somebody pays, and a test sets its clock. */
  readonly silentSeconds: number | undefined;
}

/** Says what is wrong with the endpoints, each with the sentence that mends it. */
export function judgeEndpoints(
  { forkHeight, endpoints }: Examination,
  rules: EndpointRules,
): Examined {
  const answering = endpoints.flatMap((one) => ("state" in one ? [one] : []));
  const highest = answering.reduce<Answering | undefined>(
    (high, one) => (high === undefined || one.state.head > high.state.head ? one : high),
    undefined,
  );
  const usual = usualOf(answering);
  const faults = endpoints.flatMap((one) =>
    faultsOf(one, { ...rules, highest, usual, forkHeight }).map(({ found, fix }) => ({
      found: `${one.name} ${found}`,
      fix,
    })),
  );
  const words = answering.map(
    ({ name, state }) => `${name} at block ${state.head} (${state.software})`,
  );
  const agree = answering.length > 1 ? `; they agree at block ${forkHeight}` : "";
  if (faults.length === 0) return { found: `${words.join(", ")}${agree}` };
  return {
    found: faults.map(({ found }) => found).join("; "),
    fix: [...new Set(faults.map(({ fix }) => fix))].join(" "),
  };
}

type Answering = Extract<ExaminedEndpoint, { readonly state: unknown }>;

interface Comparison extends EndpointRules {
  readonly highest: Answering | undefined;
  /** The first of the endpoints that have the commonest block at the compared height. */
  readonly usual: Answering | undefined;
  readonly forkHeight: bigint;
}

function faultsOf(one: ExaminedEndpoint, comparison: Comparison): readonly EndpointWeakness[] {
  if ("problem" in one) {
    const fix = "Correct the endpoint in the rails file, or start its node.";
    return [{ found: `does not answer: ${one.problem}`, fix }];
  }
  const beside = differencesOf(one, comparison);
  return [...beside, ...faultsInTime(one.state, comparison), ...one.weaknesses];
}

/** Compares an endpoint with the others. */
function differencesOf(
  { state, forkHash }: Answering,
  { highest, usual, forkHeight }: Comparison,
): readonly EndpointWeakness[] {
  const differences: EndpointWeakness[] = [];
  const behind = (highest?.state.head ?? 0n) - state.head;
  const late = (highest?.state.headAt ?? 0) - state.headAt;
  if (behind > BEHIND_BLOCKS && late > BEHIND_SECONDS) {
    differences.push({
      found: `is ${behind} blocks behind ${highest?.name}`,
      fix: "Wait until the endpoint has caught up, or replace it.",
    });
  }
  if (usual !== undefined && forkHash !== usual.forkHash) {
    const block = `${forkHash === null ? "no" : "another"} block ${forkHeight}`;
    differences.push({
      found: `has ${block}${forkHash === null ? "" : ` than ${usual.name}`}`,
      fix: "Compare both with a public explorer, and replace the endpoint that follows another branch.",
    });
  }
  return differences;
}

/** Compares the times in an endpoint's blocks with our clock. */
function faultsInTime(
  { headAt, finalAt, isCatchingUp }: EndpointState,
  { nowSeconds, silentSeconds }: EndpointRules,
): readonly EndpointWeakness[] {
  if (silentSeconds === undefined) return [];
  const faults: EndpointWeakness[] = [];
  const report = (found: string, fix: string): void => void faults.push({ found, fix });
  const ahead = headAt - nowSeconds;
  if (ahead > AHEAD_SECONDS) {
    const found = `has a block that is ${Math.round(ahead)} s ahead of this machine's clock`;
    report(found, "Set the clock of this machine by NTP.");
  }
  if (-ahead > silentSeconds) {
    const fix = "Compare with a public explorer, and set the clock of this machine by NTP.";
    report(`has had no block for ${minutes(-ahead)}`, fix);
  }
  if (isCatchingUp) report("still loads earlier blocks", "Wait until its node has caught up.");
  if (finalAt === null) {
    const fix =
      'Use an endpoint that knows "finalized", or set finality.tag of the network to none.';
    report("names no final block", fix);
  } else if (finalAt !== undefined && nowSeconds - finalAt > FINALITY_SECONDS) {
    const fix = "Wait: nothing is final meanwhile. If others go on, replace the endpoint.";
    report(`has a final block of ${minutes(nowSeconds - finalAt)} ago`, fix);
  }
  return faults;
}

const minutes = (seconds: number): string => `${Math.round(seconds / 60)} minutes`;

function usualOf(answering: readonly Answering[]): Answering | undefined {
  const countOf = ({ forkHash }: Answering): number =>
    answering.filter((other) => other.forkHash === forkHash).length;
  return answering
    .filter(({ forkHash }) => forkHash !== null)
    .toSorted((one, other) => countOf(other) - countOf(one))[0];
}
