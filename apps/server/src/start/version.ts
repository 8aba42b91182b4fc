import { readFileSync } from "node:fs";

/** Returns the version of the service. A release has one version, which is written in this manifest. */
export function readVersion(): string {
  const path = new URL("../../package.json", import.meta.url);
  return String(JSON.parse(readFileSync(path, "utf8")).version);
}
