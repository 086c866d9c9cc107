import type { V2Query } from '../../shared/client/v2-client.ts';
import type { CommandCall } from './command.ts';
import { valueOption, type CommandOption } from './flags.ts';

/** Options that filter a list of the v2 API on the backend, by labels or by attributes. */
export const SELECTOR_OPTIONS: Readonly<Record<'label-selector' | 'field-selector', CommandOption>> = {
  'label-selector': valueOption('TEXT', "filter by labels: 'region == eu && tier in (web, db)'"),
  'field-selector': valueOption('TEXT', "filter by attributes: 'entity.name == web-001'"),
};

export function selectorsOf({ flags }: Pick<CommandCall, 'flags'>): V2Query {
  return { labelSelector: flags.value('label-selector'), fieldSelector: flags.value('field-selector') };
}
