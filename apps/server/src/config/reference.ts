import { SETTINGS, type Setting } from "./settings.ts";

const HEAD = `# Configuration

Every setting is an environment variable, read once at start. A bad value, or a variable that begins
with \`EXCHANGE_\` and is not listed here, stops the start; all of them are reported at once. No secret
has a default. This page is made from \`apps/server/src/config/settings.ts\`.

| Variable | Default | Meaning |
|---|---|---|
`;

/** The text of docs/reference/configuration.md. */
export function describeSettings(): string {
  const rows = Object.values(SETTINGS).map(
    (one: Setting<unknown>) => `| \`${one.name}\` | ${defaultWords(one)} | ${one.description} |`,
  );
  return `${HEAD}${rows.join("\n")}\n`;
}

function defaultWords(one: Setting<unknown>): string {
  if (one.defaultWords !== undefined) return one.defaultWords;
  if (one.default === undefined || one.default === "") return "none";
  if (typeof one.default === "string") return `\`${one.default}\``;
  const { dev, staging, prod } = one.default;
  if (staging === prod) return `\`${dev}\` in \`dev\`, else \`${prod}\``;
  return `\`${dev}\` in \`dev\`, \`${staging}\` in \`staging\`, \`${prod}\` in \`prod\``;
}
