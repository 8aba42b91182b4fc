/** The way in which a block of the documents is proved, by the words with which the block begins. */
type Proofs = Readonly<Record<string, string>>;

const GUIDES = "tests/acceptance/client-libraries-guides.test.ts";
const SHELL = "tests/acceptance/documents-shell.test.ts";
const PAGES = "tests/acceptance/documents-pages.test.ts";
const PROGRAMS = "tests/acceptance/integration-guide.test.ts";
const SNIPPETS = "sdk/node/src/documents.test.ts";
const REACT = "sdk/react/src/package.test.ts";

/** Blocks that a test reads from their page and runs. A compiler runs those in TSX. */
export const RUN: Readonly<Record<string, Proofs>> = {
  "README.md": { "curl -H": SHELL },
  "guides/integrate-the-checkout": {
    'export PATH="$PWD/bin:$PATH"': SHELL,
    'import { createServer } from "node:http";\n\nconst { EXCHANGE_URL: url = "{base_url}", EXCHANGE_CLIENT_ID: clientId, EXCHANGE_API_KEY: apiKey, PORT: port = "3000" } = process.env;\nif':
      PROGRAMS,
    'import { createServer } from "node:http";\n\nconst { EXCHANGE_URL: url = "{base_url}", EXCHANGE_CLIENT_ID: clientId, EXCHANGE_API_KEY: apiKey, PORT: port = "3000" } = process.env;\nconst headers':
      PROGRAMS,
    'import { createHmac, timingSafeEqual } from "node:crypto";': PROGRAMS,
    "node server.mjs": SHELL,
    "node webhooks.mjs": SHELL,
    "curl -X POST {base_url}/v1/public_token/create": GUIDES,
    "import { createExchange }": GUIDES,
    "import os": GUIDES,
    "<?php": GUIDES,
    "<script src=": PAGES,
    "window.exchange.init({": PAGES,
    "import { ExchangeButton }": REACT,
    "import { useExchange }": REACT,
    "curl -X POST {base_url}/v1/sandbox/deposits": SHELL,
  },
  "guides/manage-webhooks": { "curl {base_url}/v1/webhook_endpoints": SHELL, "{ ": SHELL },
  "guides/try-your-receiver": {
    '{ "fault"': SHELL,
    "export EXCHANGE_URL=": SHELL,
    "EXCHANGE_WEBHOOK_SECRET=": SHELL,
  },
  "guides/place-orders-over-the-api": {
    "EXCHANGE_URL=": SHELL,
    "const { EXCHANGE_URL": SHELL,
    "const where": SHELL,
    "async function placeOrder": SHELL,
    "async function follow": SHELL,
    "const short": SHELL,
  },
  "guides/verify-a-webhook": {
    "import { WebhookError, webhooks }": GUIDES,
    "from exchange_client": GUIDES,
    "<?php": GUIDES,
    "import { Webhook }": GUIDES,
    "import { createHmac": GUIDES,
  },
  "guides/use-the-node-library": { "import ": SNIPPETS },
  "guides/node": { "import ": SNIPPETS },
  "guides/python": { "import os": GUIDES, "from exchange_client": GUIDES },
  "guides/php": {
    "use Exchange\\Client\\Exchange;": GUIDES,
    "use Exchange\\Client\\Webhook": GUIDES,
  },
  "guides/react": { "import ": REACT },
  "reference/browser-script": { "<script": PAGES, "exchange.init({": PAGES },
  "operating/install": { "sudo -u exchange sh": "tests/simulation/systemd.test.ts" },
  "operating/payouts": {
    "insert into jobs": "apps/server/src/storage/payouts/followed.storage.test.ts",
  },
};

