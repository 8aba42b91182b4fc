import { readFileSync } from "node:fs";
import type { EvmEndpointsOptions } from "../../adapters/chains/evm/reader.ts";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Network } from "../../domain/catalogue/network.ts";
import { StartError } from "../start-error.ts";
import { type EvmChoices, isUsableUrl, quorumOf } from "./chain-choices.ts";

/** Returns the endpoints of a network, the rules by which they agree, and its finality. */
export function networkOf(
  catalogue: Catalogue,
  code: string,
  {
    choices,
    suspect,
  }: {
    readonly choices: EvmChoices;
    readonly suspect: (endpoint: string, what: string) => void;
  },
): EvmEndpointsOptions {
  const network = catalogue.network(code);
  if (!network) throw new Error(`the catalogue has no network ${code}`);
  const { finality = {} } = choices;
  return {
    ...endpointsOf(code, choices),
    networkCode: code,
    finality: finalityOf(network, finality),
    suspect,
  };
}

/** Returns the endpoints of a network, and how many must agree. */
function endpointsOf(code: string, choices: EvmChoices) {
  const { chainId, genesis, endpoints, timeoutMs = 4_000 } = choices;
  return {
    chainId,
    genesis,
    endpoints: endpoints.map((one) => ({
      name: one.name,
      url: one.url ?? readUrl(one.urlFile ?? "", `chains.${code}`),
      isOwn: one.trust === "own",
    })),
    quorum: quorumOf(choices),
    timeoutMs,
  };
}

/** Without a choice the network's own word decides, and the confirmations of the catalogue are the least. */
const finalityOf = (network: Network, { tag, atLeast }: NonNullable<EvmChoices["finality"]>) => ({
  tag: tag ?? ("finalized" as const),
  atLeast: atLeast ?? network.confirmations,
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
