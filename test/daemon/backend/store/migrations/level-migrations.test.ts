import { openLevelStore } from '../../../../../daemon/backend/store/level-store.ts';
import { contentOf } from '../../../../support/earlier-stores.ts';
import { migrationContract, type StoreKind } from '../../../../support/migration-contract.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const level: StoreKind = {
  place: () => tempDir(),
  open: (dir, migrations) => openLevelStore(dir, { migrations }),
  content: async (dir) => (await contentOf(dir)).filter(([[table]]) => typeof table === 'string'),
};

migrationContract('LevelDB', level);
