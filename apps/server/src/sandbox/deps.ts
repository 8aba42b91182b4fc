import type { Deps } from "../flows/deps.ts";
import type { SandboxWorld } from "./world/sandbox-world.ts";

/** The parts that flows work with, and the world outside that the sandbox simulates. */
export interface SandboxDeps extends Deps {
  readonly world: SandboxWorld;
}
