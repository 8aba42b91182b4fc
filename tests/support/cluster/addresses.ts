/** The three nodes of deploy/patroni.yml. */
export const NODES = [1, 2, 3] as const;
export type NodeNumber = (typeof NODES)[number];

/**
 * Addresses of this machine alone. Each run has a network of its own, so that the ports are those of the files in
 * deploy/. Linux answers on all of 127.0.0.0/8.
 */
const NETWORK = `127.${64 + (process.pid % 128)}`;

/** Every way begins here, so pg_hba sees no address that the operating system's own rules cover. */
export const SOURCE = `${NETWORK}.0.1`;
/** The network of the nodes, as pg_hba names it. */
export const CLUSTER_NETWORK = `${NETWORK}.0.0/16`;
/** HAProxy, PgBouncer and etcd. */
export const FRONT = `${NETWORK}.1.1`;
export const ETCD = `${NETWORK}.1.2`;

export const PORTS = { postgres: 5_432, rest: 8_008, etcd: 2_379, etcdPeers: 2_380, pooler: 6_432 };

/** The addresses of one node. */
export const addressesOf = (node: NodeNumber) => ({
  /** Where its programs listen. */
  own: `${NETWORK}.10.1${node}`,
  /** By which the other nodes reach it. */
  forNodes: `${NETWORK}.20.1${node}`,
  /** By which HAProxy reaches it. */
  forClients: `${NETWORK}.30.1${node}`,
  /** By which it reaches etcd. */
  etcd: `${NETWORK}.40.1${node}`,
});
