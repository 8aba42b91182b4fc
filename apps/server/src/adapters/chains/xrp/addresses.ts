import { randomInt } from "node:crypto";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { DepositAccount } from "../../../domain/ports/chain-reader.ts";
import { joinTag, tagOfIndex } from "../../../domain/wallets/tagged-address.ts";
import { xrpAccountId } from "../../../domain/wallets/xrp-address.ts";

const FINGERPRINT_BYTES = 4;
const INDEXES = 2 ** 31;

/** The account that takes the deposits of all orders, which differ by their tags. Throws for an address of another form. */
export function readXrpDepositAccount(address: string): DepositAccount {
  const id = xrpAccountId(address);
  return {
    fingerprint: bytesToHex(id.subarray(0, FINGERPRINT_BYTES)),
    // Everybody may pay every tag. A drop at the tag of an order would hold it for a person, so nobody can guess tags.
    newIndex: () => randomInt(INDEXES),
    addressAt: (index) => joinTag({ address, memo: tagOfIndex(index) }),
  };
}
