import type { RecentProblems } from '../../../shared/schemas/silence-preview.ts';
import type { Recurrence } from '../../../shared/schemas/recurrence.ts';
import { selectorProblem, silenceScopeEntries } from './form.ts';
import { isRecurring, typedRecurrence } from './recurrence.ts';
import type { Screen } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { SilenceForm } from '../../state/layers/silence.ts';

/** Time for which the scope must stay unchanged before a request is sent, in milliseconds. */
const SETTLE_MS = 150;

/** Time until the next attempt after a failed request, in milliseconds. */
const RETRY_MS = 2000;

/**
 * Requests and stores information about the silence in the open dialog: the recent problems that it would have covered,
 * or why the backend would reject it.
 */
export class SilenceRecent {
  /**
   * True while a request is due later, because the scope has just changed. Frames must then be drawn even if nothing
   * else happens.
   */
  isWaiting = false;
  #currentKey = '';
  /** Epoch milliseconds when the request is due. */
  #dueAtMs = 0;
  #requestedKey = '';
  #answer: { readonly key: string; readonly problems: RecentProblems } | undefined;
  #refusal: { readonly key: string; readonly problem: string } | undefined;

  /**
   * Requests the recent problems when the scope has not changed for a moment, and again each time that the dialog
   * opens.
   */
  ask(store: Screen & LiveData, nowMs: number): void {
    this.isWaiting = false;
    const layer = store.state.layers.at(-1);
    // In a merged list there is no single backend to ask. A dialog that changes silences without a recurrence needs no
    // request: it already shows what they cover.
    if (layer?.kind !== 'silence') return this.#forget();
    if (store.whereColumn !== undefined) return;
    const { form } = layer;
    if (form.origin?.kind === 'change' && !isRecurring(form)) return;
    const recurrence = validRecurrence(form, nowMs);
    const entries = silenceScopeEntries(form);
    // Nothing is requested for values that cannot be parsed: the dialog reports them itself.
    if (entries.length === 0 || entries.some(isUnreadable)) return;
    const key = keyOf(form);
    if (key !== this.#currentKey) {
      this.#currentKey = key;
      this.#dueAtMs = nowMs + SETTLE_MS;
    }
    this.isWaiting = key !== this.#requestedKey;
    if (!this.isWaiting || nowMs < this.#dueAtMs || store.feed.connection.kind !== 'live') return;
    this.#requestedKey = key;
    store.request({ kind: 'load-silence-recent', entries, recurrence, key });
  }

  answered(key: string, problems: RecentProblems): void {
    this.#answer = { key, problems };
  }

  refused(key: string, problem: string): void {
    this.#refusal = { key, problem };
  }

  /** Schedules a retry after a failed request. */
  failed(key: string, nowMs: number): void {
    if (key !== this.#requestedKey) return;
    this.#requestedKey = '';
    this.#dueAtMs = nowMs + RETRY_MS;
  }

  /** Drops the stored responses when the dialog is closed, because they may be outdated when it is opened again. */
  #forget(): void {
    this.#currentKey = '';
    this.#requestedKey = '';
    this.#answer = undefined;
    this.#refusal = undefined;
  }

  refusalOf(form: SilenceForm): string | undefined {
    return this.#refusal?.key === keyOf(form) ? this.#refusal.problem : undefined;
  }

  /**
   * Returns the recent problems that the silence of a form would have covered.
   *
   * @returns the recent problems; `undefined` until the backend has responded
   */
  of(form: SilenceForm): RecentProblems | undefined {
    return this.#answer?.key === keyOf(form) ? this.#answer.problems : undefined;
  }
}

function keyOf(form: SilenceForm): string {
  const entries = silenceScopeEntries(form).map(({ subscription, check, selector }) => [subscription, check, selector]);
  const { schedule, zone, lasts, firstDay, lastDay } = form;
  const times = isRecurring(form) ? [schedule, zone, lasts, firstDay, lastDay].map(({ text }) => text) : [];
  return JSON.stringify([entries, times]);
}

function validRecurrence(form: SilenceForm, nowMs: number): Recurrence | undefined {
  const read = isRecurring(form) ? typedRecurrence(form, nowMs) : undefined;
  return read?.problem === undefined ? read?.recurrence : undefined;
}

function isUnreadable({ selector }: { readonly selector?: string }): boolean {
  return selector !== undefined && selectorProblem(selector) !== undefined;
}
