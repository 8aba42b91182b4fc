import { type Static, Type } from "@sinclair/typebox";
import { Ajv, type ErrorObject } from "ajv";
import { readDepositAccount } from "../../adapters/chains/evm/deposit-addresses.ts";
import { buildCatalogue, type Catalogue } from "../../domain/catalogue/catalogue.ts";
import { checkAddress } from "../../domain/wallets/check-address.ts";
import { CHAIN_IDS } from "../../domain/wallets/payment-uri.ts";
import type { Environment } from "../../flows/deps.ts";
import { FeeChoices, feeProblems } from "./fee-choices.ts";
import { Sweeps, sweepProblems } from "./sweep-choices.ts";

const strict = { additionalProperties: false };
const whole = (minimum: number, maximum: number) =>
  Type.Optional(Type.Integer({ minimum, maximum }));

/** A wallet's name in the signer's policy. */
const WALLET = "^[a-z0-9][a-z0-9._-]{0,63}$";

const Endpoint = Type.Object(
  {
    name: Type.String({ pattern: "^[a-z0-9-]{1,32}$" }),
    url: Type.Optional(Type.String({ minLength: 1 })),
    urlFile: Type.Optional(Type.String({ minLength: 1 })),
    trust: Type.Optional(Type.Literal("own")),
  },
  strict,
);

const EvmNetwork = Type.Object(
  {
    kind: Type.Literal("evm"),
    chainId: Type.Integer({ minimum: 1, maximum: 2 ** 32 }),
    genesis: Type.Optional(Type.String({ pattern: "^0x[0-9a-fA-F]{64}$" })),
    explorer: Type.Optional(Type.String({ pattern: "^https?://.*[{]hash[}]" })),
    endpoints: Type.Array(Endpoint, { minItems: 1, maxItems: 9 }),
    quorum: whole(1, 9),
    timeoutMs: whole(100, 60_000),
    finality: Type.Optional(
      Type.Object(
        {
          tag: Type.Optional(Type.Unsafe<"finalized" | "none">({ enum: ["finalized", "none"] })),
          atLeast: whole(1, 10_000),
          large: Type.Optional(
            Type.Object(
              {
                aboveEuro: Type.String({ pattern: "^[0-9]{1,12}([.][0-9]{1,2})?$" }),
                atLeast: Type.Integer({ minimum: 1, maximum: 10_000 }),
              },
              strict,
            ),
          ),
        },
        strict,
      ),
    ),
    scan: Type.Optional(
      Type.Object(
        {
          pollMs: whole(50, 600_000),
          spanMax: whole(1, 10_000),
          addressesAtOnce: whole(1, 10_000),
          keepBlocks: whole(1, 100_000),
          balancesSeconds: whole(0, 86_400),
        },
        strict,
      ),
    ),
    deposits: Type.Object(
      {
        xpub: Type.String({ minLength: 1 }),
        wallet: Type.Optional(Type.String({ pattern: WALLET })),
      },
      strict,
    ),
    /** The keccak-256 of the codes of tokens, by their reference in the catalogue. Doctor compares them. */
    codeHashes: Type.Optional(
      Type.Record(
        Type.String({ pattern: "^[a-z0-9-]{1,64}$" }),
        Type.String({ pattern: "^0x[0-9a-f]{64}$" }),
        strict,
      ),
    ),
    hot: Type.Optional(
      Type.Object(
        {
          wallet: Type.String({ pattern: WALLET }),
          address: Type.String({ pattern: "^0x[0-9a-fA-F]{40}$" }),
        },
        strict,
      ),
    ),
    sweeps: Sweeps,
    payouts: Type.Optional(
      Type.Object(
        {
          feeMaxUnits: Type.Optional(Type.String({ pattern: "^[1-9][0-9]{0,38}$" })),
          tipMinUnits: Type.Optional(Type.String({ pattern: "^(0|[1-9][0-9]{0,38})$" })),
        },
        strict,
      ),
    ),
    fees: Type.Optional(FeeChoices),
  },
  strict,
);

const Chains = Type.Record(Type.String({ pattern: "^[a-z0-9-]{1,64}$" }), EvmNetwork, strict);

/** The choices of one live network. */
export type EvmChoices = Static<typeof EvmNetwork>;
/** The member `chains` of the rails file: the live networks by their code in the catalogue. */
export type ChainChoices = Static<typeof Chains>;

/** Returns the catalogue with the chain ids of the live networks, which links to wallets name. */
export const withChainIds = (catalogue: Catalogue, chains: ChainChoices): Catalogue =>
  buildCatalogue({
    ...catalogue,
    networks: catalogue.networks.map((network) => {
      const live = chains[network.code];
      return live ? { ...network, chainId: live.chainId } : network;
    }),
  });

/** A problem of the member, such as `.ethereum.chainId`. */
export interface ChainProblem {
  readonly path: string;
  readonly sentence: string;
}

export interface ChainPlace {
  readonly environment: Environment;
  /** Whether the file names a signer. */
  readonly hasSigner: boolean;
  readonly catalogue: Catalogue;
}

/** Returns every problem of the member. Without one it has the form of `ChainChoices`. */
export function chainProblems(choices: unknown, place: ChainPlace): readonly ChainProblem[] {
  const validate = new Ajv({ allErrors: true, strict: false }).compile(Chains);
  if (!validate(choices)) return (validate.errors ?? []).map(problemOf);
  const found = Object.entries(choices as ChainChoices).flatMap(([code, network]) =>
    networkProblems(code, network, place).map(({ path, sentence }) => ({
      path: `.${code}${path}`,
      sentence,
    })),
  );
  return found;
}

