import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open, opendir } from "node:fs/promises";
import { join } from "node:path";

/** The SHA-256 of each copied file, by its path below the folder. */
export type Checksums = Readonly<Record<string, string>>;

const FILES_AT_ONCE = 4;

/** Lists the files and folders below a folder, with their paths below it. A folder comes before its files. */
export async function listTree(
  root: string,
  isSkipped: (path: string) => boolean = () => false,
): Promise<{ readonly folders: string[]; readonly files: string[] }> {
  const folders: string[] = [];
  const files: string[] = [];
  const walk = async (below: string): Promise<void> => {
    for await (const entry of await opendir(join(root, below))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (isSkipped(path)) continue;
      if (entry.isDirectory()) {
        folders.push(path);
        await walk(path);
      } else if (entry.isFile()) files.push(path);
    }
  };
  await walk("");
  return { folders, files };
}

/**
 * Copies files to the disk of another folder and returns their checksums. A file that disappears meanwhile is left out:
 * PostgreSQL removed it, and its log says so.
 */
export async function copyFiles(
  from: string,
  to: string,
  tree: { readonly folders: readonly string[]; readonly files: readonly string[] },
): Promise<Checksums> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const folder of tree.folders)
    await mkdir(join(to, folder), { mode: 0o700, recursive: true });
  const checksums: Record<string, string> = {};
  const waiting = tree.files.values();
  const copySome = async (): Promise<void> => {
    for (const path of waiting) {
      const checksum = await copyFile(join(from, path), join(to, path));
      if (checksum !== undefined) checksums[path] = checksum;
    }
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, copySome));
  for (const folder of ["", ...tree.folders]) await syncFolder(join(to, folder));
  return checksums;
}

async function copyFile(from: string, to: string): Promise<string | undefined> {
  let source: FileHandle;
  try {
    source = await open(from, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const hash = createHash("sha256");
  // A copy that exists would be one of another backup.
  const target = await open(to, "wx", 0o600).catch(async (error: Error) => {
    await source.close();
    throw error;
  });
  try {
    for await (const chunk of source.createReadStream({ autoClose: false })) {
      hash.update(chunk as Buffer);
      await target.writeFile(chunk as Buffer);
    }
    await target.sync();
    return hash.digest("hex");
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

/** Writes a new file to the disk. */
export async function writeNewFile(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}
