import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Deps } from "../../flows/deps.ts";
import {
  authenticateMerchant,
  type MerchantCredentials,
} from "../../flows/merchants/authenticate.ts";
import { isSameText } from "../auth/same-text.ts";

type Directory = ReturnType<Deps["directory"]>;

/** What the last request of a connection proved, and by which merchants and keys. */
interface Proof extends Required<MerchantCredentials> {
  readonly apiKey: string;
  readonly clientId: string;
  readonly directory: Directory;
  readonly merchantId: string;
}

/** The id of the merchant whose credentials a request has, if they are right. */
export type MerchantOf = (request: IncomingMessage) => string | undefined;

/**
 * One for all doors, so that a connection has one proof. A connection that sends again what it has just
 * proved is believed until it closes or any merchant or key changes: then the key is checked anew. So a
 * key is remembered only where it arrives with each request, and compared only with what the same
 * connection sends.
 */
export function makeMerchantOf(deps: Pick<Deps, "environment" | "directory">): MerchantOf {
  const proofs = new WeakMap<Socket, Proof>();
  return ({ headers, socket }) => {
    const { "x-api-key": apiKey, "x-client-id": clientId } = headers;
    if (typeof apiKey !== "string" || typeof clientId !== "string") return undefined;
    const directory = deps.directory();
    const known = proofs.get(socket);
    if (
      known?.directory === directory &&
      known.clientId === clientId &&
      isSameText(known.apiKey, apiKey)
    ) {
      return known.merchantId;
    }
    const merchantId = authenticateMerchant(deps, { apiKey, clientId })?.id;
    if (merchantId === undefined) proofs.delete(socket);
    else proofs.set(socket, { apiKey, clientId, directory, merchantId });
    return merchantId;
  };
}
