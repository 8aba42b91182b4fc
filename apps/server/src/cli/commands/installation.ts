import { accessSync, constants } from "node:fs";
import { createConnection } from "node:net";
import type { Config } from "../../config.ts";
import { readPidFile } from "../../start/pid-file.ts";
import type { Command, CommandContext } from "../command.ts";
import { bad, type Finding, good } from "../finding.ts";
import { examineDatabase } from "./examine-database.ts";
import { examineSecretKeys } from "./examine-keys.ts";
import { examinePrices } from "./rates.ts";

export const doctor: Command = {
  name: "doctor",
  summary: "Check everything that the service needs, and show how to fix problems.",
  options: {},
  example: "doctor",
  run: async (context) => {
    const findings = await examineService(context);
    const ok = findings.every((finding) => finding.ok);
    const lines = findings.map(({ ok: isGood, check, found, fix }) =>
      [`${isGood ? "ok  " : "BAD "} ${check}: ${found}`, ...(fix ? [`       ${fix}`] : [])].join(
        "\n",
      ),
    );
    return { json: { ok, findings }, text: lines.join("\n"), ok };
  },
};

const NODE_MIN = [20, 19] as const;
/** Runs every check, even after a failed one. Changes nothing. */
export async function examineService(context: CommandContext): Promise<Finding[]> {
  const settings = examineSettings(context);
  if (settings.config === undefined) return [examineNode(), ...settings.findings];
  const { config } = settings;
  return [
    examineNode(),
    ...settings.findings,
    examineDataFolder(config),
    examineSecretKeys(config),
    examinePrices(config),
    // A worker answers no requests.
    ...(config.role === "worker" ? [] : [await examinePort(config)]),
    ...(await examineDatabase(config, context)),
  ];
}

function examineNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isEnough = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
  if (isEnough) return good("Node.js", process.version);
  return bad("Node.js", process.version, "Install Node.js 20.19 or later; 24 is recommended.");
}

function examineSettings(context: CommandContext): { config?: Config; findings: Finding[] } {
  try {
    const config = context.config();
    return { config, findings: [good("settings", `environment ${config.environment}`)] };
  } catch (error) {
    return { findings: [bad("settings", (error as Error).message, "Correct these variables.")] };
  }
}

function examineDataFolder({ dataDir, databaseUrl }: Config): Finding {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return good("data folder", dataDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return good("data folder", `${dataDir} will be created at the first start`);
    }
    const fix = "Run as the user that owns it, or choose another EXCHANGE_DATA_DIR.";
    const use = databaseUrl === undefined ? "" : ", and history.json is kept there";
    return bad("data folder", `${dataDir} cannot be written by this user${use}`, fix);
  }
}

async function examinePort({ dataDir, port }: Config): Promise<Finding> {
  const check = `port ${port}`;
  const service = readPidFile(dataDir);
  if (service !== undefined) {
    return good("service", `${service.state} as process ${service.pid} at ${service.address}`);
  }
  if (port === 0 || !(await answers(port))) return good(check, "free");
  // With a database of the operator's there is no file that names the process.
  if (await isExchange(port)) return good("service", `running at port ${port}`);
  return bad(check, "taken by another program", "Stop that program, or set PORT.");
}

const HEALTH_MS = 2_000;

async function isExchange(port: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(HEALTH_MS);
    const response = await fetch(`http://localhost:${port}/readyz`, { signal, redirect: "error" });
    const answer = (await response.json()) as { readonly checks?: object } | null;
    return Object.hasOwn(answer?.checks ?? {}, "catalogue");
  } catch {
    return false;
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: "localhost" });
    const end = (isTaken: boolean): void => {
      socket.destroy();
      resolve(isTaken);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}
