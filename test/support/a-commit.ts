import type { Commit } from '../../daemon/backend/model/transaction/commit-board.ts';

export function aCommit(): Commit {
  return { seq: 1, changes: [], results: 0, jobs: [], handlingNotes: [], times: undefined };
}
