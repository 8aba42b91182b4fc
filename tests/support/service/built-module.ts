import path from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./service.ts";

/** Loads a built module of the server. Tests of the running service may not import its sources. */
export const loadBuilt = async <T>(file: string): Promise<T> =>
  (await import(pathToFileURL(path.join(ROOT, "apps/server/dist", file)).href)) as T;