/** Blocks that are read, not run, with the name of their check in `checks.ts`. */
export const CHECKED: Readonly<Record<string, Proofs>> = {
  "guides/translate-the-checkout": { "{": "german texts" },
  "internals/architecture": { "packages/": "tree" },
  "operating/bitcoin-and-litecoin": { "{": "rails" },
  "operating/chains": { "{": "rails" },
  "operating/go-live": { "{": "rails", '"hourCents"': "policy" },
  "operating/prices": { "{": "rails" },
  "operating/solana": { "{": "rails", '"tokens"': "solana rails" },
  "operating/treasury": {
    '"deposits": { "xpub"': "ethereum rails",
    '"deposits": { "account"': "solana rails",
    '"consolidate"': "litecoin rails",
    '"gasTank"': "ethereum rails",
  },
  "operating/tron": { "{": "rails" },
  "operating/xrp-ledger": { "{": "rails" },
  "operating/signer": { '"assets"': "policy", "[Service]": "unit" },
  "operating/callbacks": { "https://": "callback route" },
  "reference/endpoints": { "{": "ErrorBody" },
  "reference/errors": { "{": "ErrorBody" },
  "reference/events": { "{": "WebhookPayload" },
  "reference/command-line": { "In review:": "status" },
  "reference/order-states": { awaiting_payment: "statuses" },
};

/** Blocks that no test runs, and why. */
export const NOT_RUN: Readonly<Record<string, Proofs>> = {
  "README.md": { " shop's server": "a diagram" },
  "internals/architecture": {
    "http ───→": "a diagram: `npm run check` holds the rule of imports itself",
  },
  "operating/back-up": {
    "# /etc/pgbackrest.conf": "needs pgBackRest beside a PostgreSQL server of the reader's own",
    "# postgresql.conf": "needs pgBackRest beside a PostgreSQL server of the reader's own",
    "pgbackrest ": "needs pgBackRest beside a PostgreSQL server of the reader's own",
    "systemctl stop": "deletes the data of a PostgreSQL server that systemd runs",
  },
  "operating/benchmarks": { "mkdir ../prism": "installs a third-party program from a registry" },
  "operating/budgets": { "npm install": "installs a third-party program from a registry" },
  "operating/high-availability": {
    patronictl: "needs a cluster of Patroni; `campaign -- failover` makes one",
    "openssl x509": "needs the certificate of the reader's database",
  },
  "operating/install": {
    "docker build --file deploy/Containerfile --target trial":
      "needs Docker's daemon; image.test.ts does the same with Podman",
    "docker build --file deploy/Containerfile --target exchange":
      "needs Docker's daemon; image.test.ts does the same with Podman",
    "docker load": "needs Docker's daemon; image.test.ts does the same with Podman",
    "docker run": "needs Docker's daemon and a database server of the reader",
    "mkdir -p deploy/secrets": "needs Docker's daemon and root; deploy.test.mjs checks the files",
    "kubectl ": "needs a cluster of Kubernetes; deploy.test.mjs checks the files",
    "sudo apt install":
      "needs root on a machine with systemd; systemd.test.ts installs the package on one",
    "tar -xf": "needs a release; release.test.mjs makes one and reads its tarball",
    "ssh-keygen": "needs a release; release.test.mjs verifies one",
    "create role": "needs the administrator of a PostgreSQL server",
  },
  "operating/move": { "createdb ": "needs a PostgreSQL server; move.test.ts moves to one" },
  "operating/treasury": {
    "Coins of litecoin": "the answer of a live wallet with hundreds of coins",
  },
  "operating/signer": { "install -d": "needs root on a machine with systemd" },
  "operating/solana": {
    "solana transfer": "needs the Solana command line and money on its network",
  },
  "operating/tron": { "location /jsonrpc": "needs nginx before a java-tron node" },
  "operating/upgrade": {
    "docker compose":
      "needs Docker's daemon and a new release; upgrade.test.ts upgrades under load",
    "sudo -u postgres pg_dump":
      "needs root on a machine with systemd; systemd.test.ts installs the package on one",
  },
  "tutorial/real-coins": { "litecoin-cli": "needs litecoin-cli beside a local chain that runs" },
};
