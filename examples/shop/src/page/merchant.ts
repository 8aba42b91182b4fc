/** Who sells here: the same as in the address of exchange.js. Public, both of them. */
export const { clientId = "", env = "" } = document.body.dataset;
