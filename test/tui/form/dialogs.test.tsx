import { describe, expect, test } from 'vitest';
// This import registers the actions, whose keys the buttons show.
import '../../../tui/actions/all.ts';
import { Dialog, type DialogPage } from '../../../tui/form/dialog.tsx';
import { confirmDialog as confirmPage } from '../../../tui/form/question-dialog.ts';
import { silenceDialog as silencePage } from '../../../tui/screens/silences/dialog.ts';
import { openSilenceForm } from '../../../tui/screens/silences/form.ts';
import { EMPTY_LINE, lineOf } from '../../../tui/text/line-editor.ts';
import type { SilencePreview } from '../../../tui/model/silence-preview.ts';
import { silencePolicy } from '../../support/silence-policy.ts';
import { frameOf } from '../../support/frame-of.tsx';
import type { ConfirmLayer } from '../../../tui/state/layers/confirm.ts';
import type { SilenceForm } from '../../../tui/state/layers/silence.ts';

const THEME = { color: false, ascii: false };
const SIZE = { columns: 90, rows: 30 };
const NOW_MS = Date.UTC(2026, 10, 20, 22, 14);
const TARGETS = ['a', 'b', 'c', 'd', 'e'].map((client) => ({ key: `${client}/disk`, client, check: 'disk' }));
const NOTHING: SilencePreview = {
  total: 0,
  bySeverity: { ok: 0, warning: 0, critical: 0, unknown: 0 },
  alreadySilenced: 0,
  others: { count: 0, names: [] },
  overlaps: [],
};

function drawn(dialog: DialogPage, size = SIZE): string {
  return frameOf(<Dialog theme={THEME} size={size} dialog={dialog} />, size);
}

function silenceDialog(form: SilenceForm, preview = NOTHING, size = SIZE): string {
  const about = { form, preview, policy: silencePolicy(), silenced: new Map(), nowMs: NOW_MS };
  return drawn(silencePage(about, size), size);
}

function confirmDialog(layer: ConfirmLayer, size = SIZE): string {
  return drawn(confirmPage(layer, size), size);
}

describe('the silence dialog', () => {
  test('the silence dialog names its first targets and counts the other targets', () => {
    const text = silenceDialog(openSilenceForm(TARGETS, []));
    expect(text).toContain('Silence 5 events');
    expect(text).toContain('these 5 client/check pairs: a/disk, b/disk, c/disk and 2 more');
    expect(text).toContain('check disk on all clients');
    expect(text).not.toContain('subscription');
  });

  test('the silence dialog states on its button what it will do', () => {
    const preview = {
      ...NOTHING,
      total: 3,
      bySeverity: { ...NOTHING.bySeverity, critical: 2, warning: 1 },
      alreadySilenced: 1,
    };
    const text = silenceDialog(openSilenceForm(TARGETS, []), preview);
    expect(text).toContain('[ Silence 3 events ]');
    expect(text).toContain('matches now: 3 events ✗ 2 ! 1, 1 already silenced');
  });

  test('the silence dialog shows when the silence ends, with the date if the end is on another day', () => {
    const form = openSilenceForm(TARGETS, []);
    expect(silenceDialog(form)).toContain('ends 23:14Z (in 1h) or when the check resolves');
    expect(silenceDialog({ ...form, duration: 3, onResolve: false })).toContain('ends 2026-11-21 02:14Z (in 4h)');
  });

  test('the silence dialog asks for a confirmation of a scope that covers many events', () => {
    expect(silenceDialog(openSilenceForm(TARGETS, []), { ...NOTHING, total: 51 })).toContain('is the scope right?');
  });

  test('the silence dialog shows its problem and its buttons on the smallest screen', () => {
    const form = {
      ...openSilenceForm(TARGETS, []),
      scope: 'search',
      selector: lineOf('client~web-*'),
      starts: 'recurs',
      problem: 'still loading the next windows: press Ctrl-S again in a moment',
    } as const;
    const smallest = { columns: 60, rows: 16 };
    expect(silenceDialog(form, NOTHING, smallest)).toMatch(
      /still loading the next.*\[ Create 1 silence \] {3}\[ Cancel \]/su,
    );
    const typing = silenceDialog({ ...form, problem: undefined }, NOTHING, smallest);
    expect(typing).toMatch(/Reason.*\[ Create 1 silence \] {3}\[ Cancel \]/su);
  });

  test('the silence dialog shows why the silence was not sent', () => {
    const form = { ...openSilenceForm(TARGETS, []), problem: 'a reason is required' };
    expect(silenceDialog(form)).toContain('a reason is required');
  });
});

describe('a confirmation dialog', () => {
  const question: ConfirmLayer = {
    kind: 'confirm',
    title: 'Resolve 2 events',
    lines: ['a/disk', 'b/disk'],
    button: 'Resolve 2 events',
    focused: 'submit',
    effect: { kind: 'delete-events', targets: TARGETS.slice(0, 2) },
  };

  test('a confirmation dialog shows which button Enter presses, also without color', () => {
    expect(confirmDialog(question)).toContain('[ Cancel ]   [[ Resolve 2 events ]]');
    expect(confirmDialog({ ...question, focused: 'cancel' })).toContain('[[ Cancel ]]   [ Resolve 2 events ]');
  });

  test('a confirmation dialog without an effect has only one button', () => {
    const text = confirmDialog({ ...question, button: 'Close', effect: undefined });
    expect(text).toContain('[[ Close ]]');
    expect(text).not.toContain('Cancel');
  });

  test.each([
    { columns: 80, rows: 24 },
    { columns: 60, rows: 16 },
  ])('a confirmation dialog at $columns x $rows shows its consequence, however long its other texts are', (size) => {
    const reason = 'moved to the other site, see the notes of the change '.repeat(40);
    const text = confirmDialog(
      {
        ...question,
        lines: [`a/disk by bob, 2h left: ${reason}`, 'b/disk by bob, 2h left: short', 'This unsilences 7 events.'],
        typed: { expected: '25', line: EMPTY_LINE },
      },
      size,
    );
    expect(text).toMatch(/a\/disk by bob, 2h left: moved to the other site.*…/su);
    expect(text).toContain('b/disk by bob, 2h left: short');
    expect(text).toContain('This unsilences 7 events.');
    expect(text).toContain('type 25 to confirm');
    expect(text).toContain('[[ Resolve 2 events ]]');
  });
});
