import { MON_API } from '../../../shared/api/mon.ts';
import { actorOf } from '../access/actor.ts';
import { bodyValidator, readBody } from '../http/json-body.ts';
import type { MonHandlers } from '../http/route.ts';
import type { StoreUpgrades } from './store-upgrades.ts';

const validateStoreUpgrade = bodyValidator(MON_API.startStoreUpgrade);

/** Returns the route handlers that show the schema of the store and upgrade it while the backend runs. */
export function storeUpgradeOnMon({
  storeUpgrades,
}: {
  readonly storeUpgrades: StoreUpgrades;
}): MonHandlers<'storeUpgrade' | 'startStoreUpgrade'> {
  return {
    storeUpgrade: () => storeUpgrades.status(),
    startStoreUpgrade: async (request) => {
      await storeUpgrades.start(actorOf(request), readBody(request, validateStoreUpgrade));
      return storeUpgrades.status();
    },
  };
}
