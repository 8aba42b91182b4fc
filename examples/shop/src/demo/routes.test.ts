import { afterEach, beforeEach, expect, test } from "vitest";
import { Stage } from "../testing/stage.ts";

let stage: Stage;

beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

const PRODUCT = { productId: "bitcoin-100-eur" };

test("the example of an expired token asks for the shortest one", async () => {
  expect((await stage.post("/api/examples/short-token", PRODUCT)).status).toBe(201);
  expect(stage.tokenCalls[0]?.body).toMatchObject({ expiresIn: 60 });
});

test("the example of a slow token gives the same as a quick one, and later", async () => {
  const answered: string[] = [];
  const slow = stage.post("/api/examples/slow-token", PRODUCT);
  const quick = stage.post("/api/checkout", PRODUCT);
  await Promise.all([
    slow.then(() => answered.push("slow")),
    quick.then(() => answered.push("quick")),
  ]);
  expect(answered).toEqual(["quick", "slow"]);
  expect(await (await slow).json()).toMatchObject({ token: "public.token" });
});

test("the example without a token says so and asks nobody", async () => {
  const answer = await stage.post("/api/examples/failing-token", PRODUCT);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toEqual({ message: "The shop cannot start a checkout right now." });
  expect(stage.tokenCalls).toEqual([]);
});
