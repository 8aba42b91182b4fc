import type { MerchantCall } from "./document.ts";
import { byResource } from "./write-calls.ts";

/** Returns the documentation's table of methods and their endpoints. */
export function writeTable(calls: readonly MerchantCall[]): string {
  const rows = [...byResource(calls).values()].flat().map(({ resource, method, call }) => {
    const { endpoint, params, query, body, cursor } = call;
    const input = body ? ["request"] : query ? ["query"] : [];
    const args = [...params.map(({ name }) => name), ...input].join(", ");
    const notes = [cursor && "pages", endpoint.sandboxOnly && "sandbox only"].filter(Boolean);
    const where = `${endpoint.method} ${endpoint.path}`;
    return `| \`${resource}.${method}(${args})\` | \`${where}\` | ${notes.join(", ")} |\n`;
  });
  return `| Method | Endpoint | |\n|---|---|---|\n${rows.join("")}`;
}
