import { expect, test } from "vitest";
import { readPaymentLink } from "./payment-link.ts";

const EVM = "0xde709f2102306220921060314715629080e2fb77";
const XRP = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh";

// The links are those of the service's own test of `paymentUri`.
test.each([
  ["bitcoin:1A1z?amount=0.00123456", "1A1z", undefined],
  ["bitcoincash:qq?amount=1", "qq", undefined],
  [`ethereum:${EVM}@1?value=500000000000000000`, EVM, undefined],
  [
    `ethereum:0x55d398326f99059fF775485246999027B3197955@56/transfer?address=${EVM}&uint256=1000000000000000000`,
    EVM,
    undefined,
  ],
  ["solana:9xQe?amount=2.5", "9xQe", undefined],
  [`ripple:${XRP}?amount=12.5&dt=100000`, XRP, "100000"],
  ["TXyz", "TXyz", undefined],
])("the link %s has the customer's address and tag", (link, address, memo) => {
  expect(readPaymentLink(link)).toEqual({ address, memo });
});

test.each([
  [` ${EVM}\n`, EVM, undefined],
  [`ethereum:pay-${EVM}`, EVM, undefined],
  [`${XRP}?memo=7`, XRP, "7"],
  // Refused as an address. Its parts would be no better.
  ["https://shop.example/", "https://shop.example/", undefined],
  [`ethereum:${EVM}@1/approve?uint256=1`, `ethereum:${EVM}@1/approve?uint256=1`, undefined],
])("the text %j is read as the address %s", (text, address, memo) => {
  expect(readPaymentLink(text)).toEqual({ address, memo });
});
