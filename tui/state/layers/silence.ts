import type { SilenceForm } from '../../screens/silences/form.ts';

export interface SilenceLayer {
  readonly kind: 'silence';
  readonly form: SilenceForm;
}
