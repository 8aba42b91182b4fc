import type { Deps } from "../flows/deps.ts";
import type { SandboxWorld } from "./world/sandbox-world.ts";

export type ClockMover = "merchants" | "operator";

/** The parts that flows work with, and the world outside that the sandbox simulates. */
export interface SandboxDeps extends Deps {
  readonly world: SandboxWorld;
  /** Says who may move the business clock, which all merchants of a sandbox share. */
  readonly clockMover: ClockMover;
}
