import { readFileSync } from "node:fs";
import path from "node:path";
import { parse, stringify } from "yaml";
import { ROOT } from "../service/service.ts";
import { addressesOf, CLUSTER_NETWORK, FRONT, NODES, type NodeNumber, PORTS } from "./addresses.ts";

/** The campaign runs the files of deploy/, with the addresses and folders of this machine. */
const readDeployed = (name: string): string =>
  readFileSync(path.join(ROOT, "deploy", name), "utf8");

/** Replaces a text that must be there, so that a changed file in deploy/ is noticed. */
function replace(text: string, before: string, after: string): string {
  if (!text.includes(before)) throw new Error(`deploy/ does not contain ${before} any more.`);
  return text.replaceAll(before, after);
}

interface PatroniSettings {
  name: string;
  restapi: { listen: string; connect_address: string };
  etcd3: { hosts: string; use_proxies?: boolean };
  bootstrap: { dcs: { postgresql: { parameters: Record<string, unknown> } } };
  postgresql: {
    listen: string;
    connect_address: string;
    data_dir: string;
    bin_dir: string;
    pgpass: string;
    create_replica_methods: string[];
    pgbackrest?: unknown;
    parameters: Record<string, string>;
  };
  watchdog: { mode: string };
}

export interface NodeFolders {
  /** The parent of the data folders. */
  readonly folder: string;
  readonly binDir: string;
  readonly certificate: { readonly certificate: string; readonly key: string };
}

/**
 * Returns deploy/patroni.yml for one node. Apart from addresses and folders, it differs in these: one etcd behind a way
 * of its own (`use_proxies`, or Patroni would go around it), no archive, copies by pg_basebackup, and no watchdog device.
 */
export function patroniSettings(node: NodeNumber, at: NodeFolders): string {
  const { own, forNodes, etcd } = addressesOf(node);
  const text = replace(readDeployed("patroni.yml"), "10.0.0.0/24", CLUSTER_NETWORK);
  const settings = parse(text) as PatroniSettings;
  const data = path.join(at.folder, `pg${node}`);
  settings.name = `pg${node}`;
  settings.restapi = {
    listen: `${own}:${PORTS.rest}`,
    connect_address: `${forNodes}:${PORTS.rest}`,
  };
  settings.etcd3 = { hosts: `${etcd}:${PORTS.etcd}`, use_proxies: true };
  settings.bootstrap.dcs.postgresql.parameters["archive_command"] = "/bin/true";
  settings.watchdog.mode = "off";
  const { pgbackrest: _archive, ...postgresql } = settings.postgresql;
  settings.postgresql = {
    ...postgresql,
    listen: `${own}:${PORTS.postgres}`,
    connect_address: `${forNodes}:${PORTS.postgres}`,
    data_dir: data,
    bin_dir: at.binDir,
    pgpass: `${data}.pgpass`,
    create_replica_methods: ["basebackup"],
    parameters: {
      ...postgresql.parameters,
      unix_socket_directories: "",
      ssl_cert_file: at.certificate.certificate,
      ssl_key_file: at.certificate.key,
    },
  };
  return stringify(settings);
}

/** Returns deploy/haproxy.cfg with the addresses of this run. */
export function haproxySettings(): string {
  const primary = replace(readDeployed("haproxy.cfg"), "127.0.0.1:5432", `${FRONT}:5432`);
  const atFront = replace(primary, "127.0.0.1:5433", `${FRONT}:5433`);
  return NODES.reduce(
    (text, node) => replace(text, `10.0.0.1${node}:`, `${addressesOf(node).forClients}:`),
    atFront,
  );
}

/** Returns deploy/pgbouncer.ini with the addresses of this run. */
export function poolerSettings(userList: string): string {
  const text = replace(readDeployed("pgbouncer.ini"), "host=127.0.0.1", `host=${FRONT}`);
  const listening = replace(text, "listen_addr = 127.0.0.1", `listen_addr = ${FRONT}`);
  const users = replace(listening, "/etc/pgbouncer/userlist.txt", userList);
  return `${users}unix_socket_dir =\n`;
}
