import type { CurrencyItem } from "@exchange/contract";
import { useEffect, useState } from "preact/hooks";
import { t } from "../copy/first.ts";
import type { Choosing } from "../machine/state.ts";
import { useDispatch } from "../ui/context.ts";
import { CheckIcon, SearchIcon } from "../ui/icons.tsx";
import { coinName } from "../ui/later-words.ts";
import { Coin } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";

/** The number of currencies drawn at once: more than a phone shows. The others follow after the first paint. */
const OPTIONS_AT_ONCE = 10;

/** The list of currencies for one side, with a search box. Back leaves the choice as it was. */
export function CurrencyScreen({ stage }: { readonly stage: Choosing }) {
  const dispatch = useDispatch("choosing");
  const [query, setQuery] = useState("");
  const [isWhole, setWhole] = useState(false);
  useEffect(() => setWhole(true), []);
  const { world, picking } = stage;
  const all = picking === "spend" ? world.spendCurrencies : world.receiveCurrencies;
  const other = stage[picking === "spend" ? "receive" : "spend"];
  // A currency cannot be exchanged for itself.
  const found = all.filter((currency) => currency.id !== other.id && matches(currency, query));
  const pick = (currency: CurrencyItem): void => dispatch({ type: "currencyPicked", currency });
  return (
    <Screen
      title={t(`${world.operation}.${picking === "spend" ? "pickSpend" : "pickReceive"}`)}
      shop={world.session.merchant.name}
      onBack={() => dispatch({ type: "wentBack" })}
    >
      <form
        role="search"
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          const [only, ...more] = found;
          if (only && more.length === 0) pick(only);
        }}
      >
        <label for="currency-search" class="visually-hidden">
          {t("currency.search")}
        </label>
        <SearchIcon />
        <input
          id="currency-search"
          type="search"
          autoComplete="off"
          placeholder={t("currency.searchHint")}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
      </form>
      <p class="visually-hidden" role="status">
        {query === "" ? "" : t("currency.results", { count: found.length })}
      </p>
      {found.length === 0 ? (
        <p class="lead centred empty-list">{t("currency.none", { query })}</p>
      ) : (
        <ul class="options" onKeyDown={moveWithArrows}>
          {found.slice(0, isWhole ? found.length : OPTIONS_AT_ONCE).map((currency) => (
            <li key={currency.id}>
              <CurrencyOption
                currency={currency}
                current={currency.id === stage[picking].id}
                onPick={() => pick(currency)}
              />
            </li>
          ))}
        </ul>
      )}
    </Screen>
  );
}

interface OptionProps {
  readonly currency: CurrencyItem;
  readonly current: boolean;
  readonly onPick: () => void;
}

const CurrencyOption = ({ currency, current, onPick }: OptionProps) => (
  <button type="button" class="option" aria-current={current ? "true" : undefined} onClick={onPick}>
    <Coin code={currency.code} />
    <span class="option-words">
      <span class="option-name">{coinName(currency)}</span>
      {currency.networkName && (
        <span class="hint">{t("currency.network", { network: currency.networkName })}</span>
      )}
    </span>
    <span class="option-code">{currency.code}</span>
    {current && <CheckIcon />}
  </button>
);

const matches = (currency: CurrencyItem, query: string): boolean => {
  const wanted = query.trim().toLowerCase();
  return [currency.code, currency.description, currency.shortName, currency.networkName].some(
    (text) => text?.toLowerCase().includes(wanted),
  );
};

/** Moves through the list with the up and down arrows, as well as with Tab. */
function moveWithArrows(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return;
  const buttons = [...event.currentTarget.querySelectorAll("button")];
  const index = buttons.findIndex((button) => button === document.activeElement);
  const next = buttons[index + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
