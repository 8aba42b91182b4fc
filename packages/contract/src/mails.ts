import { type Static, Type } from "@sinclair/typebox";
import { BROWSER_ERRORS, type Endpoint } from "./endpoint.ts";
import { okEnvelope } from "./envelopes.ts";
import { OrderIdParams } from "./orders.ts";
import { literals, matching, named } from "./schema.ts";

/** The languages of mails to customers. The checkout has the same ones. */
export const MAIL_LANGUAGES = ["en", "de", "fr", "es", "pt-BR", "it", "tr", "ar"] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

/** `link`: the address of the order's page, now. `receipt`: once the order is completed. */
export const MAIL_KINDS = ["link", "receipt"] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

const LOCAL_PART = '[^@\\s<>(),;:"\\\\\\[\\]\\u0000-\\u001f\\u007f]{1,64}';
const DOMAIN =
  '[^@\\s<>(),;:"\\\\\\[\\]\\u0000-\\u001f\\u007f.]+(\\.[^@\\s<>(),;:"\\\\\\[\\]\\u0000-\\u001f\\u007f.]+)+';

/** One address alone. A text with a name, a list or a comment is not one. */
export const MAIL_ADDRESS_PATTERN = `^${LOCAL_PART}@${DOMAIN}$`;

/** Body of `POST /checkout/orders/{orderId}/mails`. */
export const MailRequest = named(
  "MailRequest",
  Type.Object(
    {
      email: matching(MAIL_ADDRESS_PATTERN, "an e-mail address", { minLength: 5, maxLength: 254 }),
      kinds: Type.Array(literals(MAIL_KINDS), {
        minItems: 1,
        maxItems: MAIL_KINDS.length,
        uniqueItems: true,
        description:
          "`link`: the address of the order's page, at once; `receipt`: a receipt once the order is completed",
      }),
      language: literals(MAIL_LANGUAGES, { description: "the language of the mail" }),
    },
    { additionalProperties: false },
  ),
);
export type MailRequest = Static<typeof MailRequest>;

export const MailsAccepted = named(
  "MailsAccepted",
  Type.Object({
    accepted: Type.Literal(true, {
      description: "the same for every address, whether or not a mail can be delivered to it",
    }),
  }),
);

export const MAIL_ENDPOINTS = {
  mailOrder: {
    operationId: "mailOrder",
    method: "POST",
    path: "/checkout/orders/{orderId}/mails",
    tag: "Checkout",
    summary: "Mail the order's page or its receipt",
    description:
      "Stores mails to an address of the customer, which are sent soon. One mail of a kind goes to an address once. An order takes ten requests in a day. Refused where the service sends no mail (`offersMail` of the session).",
    caller: "browser",
    scope: "order.create",
    onOrderPage: true,
    params: OrderIdParams,
    body: MailRequest,
    success: { status: 200, schema: okEnvelope(MailsAccepted) },
    errors: BROWSER_ERRORS,
  },
} as const satisfies Record<string, Endpoint>;
