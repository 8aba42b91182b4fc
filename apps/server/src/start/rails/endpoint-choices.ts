import { type Static, Type } from "@sinclair/typebox";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Environment } from "../../flows/deps.ts";

export const strict = { additionalProperties: false };
export const whole = (minimum: number, maximum: number) =>
  Type.Optional(Type.Integer({ minimum, maximum }));

export const Endpoint = Type.Object(
  {
    name: Type.String({ pattern: "^[a-z0-9-]{1,32}$" }),
    url: Type.Optional(Type.String({ minLength: 1 })),
    urlFile: Type.Optional(Type.String({ minLength: 1 })),
    trust: Type.Optional(Type.Literal("own")),
  },
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

export interface ChainPlace {
  readonly environment: Environment;
  readonly catalogue: Catalogue;
}

export const quorumOf = ({ quorum, endpoints }: EndpointChoices): number =>
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
