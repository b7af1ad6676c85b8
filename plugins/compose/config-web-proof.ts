/** The options of notaries; see `config-schema.ts`. */
import { z } from 'zod';
import { httpNotaryOptions } from '../../adapters/http-notary/options.ts';
import { notarySecret } from '../../adapters/local-notary/notary-secret.ts';
import { notaryLimits } from '../../adapters/local-notary/options.ts';
import { path } from './config-values.ts';

export const notary = z
  .strictObject({
    key: z
      .union(
        [
          z.strictObject({
            file: path.meta({
              variable: 'NOTARY_KEY_FILE',
              shown: 'plain',
              description: "The notary's signing key; notary.key in $DATA_DIR when unset, created with mode 0600.",
            }),
          }),
          z.strictObject({
            secret: notarySecret.meta({ description: 'The 32 bytes of the key themselves, instead of a file.' }),
          }),
        ],
        'must be { file: "./data/notary.key" }, or { secret } with the 32 bytes of the key as a Uint8Array',
      )
      .default({ file: './data/notary.key' }),
    url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .meta({
        variable: 'NOTARY_URL',
        shown: 'endpoint',
        description: 'Address of the default notary, written into proofs.',
      }),
    ...notaryLimits.shape,
  })
  .prefault({});

export const remoteNotaries = z
  .array(z.strictObject(httpNotaryOptions.pick({ url: true, token: true, fingerprint: true }).shape))
  .max(100)
  .default([]);
