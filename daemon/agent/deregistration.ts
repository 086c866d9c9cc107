import { isSettings, mergeSettings } from '../../shared/domain/merge-settings.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';
import type { ClientIdentity } from './client-record.ts';

/**
 * What an agent with `deregister: true` reports when it stops on request (completion 1.10), under the attributes of the
 * client's `deregistration`.
 *
 * @param now epoch seconds
 */
export function deregistrationResult({ deregistration }: ClientIdentity, now: number): SubmittedResult {
  const result = {
    name: 'deregistration',
    output: 'client initiated deregistration',
    status: 1,
    handler: 'deregistration',
  };
  const merged = isSettings(deregistration) ? mergeSettings(result, deregistration) : result;
  return { ...result, ...merged, issued: now, executed: now };
}
