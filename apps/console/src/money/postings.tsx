import type { LedgerEntry } from "@exchange/contract/admin";
import { sayAmount, sayWord } from "../say.ts";

/** The postings of one entry of the ledger. */
export const Postings = ({ postings }: Pick<LedgerEntry, "postings">) => (
  <ul>
    {postings.map(({ account, amount }) => (
      <li key={`${account} ${amount.amount}`}>
        {sayWord("books", account)}: {sayAmount(amount)}
      </li>
    ))}
  </ul>
);