export function problemOf({ instancePath, keyword, params, message }: ErrorObject): ChainProblem {
  const path = instancePath.replaceAll(/\/(\d+)(?=\/|$)/g, "[$1]").replaceAll("/", ".");
  if (keyword === "additionalProperties") {
    const name = String(params["additionalProperty"]);
    return { path, sentence: `There is no member ${name}. Remove it or correct its spelling.` };
  }
  if (keyword === "const") {
    return { path, sentence: `The value must be ${JSON.stringify(params["allowedValue"])}.` };
  }
  if (keyword === "pattern" && instancePath.endsWith("aboveEuro")) {
    return { path, sentence: 'The value must be an amount in euro as text, such as "1000".' };
  }
  if (keyword === "pattern" && instancePath.endsWith("Units")) {
    const sentence =
      'The value must be a whole number of smallest units as text, such as "2000000000" wei.';
    return { path, sentence };
  }
  if (keyword === "enum") {
    const values = (params["allowedValues"] as string[]).join(", ");
    return { path, sentence: `The value must be one of ${values}.` };
  }
  return { path, sentence: `The value ${message ?? "is not valid"}.` };
}

function networkProblems(
  code: string,
  choices: EvmChoices,
  { environment, hasSigner, catalogue }: ChainPlace,
): readonly ChainProblem[] {
  const problems: ChainProblem[] = [];
  const report = (path: string, sentence: string): void => void problems.push({ path, sentence });
  const network = catalogue.network(code);
  if (network?.addressFormat !== "evm") {
    const codes = catalogue.networks.filter((one) => one.addressFormat === "evm");
    const list = codes.map((one) => one.code).join(", ");
    report("", `The catalogue has no EVM network of this code. Use one of ${list}.`);
  }
  const own = CHAIN_IDS[code];
  const { chainId } = choices;
  if (environment === "prod" && own !== undefined && chainId !== own) {
    report(".chainId", `In prod ${code} has the chain id ${own}, not ${chainId}.`);
  }
  if (environment !== "prod" && Object.values(CHAIN_IDS).includes(chainId)) {
    report(".chainId", `${chainId} is a network with real coins, which only prod may use.`);
  }
  problems.push(...endpointProblems(choices, environment), ...feeProblems(choices));
  problems.push(...payoutProblems(choices, { hasSigner }), ...sweepProblems(choices));
  const { atLeast = network?.confirmations ?? 1, large } = choices.finality ?? {};
  if (large && large.atLeast < atLeast) {
    const sentence = `A large deposit needs at least the ${atLeast} blocks of a small one.`;
    report(".finality.large.atLeast", sentence);
  }
  try {
    readDepositAccount(choices.deposits.xpub);
  } catch (error) {
    report(".deposits.xpub", `The value ${(error as Error).message}.`);
  }
  return problems;
}

function payoutProblems(
  { hot, payouts }: EvmChoices,
  { hasSigner }: Pick<ChainPlace, "hasSigner">,
): readonly ChainProblem[] {
  const problems: ChainProblem[] = [];
  if (hot === undefined && payouts !== undefined) {
    const sentence =
      "The network has no member hot, so it makes no payouts. Add hot, or remove it.";
    problems.push({ path: ".payouts", sentence });
  }
  if (hot !== undefined && !hasSigner) {
    const sentence =
      "The file has no member signer, so nothing could sign. Add one, or remove hot.";
    problems.push({ path: ".hot", sentence });
  }
  if (hot !== undefined && !checkAddress("evm", hot.address)) {
    const sentence = `The checksum of ${hot.address} is wrong. Copy it from signer status.`;
    problems.push({ path: ".hot.address", sentence });
  }
  return problems;
}

export const quorumOf = ({ quorum, endpoints }: EvmChoices): number =>
  quorum ?? Math.floor(endpoints.length / 2) + 1;

function endpointProblems(choices: EvmChoices, environment: Environment): readonly ChainProblem[] {
  const { endpoints } = choices;
  const problems: ChainProblem[] = [];
  const names = endpoints.map(({ name }) => name);
  const quorum = quorumOf(choices);
  if (quorum > endpoints.length || quorum * 2 <= endpoints.length) {
    const sentence = `More than half of the ${endpoints.length} endpoints must agree. Use ${Math.floor(endpoints.length / 2) + 1} to ${endpoints.length}.`;
    problems.push({ path: ".quorum", sentence });
  }
  if (environment === "prod" && quorum === 1 && !endpoints.some(({ trust }) => trust === "own")) {
    const sentence = `One endpoint alone is believed in prod only if it is your own node ("trust": "own"). Add endpoints of other providers.`;
    problems.push({ path: ".endpoints", sentence });
  }
  for (const [index, { name, url, urlFile }] of endpoints.entries()) {
    const path = `.endpoints[${index}]`;
    if (names.indexOf(name) !== index) {
      problems.push({ path: `${path}.name`, sentence: `${name} is used by an earlier endpoint.` });
    }
    if ((url === undefined) === (urlFile === undefined)) {
      problems.push({ path, sentence: "Write either url, or urlFile for one with a key in it." });
    }
    if (url !== undefined && !isUsableUrl(url)) {
      const sentence =
        "The value must be an address such as https://rpc.example.com. Plain HTTP is for this machine and private networks.";
      problems.push({ path: `${path}.url`, sentence });
    }
  }
  return problems;
}

const PRIVATE_HOST =
  /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(1[6-9]|2\d|3[01])\.\d+\.\d+)$/;

/** Anybody on the way could change an answer over plain HTTP. */
export function isUsableUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && PRIVATE_HOST.test(hostname));
}
