import { formatDecimal, type Money, normalize, toDecimal } from "@exchange/money";
import type { Catalogue } from "../domain/catalogue/catalogue.ts";
import type { OrderView } from "../domain/orders/view.ts";
import type { Mail } from "../domain/ports/mailer.ts";
import type { NewMail } from "../storage/mails/mails.ts";
import { MAIL_TEXTS, type MailTexts } from "./mail-texts.ts";

export interface MailFacts {
  readonly view: Pick<OrderView, "order" | "quote">;
  /** The address of the order's page. */
  readonly url: string;
  /** The merchant's name. */
  readonly shop: string;
  readonly catalogue: Pick<Catalogue, "requireCurrency">;
}

type Content = Pick<Mail, "subject" | "text" | "html">;
type Row = readonly [label: string, value: string];

/**
 * Returns a mail in its customer's language. It has no personal data besides the link. A receipt has the order's
 * number and amounts.
 */
export function composeMail(
  { kind, language }: Pick<NewMail, "kind" | "language">,
  facts: MailFacts,
): Content {
  const texts = textsOf(language);
  const { title, text, button } = texts[kind];
  const { url, shop } = facts;
  const subject = title.replace("{shop}", () => shop);
  const rows = kind === "receipt" ? rowsOf(facts, language) : [];
  const { careful, why } = texts;
  return layOutMail({ language, subject, text, rows, button, url, careful, why });
}

/** Returns a mail as text and as simple HTML that loads nothing. */
export function layOutMail(page: MailPage): Content {
  const { subject, text, rows, button, url, careful, why } = page;
  const lines = rows.map(([label, value]) => `${label}: ${value}`);
  const parts = [
    subject,
    text,
    ...(lines.length > 0 ? [lines.join("\n")] : []),
    `${button}:\n${url}`,
  ];
  return {
    subject,
    text: `${[...parts, careful, why].join("\n\n")}\n`,
    html: htmlOf(page),
  };
}

/** The database has languages of later versions after a downgrade. */
const textsOf = (language: string): MailTexts =>
  MAIL_TEXTS[language as keyof typeof MAIL_TEXTS] ?? MAIL_TEXTS.en;

function rowsOf({ view, catalogue }: MailFacts, language: string): Row[] {
  const { order, quote } = view;
  const { number, date, paid, got } = textsOf(language).receipt;
  const amountOf = (amount: Money): string => formatMoney(amount, { catalogue, language });
  return [
    [number, String(order.id)],
    [
      date,
      new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" }).format(
        order.updatedAt,
      ),
    ],
    [paid, amountOf(quote.spend)],
    [got, amountOf(quote.receive)],
  ];
}

function formatMoney(
  amount: Money,
  { catalogue, language }: Pick<MailFacts, "catalogue"> & { readonly language: string },
): string {
  const { kind, code } = catalogue.requireCurrency(amount.asset.id);
  const exact = formatDecimal(normalize(toDecimal(amount))) as `${number}`;
  if (kind === "fiat") {
    // Without them Intl rounds currencies whose cents are out of use, such as HUF.
    const decimals = amount.asset.decimals;
    return new Intl.NumberFormat(language, {
      style: "currency",
      currency: code,
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    }).format(exact);
  }
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 18 }).format(exact);
  return `${number}\u00a0${code}`;
}

export interface MailPage {
  readonly language: string;
  readonly subject: string;
  readonly text: string;
  readonly rows: readonly Row[];
  readonly button: string;
  readonly url: string;
  readonly careful: string;
  readonly why: string;
}

/** One column without pictures, style sheets or anything else to load. */
function htmlOf(page: MailPage): string {
  const [language, subject, text, button, url, careful, why] = [
    page.language,
    page.subject,
    page.text,
    page.button,
    page.url,
    page.careful,
    page.why,
  ].map(escapeHtml);
  const direction = page.language === "ar" ? "rtl" : "ltr";
  const rows = page.rows.map(
    ([label, value]) =>
      `<tr><td style="padding:4px 0;color:#555">${escapeHtml(label)}</td>` +
      `<td style="padding:4px 0;text-align:end"><bdi>${escapeHtml(value)}</bdi></td></tr>`,
  );
  const table =
    rows.length === 0
      ? ""
      : `<table role="presentation" style="width:100%;border-collapse:collapse">${rows.join("")}</table>`;
  return `<!doctype html>
<html lang="${language}" dir="${direction}">
<head><meta charset="utf-8"><title>${subject}</title></head>
<body style="margin:0;padding:24px 16px;font:16px/1.5 system-ui,sans-serif;color:#1a1a1a;background:#fff">
<main style="max-width:480px;margin:0 auto">
<h1 style="font-size:20px;line-height:1.3">${subject}</h1>
<p>${text}</p>
${table}
<p style="margin:24px 0"><a href="${url}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#1a1a1a;color:#fff;text-decoration:none">${button}</a></p>
<p style="word-break:break-all"><a href="${url}" dir="ltr" style="color:#1a1a1a">${url}</a></p>
<p style="color:#555;font-size:14px">${careful}</p>
<p style="color:#555;font-size:14px">${why}</p>
</main>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);
