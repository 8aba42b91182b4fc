// What a customer does, told by role and label.
const ADDRESS = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
const heading = (frame, name) => frame.getByRole("heading", { level: 1, name }).waitFor();
const press = (frame, name) => frame.getByRole("button", { name, exact: true }).click();

async function toMethod(frame) {
  await heading(frame, "Buy BTC");
  await press(frame, "Continue");
  await heading(frame, "How do you want to pay?");
}
async function toWallet(frame) {
  await toMethod(frame);
  await press(frame, "Continue");
  await heading(frame, "Where should we send your BTC?");
}
async function toCard(frame) {
  await toWallet(frame);
  await frame.getByLabel("Your BTC address").fill(ADDRESS);
  await press(frame, "Continue");
  await heading(frame, "Your card");
}
async function toReview(frame, card = "Fill in Visa ending in 2701") {
  await toCard(frame);
  if (!(await frame.getByRole("button", { name: card }).first().isVisible())) {
    await press(frame, "Show more outcomes");
  }
  await frame.getByRole("button", { name: card }).first().click();
  await press(frame, "Continue");
  await heading(frame, "Check your order");
}

export const JOURNEYS = {
  amount: {
    async run({ frame, shoot }) {
      await heading(frame, "Buy BTC");
      await frame.getByText("Includes fees of").waitFor();
      await shoot("amount");
      await frame.getByLabel("You pay", { exact: true }).fill("5");
      await frame.getByText("The least you can pay this way is €20.00").waitFor();
      await shoot("amount-below");
      await frame.getByLabel("You pay", { exact: true }).fill("9000");
      await frame.getByText("The most you can pay").waitFor();
      await shoot("amount-above");
      await frame.getByLabel("You pay", { exact: true }).fill("abc");
      await press(frame, "Continue");
      await frame.getByText("Enter an amount in numbers").waitFor();
      await shoot("amount-invalid");
      await frame.getByLabel("You get", { exact: true }).fill("0.123456789");
      await frame.getByText("at most 8 decimal places").waitFor();
      await frame.getByLabel("You get", { exact: true }).fill("0.01");
      await frame.getByText("Includes fees of").waitFor();
      await shoot("amount-receive");
    },
  },
  empty: {
    options: {},
    async run({ frame, shoot }) {
      await heading(frame, "Buy BTC");
      await shoot("amount-empty");
      await press(frame, "Continue");
      await shoot("amount-empty-error");
    },
  },
  ignored: {
    options: { baseAmount: 100, targetCurrency: "NOPE", theme: "dark" },
    async run({ frame, shoot }) {
      await frame.getByText("NOPE isn't available").waitFor();
      await frame.getByText("Includes fees of").waitFor();
      await shoot("amount-ignored");
    },
  },
  slowquote: {
    scenario: "slowquote",
    async run({ frame, shoot }) {
      await heading(frame, "Buy BTC");
      await press(frame, "Continue");
      await shoot("amount-loading");
    },
  },
  noquote: {
    scenario: "noquote",
    async run({ frame, shoot }) {
      await frame.getByText("We can't get a price").waitFor();
      await shoot("amount-noquote");
    },
  },
  locked: {
    scenario: "locked",
    async run({ frame, shoot }) {
      await heading(frame, "Buy BTC");
      await frame.getByText("Includes fees of").waitFor();
      await shoot("amount-locked");
      await toMethod(frame);
      await shoot("method-locked");
      await press(frame, "Continue");
      await frame.getByText("This is a valid Bitcoin address.").waitFor();
      await shoot("wallet-locked");
    },
  },
  coloured: {
    scenario: "coloured",
    async run({ frame, shoot }) {
      await heading(frame, "Buy BTC");
      await frame.getByText("Includes fees of").waitFor();
      await shoot("amount-coloured");
    },
  },
  currency: {
    async run({ frame, shoot }) {
      await heading(frame, "Buy BTC");
      await frame.getByRole("button", { name: /BTC, change/ }).click();
      await heading(frame, "What do you want to buy?");
      await shoot("currency");
      await frame.getByLabel("Search").fill("tron");
      await shoot("currency-search");
      await frame.getByLabel("Search").fill("zzz");
      await shoot("currency-none");
      await frame.getByLabel("Search").fill("stellar");
      await frame.getByRole("button", { name: /Stellar/ }).click();
      await heading(frame, "Buy XLM");
      await frame.getByText("Includes fees of").waitFor();
      await press(frame, "Continue");
      await press(frame, "Continue");
      await heading(frame, "Where should we send your XLM?");
      await press(frame, "Continue");
      await shoot("wallet-memo-errors");
    },
  },
  networks: {
    options: { baseAmount: 100, targetCurrency: "MULTI" },
    async run({ frame, shoot }) {
      await heading(frame, "Buy MULTI");
      await press(frame, "Continue");
      await press(frame, "Continue");
      await frame
        .getByLabel("Your MULTI address")
        .fill("0x52908400098527886E0F7030069857D2E4169EE7");
      await frame.getByText("Which network").waitFor();
      await press(frame, "Continue");
      await shoot("wallet-networks");
      await frame.getByLabel("Ethereum").check();
      await frame.getByText("This is a valid").waitFor();
      await press(frame, "Continue");
      await heading(frame, "Your card");
    },
  },
  mismatch: {
    options: {
      baseAmount: 100,
      targetCurrency: "usdt-ethereum",
      walletAddress: "TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m9",
    },
    async run({ frame, shoot }) {
      await heading(frame, "Buy USDT");
      await press(frame, "Continue");
      await press(frame, "Continue");
      await frame.getByText("This address belongs to Tron. You chose Ethereum.").waitFor();
      await shoot("wallet-mismatch");
    },
  },
  steps: {
    async run({ frame, shoot }) {
      await toMethod(frame);
      await shoot("method");
      await press(frame, "Continue");
      await heading(frame, "Where should we send your BTC?");
      await shoot("wallet");
      await press(frame, "Continue");
      await shoot("wallet-empty-error");
      await frame.getByLabel("Your BTC address").fill("bc1qwrong");
      await press(frame, "Continue");
      await frame.getByText("doesn't look like a Bitcoin address").waitFor();
      await shoot("wallet-wrong");
      await frame.getByLabel("Your BTC address").fill(ADDRESS);
      await frame.getByText("This is a valid Bitcoin address.").waitFor();
      await shoot("wallet-valid");
      await press(frame, "Continue");
      await heading(frame, "Your card");
      await shoot("card");
      await press(frame, "Continue");
      await shoot("card-errors");
      await frame.getByLabel("Card number").fill("4242 4242 4242 4242");
      await frame.getByLabel("Card number").blur();
      await frame.getByText("Real cards can't be used in the sandbox").first().waitFor();
      await shoot("card-real");
      await press(frame, "Show more outcomes");
      await shoot("card-more");
      await frame.getByRole("button", { name: "Fill in American Express ending in 2708" }).click();
      await shoot("card-filled");
      await press(frame, "Close checkout");
      await shoot("leave");
      await press(frame, "Stay");
      await press(frame, "Continue");
      await heading(frame, "Check your order");
      await shoot("review");
      await frame.getByRole("button", { name: /^Pay / }).dblclick();
      await heading(frame, "Checking with your bank");
      await shoot("authentication");
      await heading(frame, "We got your order");
      await shoot("status-going");
      await heading(frame, "Your BTC is on its way");
      await shoot("status-completed");
    },
  },
  placing: {
    scenario: "slowplace",
    async run({ frame, shoot }) {
      await toReview(frame);
      await frame.getByRole("button", { name: /^Pay / }).click();
      await shoot("review-placing");
      await press(frame, "Close checkout");
      await shoot("leave-finishing");
    },
  },
  worse: {
    scenario: "worse",
    async run({ frame, shoot }) {
      await toReview(frame);
      await frame.getByText("The price changed").waitFor();
      await shoot("review-worse");
      await frame.getByRole("button", { name: /^Pay / }).click();
      await shoot("review-worse-pressed");
      await press(frame, "Accept new price");
      await frame.getByRole("button", { name: /^Pay / }).click();
      await heading(frame, "Checking with your bank");
    },
  },
  requote: {
    scenario: "requote",
    async run({ frame }) {
      await toReview(frame);
      await frame.getByRole("button", { name: /^Pay / }).click();
      await heading(frame, "Your BTC is on its way");
    },
  },
  challenge: {
    async run({ frame, shoot }) {
      await toReview(frame, "Fill in Visa ending in 2503");
      await frame.getByRole("button", { name: /^Pay / }).click();
      await heading(frame, "Confirm with your bank");
      await frame.frameLocator("iframe").getByRole("button", { name: "Approve" }).waitFor();
      await shoot("authentication-challenge");
      await frame.frameLocator("iframe").getByRole("button", { name: "Approve" }).click();
      await heading(frame, "Your BTC is on its way");
    },
  },
  declined: {
    async run({ frame, shoot }) {
      await toReview(frame, "Fill in Visa ending in 0002");
      await frame.getByRole("button", { name: /^Pay / }).click();
      await heading(frame, "Your bank declined the payment");
      await shoot("status-declined");
      await press(frame, "Try another card");
      await heading(frame, "Your card");
      await shoot("card-retry");
      await frame.getByRole("button", { name: "Fill in Visa ending in 2701" }).click();
      await frame.getByRole("button", { name: /^Pay / }).click();
      await heading(frame, "Your BTC is on its way");
    },
  },
  unconfirmed: {
    async run({ frame, shoot }) {
      await toReview(frame, "Fill in Visa ending in 2370");
      await frame.getByRole("button", { name: /^Pay / }).click();
      await heading(frame, "Your bank couldn't confirm it was you");
      await shoot("status-unconfirmed");
    },
  },
  cutbefore: {
    scenario: "cutbefore",
    async run({ frame, shoot }) {
      await toReview(frame);
      await frame.getByRole("button", { name: /^Pay / }).click();
      await frame.getByText("We couldn't place your order").waitFor();
      await shoot("review-not-placed");
    },
  },
  cutafter: {
    scenario: "cutafter",
    async run({ frame }) {
      await toReview(frame);
      await frame.getByRole("button", { name: /^Pay / }).click();
      await heading(frame, "Your BTC is on its way");
    },
  },
  lostpay: {
    scenario: "lostpay",
    async run({ frame, shoot }) {
      await toReview(frame);
      await frame.getByRole("button", { name: /^Pay / }).click();
      await frame.getByText("Your payment didn't reach us").waitFor();
      await shoot("card-not-sent");
      await frame.getByRole("button", { name: /^Pay / }).click();
      await heading(frame, "Your BTC is on its way");
    },
  },
  cutpay: {
    scenario: "cutpay",
    async run({ frame }) {
      await toReview(frame);
      await frame.getByRole("button", { name: /^Pay / }).click();
      await heading(frame, "Your BTC is on its way");
    },
  },
  used: {
    scenario: "usedonplace",
    async run({ frame, shoot }) {
      await toReview(frame);
      await frame.getByRole("button", { name: /^Pay / }).click();
      await heading(frame, "This checkout was already used");
      await shoot("used");
      await frame.getByRole("button", { name: /^See order/ }).click();
      await heading(frame, "Your card");
    },
  },
  reopened: {
    async run({ page, frame, shoot }) {
      await toReview(frame);
      await frame.getByRole("button", { name: /^Pay / }).click();
      await heading(frame, "Your BTC is on its way");
      await page.reload();
      const again = await (await page.waitForSelector("iframe")).contentFrame();
      await heading(again, "Your BTC is on its way");
      await again.getByText("This checkout has already been used").waitFor();
      await shoot("status-reopened");
    },
  },
  expired: {
    scenario: "expired",
    async run({ frame, shoot }) {
      await heading(frame, "This checkout has timed out");
      await shoot("stopped-expired");
    },
  },
  invalid: {
    scenario: "invalid",
    async run({ frame, shoot }) {
      await heading(frame, "Checkout can't start");
      await shoot("stopped-invalid");
    },
  },
  nohost: {
    url: "http://127.0.0.1:8190/checkout",
    async run({ frame, shoot }) {
      await frame.getByText("This checkout link isn't valid").waitFor();
      await shoot("stopped-nohost");
    },
  },
  failedtoken: {
    fail: true,
    async run({ frame, shoot }) {
      await frame.getByText("We couldn't start checkout").waitFor();
      await shoot("stopped-token");
    },
  },
  slowboot: {
    scenario: "slowboot",
    async run({ frame, shoot }) {
      await frame.getByText("Still loading").waitFor();
      await shoot("boot-slow");
    },
  },
  downboot: {
    scenario: "downboot",
    async run({ frame, shoot }) {
      await heading(frame, "We can't reach checkout");
      await shoot("boot-unreachable");
      await press(frame, "Try again");
      await heading(frame, "Buy BTC");
    },
  },
};
