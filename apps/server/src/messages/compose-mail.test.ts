import { MAIL_KINDS, MAIL_LANGUAGES } from "@exchange/contract";
import { expect, test } from "vitest";
import { composeMail, type MailFacts } from "./compose-mail.ts";
import { MAIL_TEXTS } from "./mail-texts.ts";

const URL_OF_PAGE = "https://pay.example.com/o/AAAAAAAAAAEZ";
const euro = { id: 1, code: "EUR", kind: "fiat", decimals: 2 };
const bitcoin = { id: 1001, code: "BTC", kind: "crypto", decimals: 8 };
const CUSTOMER = "Ada Lovelace";
const facts = {
  view: {
    order: { id: 71234n, updatedAt: new Date("2026-11-23T12:00:00Z"), customer: CUSTOMER },
    quote: {
      spend: { asset: euro, units: 10_000n },
      receive: { asset: bitcoin, units: 121_000n },
    },
  },
  url: URL_OF_PAGE,
  shop: `Shop <b>"$&"</b>`,
  catalogue: { requireCurrency: (id: number) => (id === euro.id ? euro : bitcoin) },
} as unknown as MailFacts;

const eachMail = MAIL_LANGUAGES.flatMap((language) =>
  MAIL_KINDS.map((kind) => ({ language, kind })),
);

test("the languages are those of the contract", () => {
  expect(Object.keys(MAIL_TEXTS)).toEqual([...MAIL_LANGUAGES]);
});

test.each(eachMail)(
  "$kind in $language has the link, the merchant's name and no person",
  ({ language, kind }) => {
    const { subject, text, html = "" } = composeMail({ kind, language }, facts);
    expect(subject).toContain(facts.shop);
    expect(text).toContain(URL_OF_PAGE);
    expect(html).toContain(`href="${URL_OF_PAGE}"`);
    expect(html).toContain("Shop &lt;b&gt;&quot;$&amp;&quot;&lt;/b&gt;");
    expect(html).toContain(`lang="${language}" dir="${language === "ar" ? "rtl" : "ltr"}"`);
    expect(`${text}${html}`).not.toMatch(/\{|undefined|Lovelace/);
    expect(text.includes("71234")).toBe(kind === "receipt");
    // A mail loads nothing, so nobody learns that it was opened.
    expect(html).not.toMatch(/<img|<link|<script|src=|url\(|@import/);
  },
);

test("the texts differ between the languages", () => {
  const texts = eachMail.map((mail) => composeMail(mail, facts).text);
  expect(new Set(texts).size).toBe(eachMail.length);
});

test("a receipt has the exact amounts in the customer's numbers", () => {
  const { text } = composeMail({ kind: "receipt", language: "de" }, facts);
  expect(text).toContain("Sie haben gezahlt: 100,00\u00a0€");
  expect(text).toContain("Sie haben erhalten: 0,00121\u00a0BTC");
  expect(text).toContain("Datum: 23. November 2026");
});

test("a receipt does not round a currency whose cents are out of use", () => {
  const forint = { ...euro, code: "HUF" };
  const { view } = facts;
  const quote = { ...view.quote, spend: { asset: forint, units: 399_060n } };
  const inForint = {
    ...facts,
    view: { ...view, quote },
    catalogue: { requireCurrency: (id: number) => (id === forint.id ? forint : bitcoin) },
  } as unknown as MailFacts;
  const { text } = composeMail({ kind: "receipt", language: "en" }, inForint);
  expect(text).toContain("You paid: HUF\u00a03,990.60");
});
