import { type Stats, statSync } from "node:fs";

const GROUP_ROOT = 0;

/**
 * Returns whether nobody but the process and the system's administrator can read or change a file with a secret. It is
 * its owner's alone, or a group of the process may read a file of root. Kubernetes (`fsGroup`) and systemd (whose
 * access list shows as a right of root's group) mount secrets in this way.
 */
export function isPrivateFile({ mode, uid, gid }: Pick<Stats, "mode" | "uid" | "gid">): boolean {
  if ((mode & 0o077) === 0) return true;
  const isGroupReadable = (mode & 0o077) === 0o040;
  return isGroupReadable && uid === 0 && isOurGroup(gid);
}

const isOurGroup = (gid: number): boolean =>
  gid === GROUP_ROOT || gid === process.getegid?.() || process.getgroups?.().includes(gid) === true;

/** Says what to do about a file that is not private. */
export function privateFileWords(path: string): string {
  const { mode, uid, gid } = statSync(path);
  if (uid === 0 && (mode & 0o077) === 0o040) {
    return (
      `${path} is root's and readable by the group ${gid}, of which this process is not a member. Run the command as ` +
      `a member of it, such as: docker exec --user ${process.geteuid?.() ?? 1001}:${gid}.`
    );
  }
  return (
    `${path} can be read or changed by others than its owner. Run: chmod 600 ${path}. A file of root may also be ` +
    "readable by a group of this process (chmod 440)."
  );
}
