import { z } from 'zod';
import { createTrustedPeriods, type TrustedNotaries } from './trusted-periods.ts';

export type { TrustedNotaries } from './trusted-periods.ts';

const instant = z.union([
  z.int().nonnegative(),
  z.iso.datetime({ offset: true }).transform((text) => Math.ceil(Date.parse(text) / 1000)),
]);

/** One key of a notary and the time in which its proofs are believed. */
export const trustedNotarySchema = z
  .strictObject({
    /** SHA-256 of the compressed public key, 64 hex digits. */
    fingerprint: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'must be the SHA-256 fingerprint of a notary key: 64 hex digits')
      .toLowerCase(),
    /** Unix seconds or an ISO 8601 date and time; inclusive; from ever when left out. */
    validFrom: instant.optional(),
    /** Exclusive; forever when left out. */
    validUntil: instant.optional(),
    /** For people. */
    name: z.string().max(200).optional(),
  })
  .refine(({ validFrom = 0, validUntil = Number.POSITIVE_INFINITY }) => validFrom < validUntil, {
    message: 'validFrom must be before validUntil',
  });

export const trustedNotariesSchema = z.array(trustedNotarySchema).max(10_000);

/** One notary that is trusted. */
export type TrustedNotary = z.input<typeof trustedNotarySchema>;

/**
 * The list of notary keys that count as trusted: `validFrom <= time < validUntil`. A key may be in it several times.
 * @throws ZodError for a malformed list.
 */
export function createTrustedNotaries(list: readonly TrustedNotary[]): TrustedNotaries {
  return createTrustedPeriods(trustedNotariesSchema.parse(list));
}
