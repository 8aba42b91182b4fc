/** The groups of the operations in the console's OpenAPI document, in its order. */
export const TAGS = [
  ["Sign in", "Sessions begin here. Nothing else needs no account."],
  ["Own account", "Your session, passkeys and proofs of presence."],
  ["People", "Accounts, their roles and invitations."],
  ["Service accounts", "Accounts of programs, which call with a key."],
  ["Overview", "The work that needs a person now."],
  ["Orders", "Find an order, read its story, decide about it."],
  ["Payouts", "Payouts that wait, approvals, and stops."],
  ["Treasury", "The coins and money that there are, and breaks of the audit."],
  ["Ledger", "Entries and statements."],
  ["Reports", "Days, volume and fees."],
  ["Prices", "Prices of methods: changes by two people, their preview and history."],
  ["Catalogue", "Countries, currencies, networks and payment methods, and their stops."],
  ["Merchant overview", "A merchant's first screen."],
  ["Merchants", "All merchants, for the operator: their state, keys, origins and settings."],
  ["Keys", "A merchant's API keys and origins."],
  ["Webhooks", "A merchant's webhook endpoints and deliveries."],
  ["Install", "Code for a merchant's page and server."],
  ["Requests", "A merchant's calls of the API."],
  ["Settings", "A merchant's name, look and defaults."],
  ["Audit", "The log of changes."],
] as const;

export type Tag = (typeof TAGS)[number][0];
