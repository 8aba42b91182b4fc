import type { ComponentChildren } from "preact";
import { formatAmount } from "../amounts/format.ts";
import { named, t } from "../copy/later.ts";
import type { Ordered } from "../machine/state.ts";
import { sendsCrypto } from "../machine/steps.ts";
import { CopyRow } from "../ui/copy-row.tsx";
import { Digits, Quads } from "../ui/digits.tsx";
import { LinkOutIcon } from "../ui/later-icons.tsx";
import { kindOn } from "../ui/words.ts";
import { lacksRest } from "./coverage.ts";
import { openPrice } from "./new-price.tsx";
import { Line } from "./price-lines.tsx";

/** The amounts and the destination of an order, in the tense of its outcome. */
export function OrderAmounts({ stage }: { readonly stage: Ordered }) {
  const { order, locale } = stage;
  const { quote, operationType, delivery } = order;
  const { spend, receive } = labelsOf(order);
  const tense = tenseOf(order);
  const isDelivered = tense === "open" || tense === "done";
  return (
    <dl class="lines">
      <Sum label={spend} isVoid={tense === "void"}>
        <bdi>{formatAmount(quote.spend, kindOn(operationType, "spend"), locale)}</bdi>
      </Sum>
      {!openPrice(stage) && (
        <Sum label={receive} isVoid={!isDelivered}>
          <Digits amount={quote.receive} kind={kindOn(operationType, "receive")} locale={locale} />
        </Sum>
      )}
      {isDelivered && delivery.walletAddress && (
        <div class="row row-tall">
          <dt>{t("status.to")}</dt>
          <dd>
            <Quads value={delivery.walletAddress} />
          </dd>
        </div>
      )}
      {isDelivered && delivery.memo && <Line label={t("crypto.memo")} value={delivery.memo} />}
      {isDelivered &&
        delivery.fields
          .filter(isKnownByCustomer)
          .map(({ name, label, value }) => <Line key={name} label={named(label)} value={value} />)}
    </dl>
  );
}

interface SumProps {
  readonly label: string;
  /** The money did not move. */
  readonly isVoid: boolean;
  readonly children: ComponentChildren;
}

const Sum = ({ label, isVoid, children }: SumProps) => (
  <div class="row">
    <dt>{label}</dt>
    <dd>{isVoid ? <s>{children}</s> : children}</dd>
  </div>
);

/** Whether the amounts still move, moved, went back, or never moved. */
function tenseOf({ status }: Ordered["order"]): "open" | "done" | "returned" | "void" {
  switch (status) {
    case "completed":
      return "done";
    case "refund_pending":
    case "refunded":
      return "returned";
    case "failed":
    case "expired":
    case "cancelled":
      return "void";
    default:
      return "open";
  }
}

function labelsOf(order: Ordered["order"]): { readonly spend: string; readonly receive: string } {
  const { operationType } = order;
  // A part of its money is missing, or a person decides about it.
  const isUncertain = order.status === "in_review" || lacksRest(order);
  const past = t(sendsCrypto(operationType) ? "details.sent" : "details.paid");
  switch (tenseOf(order)) {
    case "open":
      return {
        spend: t(`${operationType}.spend`),
        receive: t(isUncertain ? "price.ordered" : `${operationType}.receive`),
      };
    case "done":
      return {
        spend: past,
        receive: t(operationType === "FF" ? "details.recipientGot" : "details.got"),
      };
    case "returned":
      return {
        spend: wasPaidExactly(order) ? past : t("details.amount"),
        receive: t("details.notDelivered"),
      };
    case "void":
      return { spend: t("details.notPaid"), receive: t("details.notDelivered") };
  }
}

const wasPaidExactly = ({ statusReason }: Ordered["order"]): boolean =>
  statusReason !== "underpaid" && statusReason !== "overpaid" && statusReason !== "wrong_asset";

/** The proofs of an order: its number, its payout and its refunds. */
export const OrderReferences = ({ stage }: { readonly stage: Ordered }) => (
  <dl class="lines">
    <Reference stage={stage} />
    <Refunds stage={stage} />
    <CopyRow label={t("status.orderNumber")} value={String(stage.order.orderId)} />
  </dl>
);

/** A card token is the processor's id of a card. Customers never see it. */
const isKnownByCustomer = ({ name }: { readonly name: string }): boolean => name !== "cardToken";

/** The proof of the payout: a transaction id, a bank reference or a pickup code. */
function Reference({ stage }: { readonly stage: Ordered }) {
  const { type, transactionHash, explorerUrl, reference } = stage.order.delivery;
  const isPickup = type === "cash_pickup";
  return (
    <>
      {transactionHash && (
        <CopyRow label={t("status.transaction")} value={transactionHash}>
          <ExplorerLink url={explorerUrl} />
        </CopyRow>
      )}
      {reference && (
        <CopyRow
          label={t(isPickup ? "status.pickupCode" : "status.payoutReference")}
          value={reference}
        >
          {isPickup && <span class="hint">{t("status.pickupHint")}</span>}
        </CopyRow>
      )}
    </>
  );
}

/** The pending and completed refunds. */
function Refunds({ stage }: { readonly stage: Ordered }) {
  const { order, locale } = stage;
  const kind = kindOn(order.operationType, "spend");
  return (
    <>
      {order.refunds.map((refund, index) =>
        refund.transactionHash ? (
          <CopyRow
            key={index}
            label={t("status.sentBack.amount", { amount: formatAmount(refund, kind, locale) })}
            value={refund.transactionHash}
          >
            <ExplorerLink url={refund.explorerUrl} />
          </CopyRow>
        ) : (
          <Line
            key={index}
            label={t("status.sentBack")}
            value={formatAmount(refund, kind, locale)}
          />
        ),
      )}
    </>
  );
}

function ExplorerLink({ url }: { readonly url: string | null }) {
  if (!url || !/^https?:\/\//.test(url)) return null;
  return (
    <a class="link link-target" href={url} target="_blank" rel="noopener noreferrer">
      {t("status.explorer")}
      <LinkOutIcon />
    </a>
  );
}
