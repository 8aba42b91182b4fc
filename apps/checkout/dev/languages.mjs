// A purchase told by structure, not by words: the same walk in every language.
const ADDRESS = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";

export const languages = {
  async run({ frame, shoot }) {
    const next = () => frame.locator("button.main-button").click();
    const fill = (field, text) => frame.locator(field).fill(text);
    await frame.locator(".price-line .price").waitFor();
    await shoot("languages-amount");
    await fill("#amount-spend", "5");
    await frame.locator(".error").waitFor();
    await shoot("languages-amount-below");
    await fill("#amount-spend", "100");
    await frame.locator("#amount-receive:not([value='']):not([aria-busy=true])").waitFor();
    await frame.locator("button.pill").last().click();
    await frame.locator(".options").waitFor();
    await shoot("languages-currency");
    await frame.locator(".back").click();
    await next();
    await frame.locator(".choices").waitFor();
    await shoot("languages-method");
    await next();
    await frame.locator("#wallet-address").waitFor();
    await next();
    await shoot("languages-wallet-empty");
    await fill("#wallet-address", ADDRESS);
    await frame.locator(".good").waitFor();
    await next();
    await frame.locator("#card-number").waitFor();
    await next();
    await shoot("languages-card-errors");
    await frame.locator(".test-cards .quiet-button").first().click();
    await next();
    await frame.locator(".headline").waitFor();
    await shoot("languages-review");
    await frame.locator("button.close").click();
    await shoot("languages-leave");
    await frame.locator("dialog .main-button").click();
    await next();
    await frame.locator(".emblem-going").waitFor();
    await shoot("languages-going");
    await frame.locator(".emblem-good").waitFor();
    await shoot("languages-completed");
  },
};
