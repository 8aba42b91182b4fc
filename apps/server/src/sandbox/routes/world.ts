import { ENDPOINTS } from "@exchange/contract";
import { money } from "@exchange/money";
import { presentOrder } from "../../http/orders/present.ts";
import type { Register } from "../../http/registrar.ts";
import { ok, presentMoney } from "../../http/wire.ts";
import type { SandboxDeps } from "../deps.ts";
import { advanceOrder } from "../world/advance-order.ts";
import { type PaidDeposit, payDeposit } from "../world/pay-deposit.ts";

/** Registers the endpoints that simulate the outside world: incoming money and an order's next status. */
export function registerSandboxWorld(register: Register, deps: SandboxDeps): void {
  register(ENDPOINTS.paySandboxDeposit, async ({ caller, body }) => {
    const key = { merchantId: caller.merchant.id, orderId: BigInt(body.orderId) };
    return ok(presentDeposit(await payDeposit(deps, { ...key, request: body })));
  });
  register(ENDPOINTS.advanceSandboxOrder, async ({ caller, params, body }) => {
    const key = { merchantId: caller.merchant.id, orderId: BigInt(params.orderId) };
    const target = { status: body.status, reason: body.statusReason };
    return ok(presentOrder(await advanceOrder(deps, { ...key, target }), deps.catalogue()));
  });
}

const presentDeposit = ({ orderId, deposit, currency }: PaidDeposit) => ({
  depositId: deposit.id,
  orderId: Number(orderId),
  amount: presentMoney(money(currency, deposit.units)),
  currencyCode: currency.code,
  currencyReference: currency.reference,
  state: deposit.state,
  confirmations: deposit.confirmations,
  transactionHash: deposit.transactionHash,
});
