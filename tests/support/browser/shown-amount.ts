/** An exact amount as the console shows it in English: digits in groups, and money with its cents. */
export function shownAmount(amount = "", currency = ""): string {
  const code = (currency.split("-")[0] ?? "").toUpperCase();
  const [whole = "", decimals = ""] = amount.split(".");
  const cents = ["EUR", "GBP", "CAD", "USD"].includes(code) ? decimals.padEnd(2, "0") : decimals;
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${grouped}${cents && `.${cents}`} ${code}`;
}
