import type { CustomerKey } from "../../domain/customers/personal-data.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { addressKey } from "../../domain/wallets/address-key.ts";
import type { CustomerDigests } from "../../storage/customers/customers.ts";
import type { Queryable } from "../../storage/postgres/database.ts";
import { findWalletByAddress, type StoredWallet } from "../../storage/wallets/wallets.ts";
import type { Deps } from "../deps.ts";
import { emailMark, referenceMark } from "./personal-data.ts";

/** The digests under every secret key, because data is found by the key that was current when it came. */
export function digestsOfCustomer(
  { dataKeys }: Pick<Deps, "dataKeys">,
  customer: CustomerKey,
): CustomerDigests {
  const { merchantId } = customer;
  return "reference" in customer
    ? {
        merchantId,
        references: dataKeys.digests(referenceMark(merchantId, customer.reference)),
        emails: [],
      }
    : {
        merchantId,
        references: [],
        emails: dataKeys.digests(emailMark(merchantId, customer.email)),
      };
}

/** Finds the wallets that the merchant saved with an address of one of these orders. */
export async function walletsOfOrders(
  deps: Pick<Deps, "catalogue"> & { readonly database: Queryable },
  views: readonly OrderView[],
): Promise<StoredWallet[]> {
  const found = new Map<bigint, StoredWallet>();
  for (const { order } of views) {
    const { merchantId, walletAddress, receiveAssetId, refundAddress, spendAssetId } = order;
    const places = [
      { address: walletAddress, currencyId: receiveAssetId },
      { address: refundAddress, currencyId: spendAssetId },
    ];
    for (const { address, currencyId } of places) {
      const { networkCode } = deps.catalogue().requireCurrency(currencyId);
      const network = networkCode === null ? undefined : deps.catalogue().network(networkCode);
      if (address === null || !network) continue;
      const key = addressKey(network.addressFormat, address);
      const where = { merchantId, currencyId, addressKey: key };
      const wallet = await findWalletByAddress(deps.database, where);
      if (wallet) found.set(wallet.id, wallet);
    }
  }
  return [...found.values()];
}
