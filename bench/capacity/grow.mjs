import { simulate } from "./simulate.mjs";

/**
 * Costs of a card order in milliseconds. The processor times are those of docs/internals/performance.md, measured at 80 orders a
 * second with payout limits set: 6.4 ms of Node and 8 ms of PostgreSQL. The answers of the outside are assumed.
 */
export const COSTS = {
  apiMs: 1.1,
  workerMs: 5.3,
  postgresMs: 8,
  flushMs: 1,
  /** A turn at the payout limits: a dozen statements, one after another, and the commit. */
  turnMs: 6,
  payoutsOfTurn: 64,
  jobsOfWorker: 512,
  webhooksOfEndpoint: 4,
  authorizeMs: 1_000,
  captureMs: 500,
  broadcastMs: 300,
  endpointMs: 100,
};

/** One machine of four cores, as a first installation has it. */
export const SMALL = {
  apiCores: 1,
  workerCores: 1,
  workers: 1,
  postgresCores: 2,
  databases: 1,
  networks: 1,
  endpoints: 10,
};

/** More of one database than this is not had, because its commits and its processor are on one machine. */
const CORES_OF_DATABASE = 16;

/** Returns what is added when a resource is used up, and the words for it. */
const REMEDIES = {
  api: (setup) => [{ apiCores: setup.apiCores + 1 }, "an API process with a core"],
  worker: (setup) => [
    { workerCores: setup.workerCores + 1, workers: setup.workers + 1 },
    "a worker with a core",
  ],
  jobs: (setup) => [
    { workerCores: setup.workerCores + 1, workers: setup.workers + 1 },
    "a worker with a core, for its 512 jobs",
  ],
  postgres: (setup) =>
    setup.postgresCores / setup.databases < CORES_OF_DATABASE
      ? [{ postgresCores: setup.postgresCores + setup.databases }, "a core for each PostgreSQL"]
      : [shard(setup), "a second shard of merchants"],
  disk: (setup) => [shard(setup), "a second shard of merchants"],
  turns: (setup) => [shard(setup), "a second shard of merchants"],
  places: (setup) => [{ networks: setup.networks * 2 }, "twice as many networks, or hot wallets"],
  endpoints: (setup) => [{ endpoints: setup.endpoints * 2 }, "twice as many merchants' endpoints"],
};

const shard = ({ databases, postgresCores }) => ({
  databases: databases + 1,
  postgresCores: (postgresCores / databases) * (databases + 1),
});

const STEPS_MAX = 60;

/** Adds to the resource that breaks first until the rate holds. Yields each setup with what broke. */
export function* growUntil({ perSecond, seconds, setup: first = SMALL, costs = COSTS }) {
  let setup = first;
  for (let step = 0; step < STEPS_MAX; step++) {
    const { p99, holds, uses } = simulate({ setup, costs, perSecond, seconds });
    if (holds) return yield { setup, p99 };
    const breaksAt = uses.reduce((most, each) => (each.busy > most.busy ? each : most)).name;
    const [added, change] = REMEDIES[breaksAt](setup);
    yield { setup, p99, breaksAt, change };
    setup = { ...setup, ...added };
  }
  throw new Error(`the rate does not hold after ${STEPS_MAX} steps`);
}
