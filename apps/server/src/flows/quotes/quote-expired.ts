import type { Quote } from "../../domain/quotes/quote.ts";
import { Refusal } from "../refusal.ts";

/**
 * The quote expired before an order used it. The answer carries a new one for the same exchange.
 */
export class QuoteExpired extends Refusal {
  readonly quote: Quote;

  constructor(quote: Quote) {
    super("QUOTE_EXPIRED");
    this.quote = quote;
  }
}
