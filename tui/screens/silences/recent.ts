import type { RecentProblems } from '../../../shared/schemas/silence-preview.ts';
import type { Recurrence } from '../../../shared/schemas/recurrence.ts';
import { selectorProblem, silenceScopeEntries } from './form.ts';
import { recurs, typedRecurrence } from './recurrence.ts';
import type { Asks, Shown } from '../../state/ports.ts';
import type { Known, Places } from '../../model/known.ts';
import type { SilenceForm } from '../../state/layers/silence.ts';

/** How long a scope must stand before the backend is asked about it. */
const REST_MS = 150;

/** How long to wait after the backend could not be asked. */
const RETRY_MS = 2000;

/** What the backend said of the scope of the dialog that is open: which problems of late it would have covered. */
export class SilenceRecent {
  /** Whether a scope is to stand for longer: a frame must come for that, also when nothing else happens. */
  isWaiting = false;
  #wanted = '';
  /** When to ask about it. */
  #dueAtMs = 0;
  #asked = '';
  #answer: { readonly key: string; readonly problems: RecentProblems } | undefined;
  #refusal: { readonly key: string; readonly problem: string } | undefined;

  /** Asks about the scope, once it has stood for a moment, and once for each time that the dialog is opened. */
  ask(store: Shown & Asks & Pick<Known, 'feed'> & Places, nowMs: number): void {
    this.isWaiting = false;
    const layer = store.state.layers.at(-1);
    // Of several backends there is none to ask; a dialog on entries that are there is about what they cover.
    if (layer?.kind !== 'silence') return this.#forget();
    if (store.whereColumn !== undefined) return;
    const { form } = layer;
    if (form.origin !== undefined && !recurs(form)) return;
    const recurrence = recurrenceIn(form, nowMs);
    const entries = silenceScopeEntries(form);
    // What cannot be read is said by the dialog itself.
    if (entries.length === 0 || entries.some(isUnreadable)) return;
    const key = keyOf(form);
    if (key !== this.#wanted) {
      this.#wanted = key;
      this.#dueAtMs = nowMs + REST_MS;
    }
    this.isWaiting = key !== this.#asked;
    if (!this.isWaiting || nowMs < this.#dueAtMs || store.feed.connection.kind !== 'live') return;
    this.#asked = key;
    store.request({ kind: 'load-silence-recent', entries, recurrence, key });
  }

  answered(key: string, problems: RecentProblems): void {
    this.#answer = { key, problems };
  }

  refused(key: string, problem: string): void {
    this.#refusal = { key, problem };
  }

  /** The backend could not be asked. */
  failed(key: string, nowMs: number): void {
    if (key !== this.#asked) return;
    this.#asked = '';
    this.#dueAtMs = nowMs + RETRY_MS;
  }

  /** What was said is of the moment when it was asked. */
  #forget(): void {
    this.#wanted = '';
    this.#asked = '';
    this.#answer = undefined;
    this.#refusal = undefined;
  }

  refusalOf(form: SilenceForm): string | undefined {
    return this.#refusal?.key === keyOf(form) ? this.#refusal.problem : undefined;
  }

  /** @returns `undefined`: nobody has said */
  of(form: SilenceForm): RecentProblems | undefined {
    return this.#answer?.key === keyOf(form) ? this.#answer.problems : undefined;
  }
}

function keyOf(form: SilenceForm): string {
  const entries = silenceScopeEntries(form).map(({ subscription, check, selector }) => [subscription, check, selector]);
  const { schedule, zone, lasts, firstDay, lastDay } = form;
  const times = recurs(form) ? [schedule, zone, lasts, firstDay, lastDay].map(({ text }) => text) : [];
  return JSON.stringify([entries, times]);
}

function recurrenceIn(form: SilenceForm, nowMs: number): Recurrence | undefined {
  const read = recurs(form) ? typedRecurrence(form, nowMs) : undefined;
  return read?.problem === undefined ? read?.recurrence : undefined;
}

function isUnreadable({ selector }: { readonly selector?: string }): boolean {
  return selector !== undefined && selectorProblem(selector) !== undefined;
}
