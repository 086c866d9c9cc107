import { OVERVIEW } from './overview/actions.ts';
import { UPGRADE } from './plans/lines.ts';
import type { ViewName } from '../state/view-names.ts';
import type { PageView } from './page-view.ts';

export const PAGES: Partial<Readonly<Record<ViewName, PageView>>> = { overview: OVERVIEW, upgrade: UPGRADE };
