"""Written by `npm run generate -w @exchange/node` from the contract. Do not edit."""

DECIMALS = frozenset(
    {
        "amount",
        "amountReceived",
        "amountToSend",
        "baseAmount",
        "deliveryFee",
        "exchangeFee",
        "fixed",
        "max",
        "min",
        "percent",
        "rate",
        "received",
        "spread",
        "spreadPercent",
        "total",
        "totalPrice",
        "value",
    }
)
FREE_MAPS = frozenset(
    {
        "metadata",
    }
)
