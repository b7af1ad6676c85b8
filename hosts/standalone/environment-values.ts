/** Values of environment variables, as text and checked. */
import { z } from 'zod';

/** Separated by commas; spaces around an entry and empty entries do not matter. */
export const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^[0-9]+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max));
