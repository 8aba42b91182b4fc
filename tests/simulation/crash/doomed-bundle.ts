import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin, type Rolldown } from "vite";

const DOOMED = fileURLToPath(new URL("doomed-service.mjs", import.meta.url));

/** Files beside a module are looked for where the module was. */
const whereItWas: Plugin = {
  name: "where-it-was",
  transform: (code, id) =>
    code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)),
};

async function bundle(): Promise<Rolldown.RolldownOutput["output"]> {
  const built = (await build({
    configFile: false,
    logLevel: "silent",
    plugins: [whereItWas],
    ssr: { noExternal: true },
    build: {
      ssr: DOOMED,
      write: false,
      rolldownOptions: { output: { entryFileNames: "[name].mjs", chunkFileNames: "[name].mjs" } },
    },
  })) as Rolldown.RolldownOutput;
  return built.output;
}

let bundled: ReturnType<typeof bundle> | undefined;

/**
 * Writes the doomed service in few files, and gives the one to start. It is started some hundred
 * times, and most of a start is the loading of modules.
 */
export async function writeDoomed(folder: string): Promise<string> {
  bundled ??= bundle();
  const files = await bundled;
  await mkdir(folder);
  for (const file of files) {
    const content = file.type === "chunk" ? file.code : file.source;
    await writeFile(path.join(folder, file.fileName), content);
  }
  return path.join(folder, files[0].fileName);
}
