import type { PaymentMethodItem } from "@exchange/contract";
import { named, t } from "../copy/later.ts";
import { locksOf } from "../machine/locks.ts";
import type { Choosing } from "../machine/state.ts";
import { kindOfMethod } from "../machine/steps.ts";
import { methodsFor } from "../machine/ways.ts";
import { useDispatch } from "../ui/context.ts";
import { BankIcon, CardIcon, LockIcon } from "../ui/icons.tsx";
import { Choice, ChoiceForm } from "./choice-form.tsx";

/** The days that a rate is held for a bank transfer. */
const TRANSFER_DAYS = 3;

/** The choice of a payment method. It is shown even if there is only one. */
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
  return (
    <>
      {methods.map((method) => (
        <Choice
          key={method.id}
          group="method"
          name={named(method.name)}
          hints={[
            isCard(method) ? t("method.card") : t("method.bank", { count: TRANSFER_DAYS }),
            locked ? t("setBy", { shop: world.session.merchant.name }) : undefined,
          ]}
          checked={method.id === stage.method.id}
          icon={locked ? <LockIcon /> : isCard(method) ? <CardIcon /> : <BankIcon />}
          onPick={() => dispatch({ type: "methodPicked", method })}
        />
      ))}
    </>
  );
}

const isCard = (method: PaymentMethodItem): boolean => kindOfMethod(method) === "card";
