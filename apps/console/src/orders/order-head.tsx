import type { OrderStory } from "@exchange/contract/admin";
import { linkTo } from "../route.ts";
import { say, sayAmount, sayList, sayTime, sayWord } from "../say.ts";
import { Facts, Status } from "../ui/parts.tsx";

/** The order with its price, and its customer. */
export function Head({ story }: { readonly story: OrderStory }) {
  const { price } = story;
  const isZero = ({ amount }: { readonly amount: string }) => /^[0.]+$/.test(amount);
  return (
    <div class="columns">
      <section class="card">
        <p>
          <Status word={story.status} reason={story.statusReason} />
        </p>
        <p class="large">
          {say("order.summary", {
            operation: sayWord("operation", story.operation),
            spend: sayAmount(story.spend),
            receive: sayAmount(story.receive),
          })}
        </p>
        <Facts
          facts={[
            [say("order.received"), story.received && sayAmount(story.received)],
            [say("order.paid_by"), story.paymentMethod],
            [say("order.delivered_by"), story.deliveryMethod],
            [say("order.to"), story.walletAddress && <code>{story.walletAddress}</code>],
            [
              say("order.refunds_to"),
              story.refundAddress && (
                <Address address={story.refundAddress} memo={story.refundMemo} />
              ),
            ],
            [
              say("order.asked_refunds_to"),
              story.requestedRefundAddress && (
                <Address address={story.requestedRefundAddress} memo={story.requestedRefundMemo} />
              ),
            ],
            [say("order.approved_by"), sayList(story.requestedRefundApprovedBy)],
            [say("orders.placed"), sayTime(story.createdAt)],
            [say("order.rate"), `${price.rate} (${price.rateSource})`],
            [say("order.spread"), isZero(price.spread) ? null : sayAmount(price.spread)],
            [
              say("order.fee"),
              isZero(price.transactionFee) ? null : sayAmount(price.transactionFee),
            ],
            [
              say("order.delivery_fee"),
              isZero(price.deliveryFee) ? null : sayAmount(price.deliveryFee),
            ],
          ]}
        />
      </section>
      <Customer story={story} />
    </div>
  );
}

/** An address of a customer with its memo or tag. */
export function Address(props: { readonly address: string | null; readonly memo: string | null }) {
  return (
    <>
      <code>{props.address}</code>
      {props.memo && ` ${say("order.with_memo", { memo: props.memo })}`}
    </>
  );
}

function Customer({ story }: { readonly story: OrderStory }) {
  const { customer } = story;
  return (
    <section class="card">
      <h2>{say("order.customer")}</h2>
      {customer === null ? (
        <p class="muted">{say("order.customer_hidden")}</p>
      ) : (
        <Facts
          facts={[
            [say("order.name"), customer.name],
            [
              say("sign_in.email"),
              customer.email && (
                <a href={linkTo("orders", { find: customer.email })}>{customer.email}</a>
              ),
            ],
            [say("order.reference"), customer.reference],
            [say("order.country"), customer.countryCode],
            ...customer.payoutFields.map(({ name, value }) => [name, value] as const),
          ]}
        />
      )}
      <Facts
        facts={[
          [say("orders.merchant"), `${story.merchantName} (${story.merchantId})`],
          [say("order.session"), <code key="session">{story.sessionId}</code>],
        ]}
      />
      {story.breaks.map((text) => (
        <p key={text} class="notice danger">
          {text}
        </p>
      ))}
    </section>
  );
}
