import { pgbench, socketOf } from "../floors/pgbench.mjs";
import { load } from "../load.mjs";
import { cpuMsOf, cpuMsOfFamily, withCpuOf } from "../processes.mjs";

/** One insert of a row like a session's, in a transaction of its own. */
const INSERT = `\\set id random(1, 9000000000000000)
insert into bench_sessions (merchant_id, session_id, token_jti, scope, lock)
  values ('client_dev_bench', :id || '-' || random(), gen_random_uuid(), array['order.create'], '{}');`;

const TABLE = `create table if not exists bench_sessions (merchant_id text, session_id text,
  token_jti uuid, scope text[], lock jsonb, created_at timestamptz default now(),
  primary key (merchant_id, session_id));`;

/** Token creation, durable before the answer, against pgbench that inserts such a row. */
const tokenRow = ({ name, target, connections, clients }) => ({
  name,
  target,
  floor: `pgbench inserting such a row, ${clients} clients`,
  prepare: async (service) => {
    const headers = { ...service.headers, "content-type": "application/json" };
    const url = `${service.url}/public_token/create`;
    const body = JSON.stringify({ sessionId: "{uuid}" });
    const { dataDir } = service;
    const { pid } = await socketOf(dataDir);
    const databaseMs = () => cpuMsOfFamily(pid);
    const serviceMs = async () => (await cpuMsOf(service.pid)) + (await databaseMs());
    const measure = (seconds, perSecond) =>
      withCpuOf(serviceMs, () =>
        load({ url, method: "POST", headers, body, connections, seconds, perSecond }),
      );
    await pgbench({ dataDir, script: TABLE, clients: 1, seconds: 1 });
    return {
      floor: (seconds) =>
        withCpuOf(databaseMs, () => pgbench({ dataDir, script: INSERT, clients, seconds })),
      service: measure,
      paced: measure,
      stop: () => {},
    };
  },
});

export const rows = [
  tokenRow({
    name: "POST public_token/create, 64 clients",
    target: 0.8,
    connections: 64,
    clients: 32,
  }),
  tokenRow({ name: "POST public_token/create, 1 client", target: 0.5, connections: 1, clients: 1 }),
];
