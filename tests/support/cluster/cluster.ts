import { execFile, execFileSync } from "node:child_process";
import { chmodSync, chownSync, readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { vi } from "vitest";
import { type Running, run } from "../service/processes.ts";
import { addressesOf, ETCD, FRONT, NODES, PORTS } from "./addresses.ts";
import { type Network, openNetwork } from "./network.ts";
import { type ClusterNode, makeNode, SUPERUSER_PASSWORD } from "./node.ts";
import { findPatroni, programPath } from "./programs.ts";
import { haproxySettings, poolerSettings } from "./settings.ts";

/** One line of Patroni's own list. */
export interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

export interface Cluster {
  readonly nodes: readonly ClusterNode[];
  readonly network: Network;
  /** The version of Patroni, for the summary. */
  readonly patroni: string;
  /** The service's addresses: HAProxy, and PgBouncer in front of it. */
  readonly urls: { readonly direct: string; readonly pooled: string };
  /** Returns the list of any node that answers, but not of this one. */
  members(except?: ClusterNode): Promise<readonly Member[]>;
  leader(except?: ClusterNode): Promise<ClusterNode | undefined>;
  /** Waits until a primary has its synchronous standby and all three nodes stream. */
  untilWhole(): Promise<void>;
  /** Asks the primary to pass its role on, as `patronictl switchover` does. */
  switchOver(leader: ClusterNode): Promise<void>;
  /** Stops everything. The logs stay in a folder, whose path is returned, unless the run was green. */
  stop(isGreen: () => boolean): Promise<string | undefined>;
}

const START_MS = 120_000;
const PASSWORD = "exchange";
const TLS = "sslmode=no-verify";

export async function startCluster(): Promise<Cluster> {
  const folder = await mkdtemp(path.join(tmpdir(), "exchange-cluster-"));
  const user = userOfDatabase();
  const binDir = path.dirname(programPath("POSTGRES_PATH"));
  const patroni = findPatroni(folder);
  const certificate = makeCertificate(folder);
  writeFileSync(path.join(folder, "haproxy.cfg"), haproxySettings());
  const network = await openNetwork();
  const nodes = NODES.map((number) =>
    makeNode(number, { folder, binDir, certificate, patroni, user }),
  );
  giveTo(folder, user);
  const programs: Running[] = [];
  const start = (...words: string[]): void => {
    programs.push(run(words, { cwd: folder, env: process.env, ...user }));
  };
  start(programPath("ETCD_PATH"), ...etcdWords(folder));
  for (const node of nodes) node.start();
  const view = viewOf(nodes);
  const kill = (): void => {
    for (const node of nodes) node.kill("everything");
    for (const program of programs) program.signal("SIGKILL");
  };
  // Their groups are their own, so a run that is ended ends them.
  const onEnd = (): never => process.exit(130);
  process.once("SIGTERM", onEnd).once("exit", kill);
  const stop = async (isGreen: () => boolean): Promise<string | undefined> => {
    process.off("SIGTERM", onEnd).off("exit", kill);
    kill();
    for (const node of nodes) await node.ended();
    for (const program of programs) await program.exited;
    await network.stop();
    if (isGreen()) {
      await rm(folder, { recursive: true, force: true });
      return undefined;
    }
    for (const { name, output } of nodes) writeFileSync(path.join(folder, `${name}.log`), output());
    return folder;
  };
  try {
    await view.untilWhole();
    await createDatabase(binDir, await view.leader());
    start(programPath("HAPROXY_PATH"), "-db", "-f", path.join(folder, "haproxy.cfg"));
    startPooler(folder, start);
    giveTo(folder, user);
  } catch (error) {
    throw new Error(`no cluster: ${await stop(() => false)}`, { cause: error });
  }
  const urlAt = (port: number): string =>
    `postgres://exchange:${PASSWORD}@${FRONT}:${port}/exchange`;
  return {
    ...view,
    nodes,
    network,
    patroni: patroni.version,
    urls: { direct: `${urlAt(PORTS.postgres)}?${TLS}`, pooled: urlAt(PORTS.pooler) },
    stop,
  };
}

/** PostgreSQL refuses to run as root. */
function userOfDatabase(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (option: string): number =>
    Number(execFileSync("id", [option, "postgres"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

function giveTo(
  folder: string,
  { uid, gid }: { readonly uid?: number; readonly gid?: number },
): void {
  if (uid === undefined || gid === undefined) return;
  chownSync(folder, uid, gid);
  for (const file of readdirSync(folder)) chownSync(path.join(folder, file), uid, gid);
}

/** The service speaks TLS to the primary, through HAProxy. */
function makeCertificate(folder: string) {
  const certificate = path.join(folder, "database.crt");
  const key = path.join(folder, "database.key");
  const subject = ["-subj", "/CN=exchange", "-days", "1", "-newkey", "rsa:2048", "-nodes"];
  const files = ["-keyout", key, "-out", certificate];
  execFileSync("openssl", ["req", "-x509", ...subject, ...files], { stdio: "ignore" });
  chmodSync(key, 0o600);
  return { certificate, key };
}

function etcdWords(folder: string): readonly string[] {
  const url = (port: number): string => `http://${ETCD}:${port}`;
  return [
    ...["--name", "etcd", "--data-dir", path.join(folder, "etcd"), "--log-level", "error"],
    ...["--listen-client-urls", url(PORTS.etcd), "--advertise-client-urls", url(PORTS.etcd)],
    ...["--listen-peer-urls", url(PORTS.etcdPeers)],
    ...["--initial-advertise-peer-urls", url(PORTS.etcdPeers)],
    ...["--initial-cluster", `etcd=${url(PORTS.etcdPeers)}`],
  ];
}

/** Reads and changes the cluster by the REST interface of its nodes, at their own addresses. */
function viewOf(nodes: readonly ClusterNode[]) {
  const call = (node: ClusterNode, route: string, options: RequestInit = {}): Promise<Response> =>
    fetch(`http://${addressesOf(node.number).own}:${PORTS.rest}${route}`, {
      signal: AbortSignal.timeout(1_000),
      ...options,
    });
  const listOf = async (node: ClusterNode): Promise<readonly Member[]> =>
    ((await (await call(node, "/cluster")).json()) as { members: Member[] }).members;
  const members = async (except?: ClusterNode): Promise<readonly Member[]> => {
    for (const node of nodes) {
      if (node === except) continue;
      const list = await listOf(node).catch(() => []);
      if (list.length > 0) return list;
    }
    return [];
  };
  const leader = async (except?: ClusterNode): Promise<ClusterNode | undefined> => {
    const list = await members(except);
    const named = list.find(({ role, state }) => role === "leader" && state === "running");
    return nodes.find(({ name }) => name === named?.name);
  };
  const isWhole = async (): Promise<boolean> => {
    const list = await members();
    const has = (role: string): boolean => list.some((member) => member.role === role);
    const areWell = list.every(({ state }) => ["running", "streaming"].includes(state));
    return list.length === nodes.length && areWell && has("leader") && has("sync_standby");
  };
  return {
    members,
    leader,
    untilWhole: async (): Promise<void> => {
      await vi.waitUntil(isWhole, { timeout: START_MS, interval: 250 });
    },
    switchOver: async (node: ClusterNode): Promise<void> => {
      const body = JSON.stringify({ leader: node.name });
      const signal = AbortSignal.timeout(60_000);
      const answer = await call(node, "/switchover", { method: "POST", body, signal });
      if (!answer.ok) throw new Error(`no switchover: ${await answer.text()}`);
    },
  };
}

/** Creates the service's role and database with `psql`. A call that blocks would block the ways of the cluster too. */
async function createDatabase(binDir: string, leader: ClusterNode | undefined): Promise<void> {
  if (leader === undefined) throw new Error("no primary");
  const at = ["-h", addressesOf(leader.number).own, "-U", "postgres", "-v", "ON_ERROR_STOP=1"];
  const role = ["-c", `create role exchange login password '${PASSWORD}'`];
  const database = ["-c", "create database exchange owner exchange"];
  const env = { ...process.env, PGPASSWORD: SUPERUSER_PASSWORD };
  await promisify(execFile)(path.join(binDir, "psql"), ["-q", ...at, ...role, ...database], {
    env,
  });
}

/** Starts PgBouncer where it is installed. */
function startPooler(folder: string, start: (...words: string[]) => void): void {
  const program = process.env["PGBOUNCER_PATH"];
  if (program === undefined) return;
  const users = path.join(folder, "users.txt");
  writeFileSync(users, `"exchange" "${PASSWORD}"\n`);
  const file = path.join(folder, "pgbouncer.ini");
  writeFileSync(file, poolerSettings(users));
  start(program, "-q", file);
}
