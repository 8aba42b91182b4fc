import type { CurrencyItem } from "@exchange/contract";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../copy/later.ts";
import type { Choosing } from "../machine/state.ts";
import { Coin } from "../ui/coin.tsx";
import { useDispatch } from "../ui/context.ts";
import { CheckIcon, ChevronIcon } from "../ui/icons.tsx";
import { SearchIcon } from "../ui/later-icons.tsx";
import { currencyName, networkName } from "../ui/network-words.ts";
import { Screen } from "../ui/screen.tsx";
import { useBack } from "./use-back.ts";

/** The number of coins drawn at once: more than a phone shows. The others follow after the first paint. */
const COINS_AT_ONCE = 10;

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
  const found = all.filter(
    (currency) => currency.id !== other.id && matches(currency, query, world.locale),
  );
  const codes = [...new Set(found.map(({ code }) => code))];
  const coins = codes.map((code) => found.filter((currency) => currency.code === code));
  const current = stage[picking];
  const pick = (currency: CurrencyItem): void => dispatch({ type: "currencyPicked", currency });
  return (
    <Screen
      title={t(`${world.operation}.${picking === "spend" ? "pickSpend" : "pickReceive"}`)}
      shop={world.session.merchant.name}
      onBack={useBack(stage)}
    >
      <SearchBox
        query={query}
        onQuery={setQuery}
        onSubmit={() => {
          const [only, ...more] = found;
          if (only && more.length === 0) pick(only);
        }}
      />
      <p class="visually-hidden" role="status">
        {query === "" ? "" : t("currency.results", { count: found.length })}
      </p>
      <div class="picker">
        {found.length === 0 ? (
          <p class="lead centred empty-list">{t("currency.none", { query })}</p>
        ) : (
          <ul class="options" onKeyDown={moveWithArrows}>
            {coins.slice(0, isWhole ? coins.length : COINS_AT_ONCE).map((items) => (
              <CoinOption
                key={`${items[0]?.code} ${query !== ""}`}
                items={items}
                locale={world.locale}
                current={current}
                open={query !== "" || items.some(({ id }) => id === current.id)}
                onPick={pick}
              />
            ))}
          </ul>
        )}
      </div>
    </Screen>
  );
}

interface SearchProps {
  readonly query: string;
  readonly onQuery: (query: string) => void;
  readonly onSubmit: () => void;
}

/** The search box, which has the focus at once where it brings no keyboard over the list. */
function SearchBox({ query, onQuery, onSubmit }: SearchProps) {
  const input = useRef<HTMLInputElement>(null);
  // This runs after the screen's layout effect, which focuses the heading.
  useEffect(() => {
    if (matchMedia("(hover: hover) and (pointer: fine)").matches) input.current?.focus();
  }, []);
  return (
    <form
      role="search"
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <label for="currency-search" class="visually-hidden">
        {t("currency.search")}
      </label>
      <SearchIcon />
      <input
        ref={input}
        id="currency-search"
        type="search"
        autoComplete="off"
        placeholder={t("currency.searchHint")}
        value={query}
        onInput={(event) => onQuery(event.currentTarget.value)}
      />
    </form>
  );
}

interface CoinProps {
  /** The coin on each of its networks. */
  readonly items: readonly CurrencyItem[];
  readonly locale: string;
  readonly current: CurrencyItem;
  /** Whether the networks are shown at first. */
  readonly open: boolean;
  readonly onPick: (currency: CurrencyItem) => void;
}

/** A currency, or a coin whose networks are the second choice. */
function CoinOption({ items, locale, current, open, onPick }: CoinProps) {
  const [expanded, setExpanded] = useState(open);
  const [first, ...more] = items;
  if (!first) return null;
  if (more.length === 0) {
    return (
      <li>
        <Option
          currency={first}
          name={currencyName(first, locale)}
          hint={first.networkName && t("currency.network", { network: first.networkName })}
          current={first.id === current.id}
          onPick={() => onPick(first)}
        />
      </li>
    );
  }
  const id = `networks-${first.code}`;
  return (
    <li>
      <button
        type="button"
        class="option"
        aria-expanded={expanded}
        aria-controls={expanded ? id : undefined}
        onClick={() => setExpanded(!expanded)}
      >
        <Coin code={first.code} />
        <span class="option-words">
          <span class="option-name">{plainName(first, locale)}</span>
          <span class="hint">{t("currency.networks", { count: items.length })}</span>
        </span>
        <span class="option-code">{first.code}</span>
        <ChevronIcon />
      </button>
      {expanded && (
        <ul class="networks" id={id}>
          {items.map((item) => (
            <li key={item.id}>
              <button
                type="button"
                class="option"
                aria-current={item.id === current.id ? "true" : undefined}
                onClick={() => onPick(item)}
              >
                <Coin code={item.code} network={item.networkCode} />
                <span class="option-words">{networkName(item)}</span>
                {item.id === current.id && <CheckIcon />}
              </button>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

interface OptionProps {
  readonly currency: CurrencyItem;
  readonly name: string;
  readonly hint: string | null | undefined;
  readonly current: boolean;
  readonly onPick: () => void;
}

const Option = ({ currency, name, hint, current, onPick }: OptionProps) => (
  <button type="button" class="option" aria-current={current ? "true" : undefined} onClick={onPick}>
    <Coin code={currency.code} network={currency.networkCode} />
    <span class="option-words">
      <span class="option-name">{name}</span>
      {hint && <span class="hint">{hint}</span>}
    </span>
    <span class="option-code">{currency.code}</span>
    {current && <CheckIcon />}
  </button>
);

/** The name of a coin without the network that the catalogue names in it. */
const plainName = (currency: CurrencyItem, locale: string): string =>
  currencyName(currency, locale).replace(` on ${currency.networkName}`, "");

const matches = (currency: CurrencyItem, query: string, locale: string): boolean => {
  const { code, description, networkName: network } = currency;
  const wanted = query.trim().toLowerCase();
  return [code, description, currencyName(currency, locale), network].some((text) =>
    text?.toLowerCase().includes(wanted),
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
