/**
 * Orders in virtual time: each passes the stages of a card order, and every stage uses resources with a number of places.
 * Nothing is random but the arrivals, whose seed is fixed, so the same setup has the same result everywhere.
 *
 * @typedef {object} Setup What there is.
 * @property {number} apiCores @property {number} workerCores @property {number} workers
 * @property {number} postgresCores @property {number} databases @property {number} networks @property {number} endpoints
 */

/** Orders slower than this, from placement to the last webhook, are taken for a queue that grows. */
export const SLOW_SECONDS = 5;
/** A resource that is used more has no room for a bad minute. */
const BUSY_MAX = 0.95;

/** Returns how a setup performs at this rate of orders. */
export function simulate({ setup, costs, perSecond, seconds }) {
  const clock = makeClock();
  const resources = makeResources(clock, setup, costs);
  const random = makeRandom(1);
  const latencies = [];
  const orders = Math.round(perSecond * seconds);
  let at = 0;
  for (let order = 0; order < orders; order++) {
    at += (-Math.log(1 - random()) * 1_000) / perSecond;
    const choice = random();
    const placedAt = at;
    clock.at(placedAt, () =>
      runOrder(clock, resources, { costs, choice }, () => latencies.push(clock.now() - placedAt)),
    );
  }
  clock.run((seconds + 2 * SLOW_SECONDS) * 1_000);
  latencies.sort((a, b) => a - b);
  const ended = latencies.length / orders;
  const p99 =
    ended > 0.99 ? latencies[Math.floor(orders * 0.99)] / 1_000 : Number.POSITIVE_INFINITY;
  const uses = Object.entries(resources).map(([name, each]) => ({
    name,
    ...each.use(seconds * 1_000),
  }));
  const isBusy = uses.some(({ busy }) => busy > BUSY_MAX);
  return { p99, holds: p99 < SLOW_SECONDS && !isBusy, uses };
}

/** Runs one order through its stages. Each stage begins when the one before has ended. */
function runOrder(clock, resources, { costs, choice }, onEnd) {
  const { api, worker, postgres, disk, jobs, turns, places, endpoints } = resources;
  const write = (share, then) =>
    postgres.use(costs.postgresMs * share, () => disk.use(costs.flushMs, then, choice), choice);
  const request = (share, then) =>
    api.use(costs.apiMs * share, () => write(share * API_SHARE, then));
  const job = (share, railMs, then) =>
    jobs.hold((free) =>
      clock.after(railMs, () =>
        worker.use(costs.workerMs * share, () =>
          write(share * WORKER_SHARE, () => {
            free();
            then();
          }),
        ),
      ),
    );
  const payOut = (then) =>
    turns.use(
      costs.turnMs,
      () => places.use(costs.flushMs, () => job(0.25, costs.broadcastMs, then), choice),
      choice,
    );
  // A delivery whose endpoint is busy waits in the database and takes no place of a worker.
  const webhook = (then) =>
    endpoints.use(
      costs.endpointMs,
      () => worker.use(costs.workerMs * 0.125, () => write(0.125 * WORKER_SHARE, then)),
      choice,
    );
  // Token, quote and order, and then the payment.
  request(0.75, () => {
    webhook(() => {});
    request(0.25, () =>
      job(0.2, costs.authorizeMs, () =>
        job(0.15, costs.captureMs, () => job(0.15, 0, () => payOut(() => webhook(onEnd)))),
      ),
    );
  });
}

/** The parts of PostgreSQL's work that requests and that workers cause. */
const [API_SHARE, WORKER_SHARE] = [0.4, 0.6];

function makeResources(clock, setup, costs) {
  const { apiCores, workerCores, workers, postgresCores, databases, networks, endpoints } = setup;
  const servers = (count, places) => makeMany(count, () => makeServer(clock, places));
  const batches = (count, itemsMax) => makeMany(count, () => makeBatch(clock, itemsMax));
  return {
    api: servers(1, apiCores),
    worker: servers(1, workerCores),
    postgres: servers(databases, postgresCores / databases),
    disk: batches(databases, Number.POSITIVE_INFINITY),
    jobs: servers(1, workers * costs.jobsOfWorker),
    turns: batches(databases, costs.payoutsOfTurn),
    places: servers(networks, 1),
    endpoints: servers(endpoints, costs.webhooksOfEndpoint),
  };
}

/** Several equal resources. An order uses the one of its merchant, its network or its shard. */
function makeMany(count, make) {
  const all = Array.from({ length: count }, make);
  const of = (choice) => all[Math.floor((choice ?? 0) * count)];
  return {
    use: (...args) =>
      args.length === 1
        ? { busy: Math.max(...all.map((each) => each.busy(args[0]))) }
        : of(args[2]).use(args[0], args[1]),
    hold: (work) => all[0].hold(work),
  };
}

/** A resource with places. A task that finds none free waits in turn. */
function makeServer(clock, places) {
  const waiting = [];
  let [taken, head, busyMs, heldAt] = [0, 0, 0, 0];
  const count = (change) => {
    busyMs += taken * (clock.now() - heldAt);
    heldAt = clock.now();
    taken += change;
  };
  const free = () => {
    count(-1);
    if (head === waiting.length) return;
    count(1);
    const next = waiting[head++];
    if (head > 10_000) {
      waiting.splice(0, head);
      head = 0;
    }
    next(free);
  };
  const hold = (work) => {
    if (taken >= places) return waiting.push(work);
    count(1);
    work(free);
  };
  return {
    hold,
    use: (ms, then) =>
      hold((done) =>
        clock.after(ms, () => {
          done();
          then();
        }),
      ),
    busy: (ms) => {
      count(0);
      return Math.min(1, busyMs / (ms * places));
    },
  };
}

/** A resource that serves all who wait together, up to a number, such as a flush of the write-ahead log. */
function makeBatch(clock, itemsMax) {
  let waiting = [];
  let [isBusy, served, eachMs] = [false, 0, 0];
  const next = (ms) => {
    isBusy = waiting.length > 0;
    if (!isBusy) return;
    const batch = waiting.splice(0, Math.min(itemsMax, waiting.length));
    served += batch.length;
    eachMs = ms;
    clock.after(ms, () => {
      for (const then of batch) then();
      next(ms);
    });
  };
  return {
    use: (ms, then) => {
      waiting.push(then);
      if (!isBusy) next(ms);
    },
    // Full batches one after another are its limit. Half empty ones are not.
    busy: (ms) => ((served / itemsMax) * eachMs) / ms,
  };
}

/** Virtual time: a heap of functions by the moment at which they are due. */
function makeClock() {
  const heap = [];
  let [now, order] = [0, 0];
  const before = (a, b) => a.at < b.at || (a.at === b.at && a.order < b.order);
  const push = (entry) => {
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(entry, heap[parent])) break;
      heap[index] = heap[parent];
      index = parent;
    }
    heap[index] = entry;
  };
  const pop = () => {
    const [top] = heap;
    const last = heap.pop();
    if (heap.length === 0) return top;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child += 1;
      if (!before(heap[child], last)) break;
      heap[index] = heap[child];
      index = child;
    }
    heap[index] = last;
    return top;
  };
  const at = (moment, run) => push({ at: moment, order: order++, run });
  return {
    now: () => now,
    at,
    after: (ms, run) => at(now + ms, run),
    run: (until) => {
      while (heap.length > 0 && heap[0].at <= until) {
        const { at: moment, run } = pop();
        now = moment;
        run();
      }
    },
  };
}

/** A generator of 32 bits, mulberry32. */
function makeRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
