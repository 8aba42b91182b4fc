import type { Quote } from "../../domain/quotes/quote.ts";
import { Refusal } from "../refusal.ts";

/** The quote ran out before an order took it. The answer carries a fresh one for the same exchange. */
export class QuoteExpired extends Refusal {
  readonly quote: Quote;

  constructor(quote: Quote) {
    super("QUOTE_EXPIRED");
    this.quote = quote;
  }
}
