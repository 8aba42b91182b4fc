import { readFileSync } from "node:fs";

const INTERVAL_MS = 300;

/**
 * `npm start` runs npm → sh → node. When npm alone is killed its children live on unseen, so a
 * service that npm started ends when npm, or the shell between, is gone.
 */
export function watchParents(orphaned: () => void): void {
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const before = readParents();
  const timer = setInterval(() => {
    if (readParents() === before) return;
    clearInterval(timer);
    orphaned();
  }, INTERVAL_MS);
  timer.unref();
}

/** Our parent, and the shell's parent when our parent is a shell; never npm's own parent. */
function readParents(): string {
  const parent = process.ppid;
  try {
    const stat = readFileSync(`/proc/${parent}/stat`, "utf8");
    const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    const grandparent = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
    return /^(?:npm|node)/.test(name) ? `${parent}` : `${parent} ${grandparent}`;
  } catch {
    return `${parent}`; // Not Linux: the parent alone must do.
  }
}
