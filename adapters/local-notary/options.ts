/** The options of the embedded notary. */
import { z } from 'zod';
import { notarySecret } from './notary-secret.ts';

/** How much it does at a time. */
export const notaryLimits = z.object({
  /** Of one request. @default 30_000 */
  timeoutMs: z
    .int()
    .min(1)
    .max(300_000)
    .default(30_000)
    .meta({ description: 'For one request of the notary, from resolving the name to the last byte.' }),
  /** Requests at one time. @default 64 */
  concurrency: z.int().min(1).max(1_000).default(64).meta({
    description: 'Requests of the notary at one time, over all callers; one caller gets at most half of them.',
  }),
  /** Requests that may wait. @default 256 */
  maxQueued: z.int().min(0).max(10_000).default(256).meta({
    description: 'Requests that may wait for their turn, a quarter of them of one caller. After 10 s they are refused.',
  }),
});

/** As hosts configure it. */
export const embeddedNotary = z.strictObject({
  key: z
    .union(
      [
        z.strictObject({
          file: z.string().min(1).meta({
            variable: 'NOTARY_KEY_FILE',
            shown: 'plain',
            description: "File of the notary's signing key, created with mode 0600.",
          }),
        }),
        z.strictObject({
          secret: notarySecret.meta({
            type: 'Uint8Array<ArrayBuffer>',
            description: 'The 32 bytes of the key themselves, instead of a file.',
          }),
        }),
      ],
      'must be { file: "./data/notary.key" }, or { secret } with the 32 bytes of the key as a Uint8Array',
    )
    .meta({ typeName: 'NotaryKeyOptions', description: 'The secp256k1 signing key, or its file.' })
    .default({ file: './data/notary.key' }),
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .optional()
    .meta({
      variable: 'NOTARY_URL',
      shown: 'endpoint',
      description: 'Address of the default notary, written into proofs.',
    }),
  ...notaryLimits.shape,
});

/** The embedded notary as a value of the configuration. `NotaryOptions` of `credence` describes each option. */
export type EmbeddedNotaryOptions = z.input<typeof embeddedNotary>;

/**
 * The embedded notary as a value: `createCredence({ notary: localNotary({ key: { file: './notary.key' } }) })`. The same as the
 * options themselves; `createCredence` checks them.
 */
export function localNotary(options: EmbeddedNotaryOptions = {}): EmbeddedNotaryOptions {
  return options;
}
