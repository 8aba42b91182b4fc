import type { Command } from "../command.ts";
import { examine } from "../examination.ts";

export const doctor: Command = {
  name: "doctor",
  summary: "Look at everything the service needs, and say how to mend what is wrong.",
  options: {},
  example: "doctor",
  run: async (context) => {
    const findings = await examine(context);
    const ok = findings.every((finding) => finding.ok);
    const lines = findings.map(({ ok: isGood, check, found, fix }) =>
      [`${isGood ? "ok  " : "BAD "} ${check}: ${found}`, ...(fix ? [`       ${fix}`] : [])].join(
        "\n",
      ),
    );
    return { json: { ok, findings }, text: lines.join("\n"), ok };
  },
};
