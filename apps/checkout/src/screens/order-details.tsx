import { formatAmount } from "../amounts/format.ts";
import { named, t } from "../copy/later.ts";
import type { Ordered } from "../machine/state.ts";
import { LinkOutIcon } from "../ui/icons.tsx";
import { CopyRow } from "../ui/parts.tsx";
import { amountsOf, kindOn } from "../ui/words.ts";
import { Line } from "./price-lines.tsx";

/** The amounts, the destination and the references of an order. */
export function OrderDetails({ stage }: { readonly stage: Ordered }) {
  const { order, locale } = stage;
  const amounts = amountsOf(order.quote, order.operationType, locale);
  const { walletAddress, fields } = order.delivery;
  return (
    <dl class="lines">
      <Line label={t(`${order.operationType}.spend`)} value={amounts.spend} />
      <Line label={t(`${order.operationType}.receive`)} value={amounts.receive} />
      {walletAddress && (
        <div class="row row-tall">
          <dt>{t("status.to")}</dt>
          <dd>
            <span class="mono" dir="ltr">
              {walletAddress}
            </span>
          </dd>
        </div>
      )}
      {fields.filter(isKnownByCustomer).map(({ name, label, value }) => (
        <Line key={name} label={named(label)} value={value} />
      ))}
      <Reference stage={stage} />
      <Refunds stage={stage} />
      <CopyRow label={t("status.orderNumber")} value={String(order.orderId)} />
    </dl>
  );
}

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
