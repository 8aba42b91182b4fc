import type { CurrencyItem } from "@exchange/contract";
import { formatCount } from "@exchange/ui/messages";
import { t } from "../copy/first.ts";
import { spokenLocale } from "../copy/speech.ts";
import { Coin } from "../ui/coin.tsx";
import { describedBy, FieldError } from "../ui/field.tsx";
import { ChevronIcon, LockIcon } from "../ui/icons.tsx";

interface MoneyFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** The number is being recalculated. The old one stays, dimmed. */
  readonly stale: boolean;
  readonly readOnly: boolean;
  readonly lockedBy: string | undefined;
  readonly hint: string | undefined;
  readonly error: string | undefined;
  readonly currency: CurrencyItem;
  readonly currencyLocked: boolean;
  readonly onValue: (text: string) => void;
  readonly onBlur: () => void;
  readonly onCurrency: () => void;
}

/** Longer amounts are set in smaller type, above the first length on narrow screens only. */
const MID_AMOUNT = 8;
const LONG_AMOUNT = 11;

/** An amount and its currency: a large field with the currency's button beside it. */
export function MoneyField(props: MoneyFieldProps) {
  const { id, label, value, error, currency } = props;
  const hint = props.lockedBy ? t("setBy", { shop: props.lockedBy }) : props.hint;
  const size =
    value.length > LONG_AMOUNT ? "money-long" : value.length > MID_AMOUNT ? "money-mid" : "";
  return (
    <div class={error ? "money money-wrong" : "money"}>
      <label for={id}>{label}</label>
      <div class="money-row">
        <input
          {...describedBy({ id, hint, error })}
          class={`money-input ${size}`}
          type="text"
          inputMode="decimal"
          autoComplete="off"
          placeholder={formatCount(0, spokenLocale())}
          aria-busy={props.stale}
          readOnly={props.readOnly}
          value={value}
          onInput={(event) => props.onValue(event.currentTarget.value)}
          onBlur={props.onBlur}
        />
        <CurrencyButton {...props} />
      </div>
      <div class="money-under">
        {error ? (
          <FieldError id={id} error={error} />
        ) : (
          hint && (
            <p class="hint" id={`${id}-hint`}>
              {hint}
            </p>
          )
        )}
        {currency.type === "C" && !error && currency.networkName && (
          <p class="hint">{t("amount.network", { network: currency.networkName })}</p>
        )}
      </div>
    </div>
  );
}

function CurrencyButton({ currency, currencyLocked, label, onCurrency }: MoneyFieldProps) {
  if (currencyLocked) {
    return (
      <span class="pill pill-locked">
        <Coin code={currency.code} network={currency.networkCode} />
        {currency.code}
        <LockIcon />
      </span>
    );
  }
  return (
    <button
      type="button"
      class="pill"
      aria-label={t("amount.change", { code: currency.code, label })}
      onClick={onCurrency}
    >
      <Coin code={currency.code} network={currency.networkCode} />
      {currency.code}
      <ChevronIcon />
    </button>
  );
}
