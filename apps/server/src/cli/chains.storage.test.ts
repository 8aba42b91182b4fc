import { afterAll, beforeAll, expect, test } from "vitest";
import { type CommandLine, openCommandLine } from "../testing/command-line.ts";
import { writeRails } from "../testing/rails-service.ts";
import { makeWorld, type World } from "../testing/world.ts";

const ETHEREUM = {
  kind: "evm",
  chainId: 11_155_111,
  // Nothing listens at this port.
  endpoints: [{ name: "own", url: "http://127.0.0.1:9", trust: "own" }],
  deposits: {
    xpub: "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt",
  },
};
let world: World;
let line: CommandLine;

beforeAll(async () => {
  world = await makeWorld();
  line = await openCommandLine(world.database);
});
afterAll(async () => {
  await line.close();
  await world.close();
});

test("a network of the rails file that no scanner has read is shown, with the command that says why", async () => {
  expect(await line.run("chains", "show")).toMatchObject({
    status: 0,
    out: "The rails file names no live network.",
  });
  writeRails(line, { chains: { ethereum: ETHEREUM } });
  const { status, out } = await line.run("chains", "show");
  expect(out).toMatch(/^ethereum .* It was never read\. exchange doctor says why\.$/m);
  expect(status).toBe(1);
  const json = await line.run("chains", "show", "--json");
  expect(JSON.parse(json.out)).toMatchObject([
    { networkCode: "ethereum", height: null, problem: expect.stringContaining("never read") },
  ]);
});
