/**
 * A line of CSV (RFC 4180), its end included: fields with a comma, a quote or a line end are quoted,
 * and quotes in them doubled.
 */
export const csvLine = (fields: readonly string[]): string =>
  `${fields.map(csvField).join(",")}\r\n`;

const csvField = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
