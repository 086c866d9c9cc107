import { ACCESS_MUTANTS } from './access.ts';
import { CLUSTER_MUTANTS } from './cluster.ts';
import { COMMAND_MUTANTS } from './commands.ts';
import { LIMIT_MUTANTS } from './limits.ts';
import type { Mutant } from './mutant.ts';
import { STORE_MUTANTS } from './store.ts';
import { TIME_AND_TLS_MUTANTS } from './time-and-tls.ts';

export const MUTANTS: readonly Mutant[] = [
  ...STORE_MUTANTS,
  ...ACCESS_MUTANTS,
  ...LIMIT_MUTANTS,
  ...COMMAND_MUTANTS,
  ...TIME_AND_TLS_MUTANTS,
  ...CLUSTER_MUTANTS,
];
