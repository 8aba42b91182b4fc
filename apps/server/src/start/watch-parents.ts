import { readFileSync } from "node:fs";

const INTERVAL_MS = 300;

/**
 * `npm start` runs npm → sh → node. When only npm is killed, its children continue unseen. A service that
 * npm started therefore stops when npm or the shell between them has ended.
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

/** Returns our parent, and the shell's parent when our parent is a shell. Never npm's own parent. */
function readParents(): string {
  const parent = process.ppid;
  try {
    const stat = readFileSync(`/proc/${parent}/stat`, "utf8");
    const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    const grandparent = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
    return /^(?:npm|node)/.test(name) ? `${parent}` : `${parent} ${grandparent}`;
  } catch {
    return `${parent}`; // Other systems than Linux: the parent alone.
  }
}
