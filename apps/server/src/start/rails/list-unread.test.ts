import { expect, test } from "vitest";
import type { Database } from "../../storage/postgres/database.ts";
import { shippedCatalogue } from "../../testing/catalogue.ts";
import type { NetworkChoices } from "./chain-choices.ts";
import { listUnread } from "./list-unread.ts";

const NO_DATABASE = {} as Database;
/** Nothing listens on the port. */
const SILENT = { name: "node", url: "http://127.0.0.1:1" } as const;
const XPUB =
  "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8";

test("a network whose endpoints do not answer is not taken for one that was read", async () => {
  const catalogue = await shippedCatalogue();
  const choices: NetworkChoices = {
    ...{ kind: "evm", chainId: 31_337, endpoints: [SILENT] },
    deposits: { xpub: XPUB },
  };
  const place = { catalogue: () => catalogue, database: NO_DATABASE };
  await expect(listUnread(place, [["ethereum", choices]])).rejects.toThrow(
    /^The endpoints of ethereum do not agree on its last block \(.+\)\. A network that cannot be asked/,
  );
});
