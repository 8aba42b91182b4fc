import { readFile } from "node:fs/promises";
import { childrenOf } from "../processes.mjs";

const BLOCK_BYTES = 8_192;
/** Who reads for a request: the connections, and the processes that read ahead for them. */
const READERS = /\[local\]|io worker/;

/**
 * What PostgreSQL has read so far from outside its own buffers: `blocks` from the system, and the bytes of
 * them that were in no cache, so the disk was read. Undefined where there is no /proc.
 */
export async function outsideReadsOf(postmasterPid) {
  const each = await Promise.all((await childrenOf(postmasterPid)).map(readsOf));
  const known = each.filter(Boolean);
  if (known.length === 0) return undefined;
  const sum = (name) => known.reduce((total, reads) => total + reads[name], 0);
  return { blocks: sum("rchar") / BLOCK_BYTES, diskBytes: sum("read_bytes") };
}

async function readsOf(pid) {
  const [title, counts] = await Promise.all(
    ["cmdline", "io"].map((name) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "")),
  );
  if (counts === "" || !READERS.test(title)) return undefined;
  return Object.fromEntries(
    counts.split("\n").map((line) => {
      const [name, value] = line.split(": ");
      return [name, Number(value)];
    }),
  );
}

/** Of `count` calls each, between two of `outsideReadsOf`. */
export function outsideReadsBetween(before, after, count) {
  if (before === undefined || after === undefined) return {};
  const perCall = (name) => Math.max(0, after[name] - before[name]) / count;
  return { blocksRead: perCall("blocks"), diskKb: perCall("diskBytes") / 1_000 };
}
