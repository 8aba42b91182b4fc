import type { Page } from "playwright-core";

/** Changes the data of an answer, as a service in trouble or of another version would send it. */
export async function changeAnswer<Data>(
  page: Page,
  address: string,
  change: (data: Data) => Data,
): Promise<void> {
  await page.route(address, async (route) => {
    const response = await route.fetch();
    const { data, ...rest } = (await response.json()) as { data: Data };
    await route.fulfill({ response, json: { ...rest, data: change(data) } });
  });
}

/** Removes every route of the page, once its running handlers have ended. */
export const leaveAnswers = (page: Page): Promise<void> => page.unrouteAll({ behavior: "wait" });
