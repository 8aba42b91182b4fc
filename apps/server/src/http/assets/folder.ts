import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { makeRepresentation, type Representation } from "../representation.ts";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "application/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

/**
 * The files of a folder, read once and found by their exact name below it: no path of a request ever
 * reaches the file system.
 */
export function readFolder(folder: URL): ReadonlyMap<string, Representation> {
  const files = new Map<string, Representation>();
  if (!existsSync(folder)) return files;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder.pathname, file).split(path.sep).join("/");
    const type = CONTENT_TYPES[path.extname(name)] ?? "application/octet-stream";
    files.set(name, makeRepresentation(readFileSync(file), type));
  }
  return files;
}
