import { z } from 'zod';
import { createTrustedPeriods, LAST_SECOND, type TrustedNotaries } from './trusted-periods.ts';

export type { TrustedNotaries } from './trusted-periods.ts';

const instant = z.union([
  z.int().nonnegative().max(LAST_SECOND, 'must be Unix seconds, not milliseconds'),
  z.iso.datetime({ offset: true }).transform((text) => Math.ceil(Date.parse(text) / 1000)),
]);

/** One key of a notary and the time in which its proofs are believed. */
export const trustedNotarySchema = z
  .strictObject({
    fingerprint: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'must be the SHA-256 fingerprint of a notary key: 64 hex digits')
      .toLowerCase()
      .meta({ description: 'SHA-256 of the compressed public key, 64 hex digits.' }),
    validFrom: instant.optional().meta({
      description:
        'Trusted for sessions from this time on: unix seconds, or an ISO 8601 date and time; from ever when left out.',
    }),
    validUntil: instant
      .optional()
      .meta({ description: 'Trusted for sessions before this time; forever when left out.' }),
    name: z.string().max(200).optional().meta({ description: 'For people.' }),
  })
  .refine(({ validFrom = 0, validUntil = Number.POSITIVE_INFINITY }) => validFrom < validUntil, {
    message: 'validFrom must be before validUntil',
  })
  .meta({ typeName: 'TrustedNotaryOptions', description: 'A key whose proofs count as trusted.' });

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
