/** Units that are shown in place of the units of performance data, by the base unit, largest first. */
const SCALES_BY_UNIT: Readonly<Record<string, readonly (readonly [factor: number, unit: string])[]>> = {
  s: [
    [1, ' s'],
    [1e-3, ' ms'],
    [1e-6, ' µs'],
  ],
  B: [
    [1024 ** 4, ' TiB'],
    [1024 ** 3, ' GiB'],
    [1024 ** 2, ' MiB'],
    [1024, ' KiB'],
    [1, ' B'],
  ],
  '': [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
    [1, ''],
  ],
};

/** The units with other units of the same kind, with their base unit. Nagios plugins use binary factors for bytes. */
const BASE_UNITS: Readonly<Record<string, readonly [factor: number, base: string]>> = {
  us: [1e-6, 's'],
  µs: [1e-6, 's'],
  ms: [1e-3, 's'],
  s: [1, 's'],
  B: [1, 'B'],
  KB: [1024, 'B'],
  MB: [1024 ** 2, 'B'],
  GB: [1024 ** 3, 'B'],
  TB: [1024 ** 4, 'B'],
  '': [1, ''],
  c: [1, ''],
};

/** A plain number is shortened from five digits on. */
const PLAIN_LEAST = 10;

/** A unit in which values are short numbers. */
export interface QuantityScale {
  /** The number by which values are divided. */
  readonly divisor: number;
  /** The text after the number, such as ` GiB`, ` %` or `k`. */
  readonly suffix: string;
}

/**
 * Returns the unit in which a value, and smaller ones, are short numbers: `250 ms`, `1.5 GiB`, `80 %`, `12k`.
 *
 * @param unit the unit as the check wrote it
 */
export function quantityScale(value: number, unit: string): QuantityScale {
  const base = BASE_UNITS[unit];
  if (base === undefined) return { divisor: 1, suffix: ` ${unit}` };
  const [toBase, name] = base;
  const scales = SCALES_BY_UNIT[name] ?? [];
  const size = Math.abs(value) * toBase;
  const least = name === '' ? PLAIN_LEAST : 1;
  const scale = scales.find(([factor]) => (size === 0 ? factor === 1 : size >= factor * least));
  const [factor, suffix] = scale ?? scales.at(-1) ?? [1, ''];
  return { divisor: factor / toBase, suffix };
}

/** Formats a value with its unit, with three significant digits. */
export function quantityText(value: number, unit: string): string {
  const { divisor, suffix } = quantityScale(value, unit);
  return String(Number((value / divisor).toPrecision(3))) + suffix;
}

/** Maximum number of decimals on a scale. */
const DECIMALS_MAX = 6;

/**
 * Formats a number on a scale with as many decimals as the scale needs.
 *
 * @param step the difference between two labels of the scale
 */
export function scaleText(value: number, step: number): string {
  if (Math.abs(value) >= 1e9) return value.toPrecision(3);
  let decimals = 0;
  while (decimals < DECIMALS_MAX && Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6)
    decimals++;
  return String(Number(value.toFixed(decimals)));
}
