import { readFileSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { Ajv } from "ajv";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Network } from "../../domain/catalogue/network.ts";
import type { Environment } from "../../flows/deps.ts";
import { NAME_FORM, NAME_PATTERN } from "../../signer/protocol.ts";
import { StartError } from "../start-error.ts";

/**
 * Compiles each schema of the rails file once, because a start and a command read the file several times. It does not
 * check our own schemas.
 */
export const SHAPES = new Ajv({
  allErrors: true,
  strict: false,
  meta: false,
  validateSchema: false,
  verbose: true,
});

export const strict = { additionalProperties: false };
export const whole = (minimum: number, maximum: number) =>
  Type.Optional(Type.Integer({ minimum, maximum }));

/** An amount in the smallest units of the network's coin. */
export const units = (pattern: string) =>
  Type.String({
    pattern,
    description: 'a whole number of smallest units as text, such as "2000000000" wei',
  });

const HASH_FORM = "0x and 64 hexadecimal digits";
/** The hash of the first block, on EVM networks and Tron. */
export const BlockHash = Type.String({ pattern: "^0x[0-9a-fA-F]{64}$", description: HASH_FORM });

/** The page of a transaction. */
const Explorer = Type.String({
  pattern: "^https?://.*[{]hash[}]",
  description: "an address with {hash} in it, such as https://explorer.example/tx/{hash}",
});

/** More blocks for large deposits. */
export const Large = Type.Object(
  {
    aboveEuro: Type.String({
      pattern: "^[0-9]{1,12}([.][0-9]{1,2})?$",
      description: 'an amount in euro as text, such as "1000"',
    }),
    atLeast: Type.Integer({ minimum: 1, maximum: 10_000 }),
  },
  strict,
);

/** The pace of a scanner that reads logs and balances. */
export const Scan = Type.Optional(
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
);

/** The keccak-256 of the codes of tokens, by their reference in the catalogue. Doctor compares them. */
export const CodeHashes = Type.Optional(
  Type.Record(
    Type.String({ pattern: "^[a-z0-9-]{1,64}$" }),
    Type.String({ pattern: "^0x[0-9a-f]{64}$", description: `${HASH_FORM} in small letters` }),
    strict,
  ),
);

/** A wallet's name in the signer's policy. */
export const WalletName = Type.String({ pattern: NAME_PATTERN, description: NAME_FORM });

const Endpoint = Type.Object(
  {
    name: Type.String({
      pattern: "^[a-z0-9-]{1,32}$",
      description: "1 to 32 small letters, digits and hyphens",
    }),
    url: Type.Optional(Type.String({ minLength: 1 })),
    urlFile: Type.Optional(Type.String({ minLength: 1 })),
    trust: Type.Optional(Type.Literal("own")),
  },
  strict,
);

/** The members of every live network: its endpoints, the number of them that must agree, and the page of a transaction. */
export const EndpointMembers = {
  explorer: Type.Optional(Explorer),
  endpoints: Type.Array(Endpoint, {
    minItems: 1,
    maxItems: 9,
    description: "a list of one to nine endpoints",
  }),
  quorum: whole(1, 9),
};

/** Deposit addresses that are derived from an extended public key, and their wallet's name. */
export const XpubDeposits = Type.Object(
  {
    xpub: Type.String({ minLength: 1 }),
    wallet: Type.Optional(WalletName),
  },
  strict,
);

/** A hot wallet of one account, whose address its family checks. */
export const HotAccount = Type.Object(
  { wallet: WalletName, address: Type.String({ minLength: 1 }) },
  strict,
);

/** The members of a live network that say which endpoints are believed. */
export interface EndpointChoices {
  readonly endpoints: readonly Static<typeof Endpoint>[];
  readonly quorum?: number;
}

/** A problem of the member, such as `.ethereum.chainId`. */
export interface ChainProblem {
  readonly path: string;
  readonly sentence: string;
}

/** The facts about this installation that the choices of a network must fit. */
export interface ChainContext {
  readonly environment: Environment;
  /** Whether the file names a signer. */
  readonly hasSigner: boolean;
  readonly catalogue: Catalogue;
}

const quorumOf = ({ quorum, endpoints }: EndpointChoices): number =>
  quorum ?? Math.floor(endpoints.length / 2) + 1;

/** Returns the problems of a network's endpoints and of the number that must agree. */
export function endpointProblems(
  choices: EndpointChoices,
  environment: Environment,
): readonly ChainProblem[] {
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
        "The value must be an address such as https://rpc.example.com. Plain HTTP is for localhost and for private addresses in digits, such as http://10.0.0.5:8545.";
      problems.push({ path: `${path}.url`, sentence });
    }
  }
  return problems;
}

interface TokenChoices {
  readonly codeHashes?: Readonly<Record<string, string>>;
}

/** Returns the problems of hashes that would never be compared, because no token of the network has the reference. */
export function codeHashProblems(
  code: string,
  { codeHashes = {} }: TokenChoices,
  { currencies }: Pick<Catalogue, "currencies">,
): readonly ChainProblem[] {
  const tokens = currencies
    .filter((one) => one.networkCode === code && one.contractAddress !== null)
    .map(({ reference }) => reference);
  return Object.keys(codeHashes)
    .filter((reference) => !tokens.includes(reference))
    .map((reference) => ({
      path: `.codeHashes.${reference}`,
      sentence: `The catalogue has no token ${reference} on ${code}. Remove it, or use one of its tokens: ${tokens.join(", ") || "none"}.`,
    }));
}

interface FinalityChoices {
  readonly finality?: { readonly atLeast?: number; readonly large?: Static<typeof Large> };
}

/** Returns the problem of large deposits that need less than small ones. */
export function largeProblems(
  { finality = {} }: FinalityChoices,
  network: Network | undefined,
): readonly ChainProblem[] {
  const { atLeast = network?.confirmations ?? 1, large } = finality;
  if (!large || large.atLeast >= atLeast) return [];
  const sentence = `A large deposit needs at least the ${atLeast} blocks of a small one.`;
  return [{ path: ".finality.large.atLeast", sentence }];
}

const PRIVATE_HOST =
  /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(1[6-9]|2\d|3[01])\.\d+\.\d+)$/;

/** Anybody on the way could change an answer over plain HTTP. */
function isUsableUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && PRIVATE_HOST.test(hostname));
}

/** An endpoint, with the address that its file holds. */
export interface OpenEndpoint {
  readonly name: string;
  readonly url: string;
  readonly isOwn: boolean;
}

/** Returns the endpoints of a network, and the number that must agree. */
export const openEndpoints = (
  choices: EndpointChoices,
  code: string,
): { readonly endpoints: readonly OpenEndpoint[]; readonly quorum: number } => ({
  endpoints: choices.endpoints.map(({ name, url, urlFile = "", trust }) => ({
    name,
    url: url ?? readUrl(urlFile, `chains.${code}`),
    isOwn: trust === "own",
  })),
  quorum: quorumOf(choices),
});

function readUrl(path: string, member: string): string {
  let url: string;
  try {
    url = readFileSync(path, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(`${member} names the file ${path}, which cannot be read (${code}).`);
  }
  if (isUsableUrl(url)) return url;
  throw new StartError(
    `${member} names the file ${path}, which must hold one address such as https://rpc.example.com/key.`,
  );
}
