"""Written by `npm run generate -w @exchange/node` from the contract. Do not edit."""
