import { toEvmForm } from "../../../apps/server/src/adapters/chains/tron/addresses.ts";
import { found } from "../../../apps/server/src/testing/catalogue.ts";
import { callData } from "./chain-world.ts";
import { addressOf, type ExpiringSweeping, makeExpiringSweeping } from "./sweeping-by-deadline.ts";
import { TRON_HOT, TRON_TOKEN, type TronPayingWorld } from "./tron-paying.ts";
import { TRON_XPUB } from "./tron-world.ts";

/** The members of the rails file that let the service sweep Tron. */
export const TRON_SWEPT = {
  deposits: { xpub: TRON_XPUB, wallet: "tron-deposits" },
  sweeps: { aboveEuro: 1 },
};

export type TronSpend = "trx" | "usdt-tron";
export type TronSweeping = ExpiringSweeping<TronSpend>;

export const makeTronSweeping = (world: TronPayingWorld): TronSweeping =>
  makeExpiringSweeping<TronSpend>(world, {
    hot: TRON_HOT,
    refunds: "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH",
    assets: ["trx", "usdt-tron"],
    holds: (address, asset) => world.holds(address, asset),
    deposit: async (view) => {
      const { units, assetId } = found(view.instruction);
      const to = toEvmForm(addressOf(view));
      const { contractAddress } = world.service().deps.catalogue().requireCurrency(assetId);
      const [from = ""] = await world.node.call<string[]>("eth_accounts");
      const hex = `0x${units.toString(16)}`;
      if (contractAddress === null) {
        await world.node.call("eth_sendTransaction", { from, to, value: hex });
        return;
      }
      await world.node.call("anvil_dealERC20", from, TRON_TOKEN, hex);
      const data = callData("transfer(address,uint256)", to, units);
      await world.node.call("eth_sendTransaction", { from, to: TRON_TOKEN, data });
    },
  });
