"""Written by `npm run generate -w @exchange/node` from the contract. Do not edit."""

DECIMALS = frozenset(
    {
        "amount",
        "amountReceived",
        "amountToSend",
        "baseAmount",
        "fixed",
        "max",
        "min",
        "percent",
        "rate",
        "received",
        "totalPrice",
    }
)
FREE_MAPS = frozenset(
    {
        "metadata",
    }
)
