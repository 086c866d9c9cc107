import type { ChangeRecord } from '../ports.ts';

/** Tells a listener of a write. The write is done by then: a listener that throws is a defect of its own. */
export function tell(listener: (record: ChangeRecord) => void, record: ChangeRecord): void {
  try {
    listener(record);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
