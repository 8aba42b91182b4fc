import { say, sayCoins, sayWord } from "../say.ts";

/** An amount in a table, with the code of its currency. A zero is muted, and an unknown amount is a dash. */
export const Coins = (props: { readonly amount: string | null; readonly currency: string }) => (
  <span
    class={`amount coins ${props.amount === null ? "none" : props.amount === "0" ? "muted" : ""}`}
  >
    {props.amount === null ? "–" : sayCoins(props.amount, props.currency)}
  </span>
);

/** The meaning of figures, above the figures. */
export const Terms = (props: {
  readonly terms: readonly (readonly [name: string, meaning: string])[];
}) => (
  <dl class="terms">
    {props.terms.map(([name, meaning]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{meaning}</dd>
      </div>
    ))}
  </dl>
);

/** The meaning of the account whose balance is owed to customers. */
export const OwedTerm = () => (
  <Terms terms={[[sayWord("books", "customer_payable"), say("ledger.owed_text")]]} />
);
