import { insertMail, type MailKind } from "../../storage/mails/mails.ts";
import { mailAddressDigest, sealMailAddress } from "../customers/personal-data.ts";
import type { Deps } from "../deps.ts";
import { type OrderKey, readOrder } from "../orders/read.ts";
import { Refusal } from "../refusal.ts";

const DAY_MS = 86_400_000;
/** Requests of one order in a day, whatever their address. */
export const REQUESTS_OF_ORDER_MAX = 10;
/** Requests to one address in a day, of all orders. More of them are accepted and ignored. */
export const REQUESTS_TO_ADDRESS_MAX = 20;

export interface RequestMails extends OrderKey {
  readonly email: string;
  readonly kinds: readonly MailKind[];
  readonly language: string;
}

type RequestDeps = Pick<Deps, "database" | "dataKeys" | "rateCounters" | "offersMail">;

/**
 * Stores the mails that the customer of an order asks for. The answer is the same for every address: it does not say
 * whether somebody has the address, or whether it gets other mails.
 *
 * Refuses NOT_FOUND, PROVIDER_UNAVAILABLE without a mail server, INVALID_ORDER_STATE after the page was revoked, and
 * RATE_LIMITED.
 */
export async function requestMails(deps: RequestDeps, command: RequestMails): Promise<void> {
  if (!deps.offersMail) {
    throw new Refusal("PROVIDER_UNAVAILABLE", { message: "This service does not send mail." });
  }
  const { order, isPageRevoked } = await readOrder(deps, command);
  if (isPageRevoked || order.dataKey === null) {
    throw new Refusal("INVALID_ORDER_STATE", { message: "The page of this order was closed." });
  }
  const { email, kinds, language } = command;
  const addressDigest = mailAddressDigest(deps, email);
  if (!(await isWithinLimits(deps, order.id, addressDigest))) return;
  for (const kind of kinds) {
    const key = { merchantId: order.merchantId, orderId: order.id, kind, addressDigest };
    const address = sealMailAddress(deps, order, { kind, address: email });
    await insertMail(deps.database, { ...key, address, language });
  }
}

/**
 * Refuses an order with too many requests. Its refused requests do not count against the address, which may be another
 * person's. Returns false for an address with too many: its answer must not say so.
 */
async function isWithinLimits(
  { rateCounters }: RequestDeps,
  orderId: bigint,
  addressDigest: Uint8Array,
): Promise<boolean> {
  const count = async (limit: string, key: string) => {
    const [window] = await rateCounters.add([{ amount: 1, windowMs: DAY_MS, limit, key }]);
    return window ?? { count: 0, endsInMs: DAY_MS };
  };
  const ofOrder = await count("mails_of_order", String(orderId));
  if (ofOrder.count > REQUESTS_OF_ORDER_MAX) {
    throw new Refusal("RATE_LIMITED", {
      message: "Mails of this order were requested too often. Try again tomorrow.",
      extra: { retryAfterSeconds: Math.ceil(ofOrder.endsInMs / 1_000) },
    });
  }
  const address = Buffer.from(addressDigest).toString("base64url");
  return (await count("mails_to_address", address)).count <= REQUESTS_TO_ADDRESS_MAX;
}
