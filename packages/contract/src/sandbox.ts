import { type Static, Type } from "@sinclair/typebox";

export const AdvanceClockRequest = Type.Object(
  {
    advanceSeconds: Type.Integer({
      minimum: 1,
      maximum: 31_536_000,
      description: "how far the clock jumps; it never goes back",
    }),
  },
  { additionalProperties: false },
);
export type AdvanceClockRequest = Static<typeof AdvanceClockRequest>;

export const SandboxClock = Type.Object({
  businessTime: Type.Integer({ description: "Unix seconds, after the jump" }),
  aheadSeconds: Type.Integer({
    description: "all jumps together: how far it runs ahead of real time",
  }),
});
export type SandboxClock = Static<typeof SandboxClock>;
