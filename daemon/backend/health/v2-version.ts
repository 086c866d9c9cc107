import { COMPATIBLE_V2_VERSION, VERSION } from '../../../shared/schemas/version.ts';
import type { V2Handlers } from '../http/route.ts';

/**
 * Serves `GET /version` to all callers, as in Sensu Go: the v2 API level, which clients compare, and the version of mon
 * (completion, Versions). mon has no etcd, but clients expect strings in the etcd keys.
 */
export const VERSIONS_ON_V2: V2Handlers<'versions'> = {
  version: () => ({
    etcd: { etcdserver: '', etcdcluster: '' },
    sensu_backend: COMPATIBLE_V2_VERSION,
    mon: { version: VERSION },
  }),
};
