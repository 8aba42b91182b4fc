import { formatAmount } from "../amounts/format.ts";
import { operationCopy } from "../copy/operations.ts";
import { orders } from "../copy/orders.ts";
import type { Ordered } from "../machine/state.ts";
import { LinkOutIcon } from "../ui/icons.tsx";
import { CopyRow } from "../ui/parts.tsx";
import { amountsOf, kindOn } from "../ui/words.ts";
import { Line } from "./price-lines.tsx";

const words = orders.status;

/** What the order is for, where it goes, and the names others know it by. */
export function OrderDetails({ stage }: { readonly stage: Ordered }) {
  const { order, locale } = stage;
  const amounts = amountsOf(order.quote, order.operationType, locale);
  const { walletAddress, fields } = order.delivery;
  const copy = operationCopy(order.operationType);
  return (
    <dl class="lines">
      <Line label={copy.spendLabel} value={amounts.spend} />
      <Line label={copy.receiveLabel} value={amounts.receive} />
      {walletAddress && (
        <div class="row row-tall">
          <dt>{words.to}</dt>
          <dd class="mono" dir="ltr">
            {walletAddress}
          </dd>
        </div>
      )}
      {fields.filter(isKnownByCustomer).map(({ name, label, value }) => (
        <Line key={name} label={label} value={value} />
      ))}
      <Reference stage={stage} />
      <Refunds stage={stage} />
      <CopyRow label={words.orderNumber} value={String(order.orderId)} />
    </dl>
  );
}

/** A card's token is the processor's name for it: no customer ever saw it. */
const isKnownByCustomer = ({ name }: { readonly name: string }): boolean => name !== "cardToken";

/** What proves the payout: a transaction, a bank's reference, or the code for the counter. */
function Reference({ stage }: { readonly stage: Ordered }) {
  const { type, transactionHash, explorerUrl, reference } = stage.order.delivery;
  const isPickup = type === "cash_pickup";
  return (
    <>
      {transactionHash && (
        <CopyRow label={words.transaction} value={transactionHash}>
          <ExplorerLink url={explorerUrl} />
        </CopyRow>
      )}
      {reference && (
        <CopyRow label={isPickup ? words.pickupCode : words.payoutReference} value={reference}>
          {isPickup && <span class="hint">{words.pickupHint}</span>}
        </CopyRow>
      )}
    </>
  );
}

/** What goes or went back. */
function Refunds({ stage }: { readonly stage: Ordered }) {
  const { order, locale } = stage;
  const kind = kindOn(order.operationType, "spend");
  return (
    <>
      {order.refunds.map((refund, index) =>
        refund.transactionHash ? (
          <CopyRow
            key={index}
            label={`${words.refundOf}: ${formatAmount(refund, kind, locale)}`}
            value={refund.transactionHash}
          >
            <ExplorerLink url={refund.explorerUrl} />
          </CopyRow>
        ) : (
          <Line key={index} label={words.refundOf} value={formatAmount(refund, kind, locale)} />
        ),
      )}
    </>
  );
}

function ExplorerLink({ url }: { readonly url: string | null }) {
  if (!url || !/^https?:\/\//.test(url)) return null;
  return (
    <a class="link link-target" href={url} target="_blank" rel="noopener noreferrer">
      {words.explorer}
      <LinkOutIcon />
    </a>
  );
}
