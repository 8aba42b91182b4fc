import type { Order } from "../../domain/orders/order.ts";
import {
  keyOfSubject,
  type ScreeningRequest,
  type ScreeningSubject,
} from "../../domain/ports/screener.ts";
import { xrpAccountOf } from "../../domain/wallets/xrp-address.ts";
import { reviewedHits } from "../../storage/orders/timeline.ts";
import { personOf } from "../customers/personal-data.ts";
import type { Deps } from "../deps.ts";

type ScreenDeps = Pick<Deps, "screener" | "database">;

/** The parties and addresses of an order: its customer, and every place its money may go to. */
export function subjectsOf(
  deps: Pick<Deps, "dataKeys">,
  order: Order,
): readonly ScreeningSubject[] {
  const { walletAddress, networkCode, memo } = order;
  const { customer, payoutFields } = personOf(deps, order);
  const { firstName, lastName, countryCode } = customer;
  const holder = payoutFields["accountHolder"];
  return [
    {
      kind: "customer",
      ...(firstName === undefined ? {} : { firstName }),
      ...(lastName === undefined ? {} : { lastName }),
      ...(countryCode === undefined ? {} : { countryCode }),
    },
    ...(holder === undefined ? [] : [{ kind: "beneficiary", name: holder } as const]),
    ...(walletAddress === null
      ? []
      : [{ kind: "address", networkCode, address: walletAddress, memo } as const]),
    ...(order.refundAddress === null
      ? []
      : [
          {
            kind: "address",
            networkCode: null,
            address: order.refundAddress,
            memo: order.refundMemo,
          } as const,
        ]),
  ];
}

/**
 * Screens outside of any database transaction. Returns the names of the subjects that are on a list
 * and that no person has reviewed for this order. Without a screener there are none.
 */
export async function screen(
  deps: ScreenDeps,
  orderId: bigint,
  request: ScreeningRequest,
): Promise<readonly string[]> {
  const { before, subjects } = request;
  const hits = await deps.screener?.screen({ before, subjects: subjects.map(asListed) });
  if (!hits || hits.length === 0) return [];
  const reviewed = await reviewedHits(deps.database, orderId);
  return hits.map(keyOfSubject).filter((key) => !reviewed.has(key));
}

/**
 * Returns the subject as a list would write it. Invisible characters must not hide a name, and an
 * X-address must not hide the account and the tag that it encodes.
 */
function asListed(subject: ScreeningSubject): ScreeningSubject {
  switch (subject.kind) {
    case "customer": {
      const { firstName, lastName } = subject;
      return {
        ...subject,
        ...(firstName === undefined ? {} : { firstName: visible(firstName) }),
        ...(lastName === undefined ? {} : { lastName: visible(lastName) }),
      };
    }
    case "beneficiary":
      return { ...subject, name: visible(subject.name) };
    case "address":
      return { ...subject, ...xrpAccountOf(subject.address) };
  }
}

const visible = (name: string): string =>
  name
    .normalize("NFKC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
