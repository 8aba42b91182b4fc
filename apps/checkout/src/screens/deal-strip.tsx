import { t } from "../copy/first.ts";
import { lacksPrice } from "../machine/reduce-placement.ts";
import type { Choosing } from "../machine/state.ts";
import { isFixed } from "../machine/steps.ts";
import { ArrowIcon } from "../ui/later-icons.tsx";
import { amountsOf } from "../ui/words.ts";

/** Both amounts in one line, on the screens after the amount. It names the shop that fixed them. Until the first price arrives, a placeholder is there. */
export function DealStrip({ stage }: { readonly stage: Choosing }) {
  const { world, quote } = stage;
  const isLoading = quote.status === "loading";
  if (!quote.quote || lacksPrice(stage)) return isLoading && <div class="bone bone-field" />;
  const amounts = amountsOf(quote.quote, world.operation, world.locale);
  return (
    <>
      <dl class="deal">
        <div>
          <dt>{t(`${world.operation}.spend`)}</dt>
          <dd>
            <bdi key={amounts.spend} class="roll">
              {amounts.spend}
            </bdi>
          </dd>
        </div>
        <ArrowIcon />
        <div>
          <dt>{t(`${world.operation}.receive`)}</dt>
          <dd aria-busy={isLoading}>
            <bdi key={amounts.receive} class="roll">
              {amounts.receive}
            </bdi>
          </dd>
        </div>
      </dl>
      {isFixed(world) && <p class="hint">{t("setBy", { shop: world.session.merchant.name })}</p>}
    </>
  );
}
