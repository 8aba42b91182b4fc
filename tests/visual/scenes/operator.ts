import { ok, session } from "../answers.ts";
import type { Answers } from "../checkout.ts";
import { bankOrder, coinOrder } from "../orders.ts";
import { EUR_FOR_BTC, type Scene, see, seePrice, toReview, withOrder } from "./scene.ts";

/** An operator with everything set. Its name is also an attempt to pass markup. */
export const OPERATOR = {
  name: "Example Pay & Söhne <b>Ltd</b>",
  licence: "MSB registration M12345678, FINTRAC",
  termsUrl: "https://pay.example.com/terms",
  privacyUrl: "https://pay.example.com/privacy",
  helpUrl: "mailto:help@example.com",
  riskNotice:
    "Prices of coins can fall as well as rise. You may lose all of the money that you spend.",
} as const;

export const orderWithOperator: Answers = {
  ...withOrder(bankOrder()),
  "GET /session": () =>
    ok(session({ operator: OPERATOR, orderId: bankOrder().orderId, status: "expired" })),
};

export const withOperator: Answers = { "GET /session": () => ok(session({ operator: OPERATOR })) };

const reviewed = coinOrder({ status: "in_review", statusReason: "compliance" });
export const reviewedByOperator: Answers = {
  ...withOrder(reviewed),
  "GET /session": () =>
    ok(
      session({
        operator: OPERATOR,
        orderId: reviewed.orderId,
        status: "expired",
        lock: { operationType: reviewed.operationType },
      }),
    ),
};

/** The operator's name, licence, terms, help and risk notice. */
export const OPERATED: readonly Scene[] = [
  {
    name: "operator",
    answers: withOperator,
    options: EUR_FOR_BTC,
    async play({ page, shoot }) {
      await seePrice(page);
      await shoot("operator-amount");
      await toReview(page);
      await shoot("operator-review");
    },
  },
  {
    name: "operator-page",
    by: "page",
    answers: orderWithOperator,
    async play({ page, shootState }) {
      await see(page, ".pay-lines");
      await shootState("operator-page");
    },
  },
  {
    name: "operator-order",
    answers: reviewedByOperator,
    async play({ page, shoot }) {
      await see(page, ".outcome");
      await shoot("operator-order");
    },
  },
];
