import { type Static, Type } from "@sinclair/typebox";
import { OrderStatus, STATUS_REASONS } from "./orders.ts";
import { literals, named, nullable, Uuid } from "./schema.ts";

export const AdvanceClockRequest = named(
  "AdvanceClockRequest",
  Type.Object(
    {
      advanceSeconds: Type.Integer({
        minimum: 1,
        maximum: 31_536_000,
        description: "how far the clock jumps; it never goes back",
      }),
    },
    { additionalProperties: false },
  ),
);
export type AdvanceClockRequest = Static<typeof AdvanceClockRequest>;

export const SandboxClock = named(
  "SandboxClock",
  Type.Object({
    businessTime: Type.Integer({ description: "Unix seconds, after the jump" }),
    aheadSeconds: Type.Integer({
      description: "total of all jumps: how far the clock is ahead of real time",
    }),
  }),
);
export type SandboxClock = Static<typeof SandboxClock>;

/** Body of `POST /sandbox/deposits`: pays an order, or advances the payment `depositId`. */
export const SandboxDepositRequest = named(
  "SandboxDepositRequest",
  Type.Object(
    {
      orderId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      amount: Type.Optional(
        Type.Number({
          exclusiveMinimum: 0,
          description: "by default exactly what the order still lacks",
        }),
      ),
      currency: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: "another currency of the same network, or another fiat currency, by mistake",
        }),
      ),
      confirmations: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 10_000,
          description:
            "by default final; the number never grows by itself. A bank transfer is in flight with 0 and settled with more",
        }),
      ),
      returns: Type.Optional(
        literals(["accepted", "rejected"], {
          description: "what the sender's bank does when the transfer is returned",
        }),
      ),
      depositId: Type.Optional(Uuid("advances this deposit instead of paying")),
      state: Type.Optional(
        literals(["rejected", "orphaned"], {
          description: "with depositId: a bank rejects the transfer, a chain drops its block",
        }),
      ),
    },
    { additionalProperties: false },
  ),
);
export type SandboxDepositRequest = Static<typeof SandboxDepositRequest>;

/** Money on its way to an order, as its bank or chain sees it. */
export const SandboxDeposit = named(
  "SandboxDeposit",
  Type.Object({
    depositId: Type.String(),
    orderId: Type.Integer(),
    amount: Type.Number(),
    currencyCode: Type.String(),
    currencyReference: Type.String(),
    state: literals(["mempool", "in_block", "orphaned", "in_flight", "settled", "rejected"]),
    confirmations: Type.Integer(),
    transactionHash: nullable(Type.String({ description: "null for a bank transfer" })),
  }),
);
export type SandboxDeposit = Static<typeof SandboxDeposit>;

/** Body of `POST /sandbox/orders/{orderId}/advance`. */
export const AdvanceOrderRequest = named(
  "AdvanceOrderRequest",
  Type.Object(
    {
      status: OrderStatus,
      statusReason: Type.Optional(
        literals([...STATUS_REASONS, "screening_hit"], {
          description: "`screening_hit` is the operator's word for `compliance`",
        }),
      ),
    },
    { additionalProperties: false },
  ),
);
export type AdvanceOrderRequest = Static<typeof AdvanceOrderRequest>;

/** Body of `POST /checkout/orders/{orderId}/simulate_payment`. */
export const SimulatePaymentRequest = named(
  "SimulatePaymentRequest",
  Type.Object(
    {
      payment: literals(["exact", "less", "more", "late"], {
        description:
          "`exact`: what the order still lacks; `less`: half of it; `more`: the order's amount beyond it; `late`: after the payment window, so the clock of the whole sandbox moves",
      }),
    },
    { additionalProperties: false },
  ),
);
export type SimulatePaymentRequest = Static<typeof SimulatePaymentRequest>;
