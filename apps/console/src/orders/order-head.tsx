import type { OrderStory } from "@exchange/contract/admin";
import { sayWait } from "../payouts/waits.ts";
import { linkTo, type ScreenProps } from "../route.ts";
import { countryName, say, sayAmount, sayField, sayList, sayTime, sayWord } from "../say.ts";
import { Status } from "../ui/status.tsx";
import { Facts } from "../ui/table.tsx";
import { reviewerWords } from "./reviews.tsx";

/** The facts that a person must know before deciding: a break, the cause for which a payout waits, and who has the order. */
export function Notices({ story, may }: Pick<ScreenProps, "may"> & { readonly story: OrderStory }) {
  const { orderId, reviewer } = story;
  const payoutsOfOrder = { which: "under_way", orderId: String(orderId) };
  // A stop also concerns a payout that was sent, but that payout does not wait.
  const causes = story.payouts
    .filter(({ state }) => state === "created")
    .flatMap(({ wait, waitsFor, stops }) =>
      waitsFor === null || wait?.code === "stop"
        ? stops.map((reason) =>
            say("waits.because", { cause: sayWord("wait", "stop"), detail: reason }),
          )
        : sayWait(wait, waitsFor),
    );
  return (
    <>
      {story.openBreaks.map(({ check, problem }) => (
        <p key={`${check} ${problem}`} class="notice danger">
          {say("order.break", {
            problem: say("waits.because", { cause: sayWord("check", check), detail: problem }),
          })}
          {may("treasury.read") && (
            <a class="button" href={linkTo("treasury")}>
              {say("treasury.breaks")}
            </a>
          )}
        </p>
      ))}
      {causes.length > 0 && (
        <p class="notice">
          {say("order.payout_waits", { why: causes.join("; ") })}
          {may("payouts.read") && (
            <a class="button" href={linkTo("payouts", payoutsOfOrder)}>
              {say("order.to_payout")}
            </a>
          )}
        </p>
      )}
      {reviewer && (
        <p class="notice">
          {say("order.reviewer", { who: reviewerWords(reviewer), time: sayTime(reviewer.at) })}
        </p>
      )}
    </>
  );
}

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
            [say("order.rate"), rateText(story)],
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

/** "1 EUR = 0.0000121 BTC", and the source of the price. */
function rateText({ price, spend, receive }: OrderStory): string {
  const unit = sayAmount({ amount: "1", currency: spend.currency });
  const rate = sayAmount({ amount: price.rate, currency: receive.currency });
  return `${unit} = ${rate} (${price.rateSource})`;
}

/** The account that the customer is paid to, as far as the service shows it. */
function PayoutAccount(props: {
  readonly fields: NonNullable<OrderStory["customer"]>["payoutFields"];
}) {
  if (props.fields.length === 0) return null;
  return (
    <>
      <h3>{say("order.payout_account")}</h3>
      <Facts
        facts={props.fields.map(({ name, value }) => [
          sayField(name),
          <bdi key={name}>{value}</bdi>,
        ])}
      />
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
        <>
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
              [say("order.country"), customer.countryCode && countryName(customer.countryCode)],
            ]}
          />
          <PayoutAccount fields={customer.payoutFields} />
        </>
      )}
      <Facts
        facts={[
          [say("orders.merchant"), `${story.merchantName} (${story.merchantId})`],
          [say("order.session"), <code key="session">{story.sessionId}</code>],
        ]}
      />
    </section>
  );
}
