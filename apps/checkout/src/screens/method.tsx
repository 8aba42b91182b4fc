import type { PaymentMethodItem } from "@exchange/contract";
import { daysOf } from "../amounts/moment.ts";
import { named, t } from "../copy/later.ts";
import { locksOf } from "../machine/locks.ts";
import type { Choosing } from "../machine/state.ts";
import { kindOfMethod } from "../machine/steps.ts";
import { methodsFor } from "../machine/ways.ts";
import { ALL_BRANDS, CardMarks } from "../ui/card-marks.tsx";
import { useDispatch } from "../ui/context.ts";
import { LockIcon } from "../ui/icons.tsx";
import { BankIcon, CardIcon } from "../ui/later-icons.tsx";
import { compareMethods } from "./alternatives.ts";
import { Choice, ChoiceForm } from "./choice-form.tsx";

/** The choice of a payment method, each with what it brings. It is shown even if there is only one. */
export const MethodScreen = ({ stage }: { readonly stage: Choosing }) => (
  <ChoiceForm stage={stage} title={t("method.title")} legend={t("method.legend")}>
    <MethodChoices stage={stage} />
  </ChoiceForm>
);

/** The payment methods. A locked one is the only one. */
export function MethodChoices({ stage }: { readonly stage: Choosing }) {
  const dispatch = useDispatch("choosing");
  const { world } = stage;
  const locked = locksOf(world.session).method;
  const methods = locked ? [stage.method] : methodsFor(stage);
  const compared = compareMethods(stage, (each) => each.paymentMethodId, methods);
  return (
    <>
      {methods.map((method) => (
        <Choice
          key={method.id}
          group="method"
          name={named(method.name)}
          hints={[
            isCard(method) ? <CardMarks brands={ALL_BRANDS} words={t("method.card")} /> : undefined,
            timeOf(method, world.locale),
            !isCard(method) && method.id === stage.method.id
              ? t("method.bank", { count: windowDays(method) })
              : undefined,
            locked ? t("setBy", { shop: world.session.merchant.name }) : undefined,
          ]}
          result={compared.resultOf(method.id)}
          checked={method.id === stage.method.id}
          icon={locked ? <LockIcon /> : isCard(method) ? <CardIcon /> : <BankIcon />}
          onPick={() => dispatch({ type: "methodPicked", method })}
        />
      ))}
    </>
  );
}

const isCard = (method: PaymentMethodItem): boolean => kindOfMethod(method) === "card";

/** Returns the days in which a payment must arrive. */
const windowDays = ({ paymentWindowSeconds }: PaymentMethodItem): number =>
  Math.floor(paymentWindowSeconds / 86_400);

/** Returns the time that a payment or a payout takes to arrive, if the service knows it. */
export function timeOf(
  { time }: Pick<PaymentMethodItem, "time">,
  locale: string,
  soon: "delivery.soon" | "method.soon" = "method.soon",
): string | undefined {
  if (!time) return undefined;
  if (time.maxDays === 0) return t(soon);
  const days = daysOf(time, locale);
  return days && t(`delivery.${days.kind}`, days);
}
