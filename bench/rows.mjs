import { rows as orderReads } from "./rows/order-reads.mjs";
import { rows as orders } from "./rows/orders.mjs";
import { rows as quotes } from "./rows/quotes.mjs";
import { rows as reads } from "./rows/reads.mjs";
import { rows as tokens } from "./rows/tokens.mjs";
import { rows as webhooks } from "./rows/webhooks.mjs";

/** Every row in the order it is measured; `measure.mjs` says what a row is. */
export const ROWS = [...reads, ...quotes, ...tokens, ...orderReads, ...orders, ...webhooks];
