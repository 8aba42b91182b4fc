import {
  type EndpointState,
  type EndpointWeakness,
  type Examination,
  examineEach,
} from "../examination.ts";
import type { Rpc } from "../rpc.ts";
import { openXrpEndpoints, type XrpEndpointsOptions } from "./endpoints.ts";
import { readLedgers } from "./ledgers.ts";
import { askXrp } from "./rpc.ts";
import { xrpWordsOf } from "./words.ts";

/** Seconds from 1970 to 2000, where the ledger's clock begins. */
const RIPPLE_EPOCH = 946_684_800;
/** The least number of ledgers that an endpoint must have: two hours, which a worker may be away for. */
const LEDGERS_MIN = 2_000n;

/** Asks each endpoint of the XRP Ledger alone, for the operator's check. */
export const examineXrpEndpoints = (options: XrpEndpointsOptions): Promise<Examination> =>
  examineEach(openXrpEndpoints(options), {
    state: readState,
    hashAt: async (rpc, height) => (await readLedgers(rpc, height, height))?.[0]?.hash ?? null,
    weaknesses: readWeaknesses,
  });

async function readState(rpc: Rpc): Promise<EndpointState> {
  const words = xrpWordsOf(rpc.name);
  const answer = (await askXrp(rpc, ["ledger", { ledger_index: "validated" }])) ?? {};
  const info = words.object((await askXrp(rpc, ["server_info", {}]))?.["info"]);
  const version = info["build_version"] ?? info["clio_version"];
  return {
    software: typeof version === "string" ? version.slice(0, 80) : "unnamed software",
    head: words.whole(answer["ledger_index"]),
    headAt: Number(words.whole(words.object(answer["ledger"])["close_time"])) + RIPPLE_EPOCH,
    finalAt: undefined,
    isCatchingUp: ["disconnected", "connected", "syncing"].includes(String(info["server_state"])),
  };
}

/** Without its last ledgers an endpoint cannot say what reached the account, or which transaction used a sequence. */
async function readWeaknesses(
  rpc: Rpc,
  { head }: EndpointState,
): Promise<readonly EndpointWeakness[]> {
  const first = head > LEDGERS_MIN ? head - LEDGERS_MIN + 1n : 1n;
  if ((await readLedgers(rpc, first, first)) !== undefined) return [];
  return [
    {
      found: `does not have ledger ${first}, ${head - first} below its newest`,
      fix: `Set online_delete and ledger_history of the server to ${LEDGERS_MIN} or more, or use another endpoint.`,
    },
  ];
}
