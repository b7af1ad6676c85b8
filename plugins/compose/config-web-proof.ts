/** The options of notaries; see `config-schema.ts`. */
import { z } from 'zod';
import { blindNotaryOptions } from '../../adapters/blind-notary/options.ts';
import { httpNotaryOptions } from '../../adapters/http-notary/options.ts';
import { notarySecret } from '../../adapters/local-notary/notary-secret.ts';
import { notaryLimits } from '../../adapters/local-notary/options.ts';
import { mpcEngineOptions } from '../../adapters/mpc-engine/options.ts';
import { readySessions } from '../../adapters/mpc-notary/ready-option.ts';
import { path } from './config-values.ts';

const sessions = blindNotaryOptions.shape;
const engine = mpcEngineOptions.shape;

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
    sessions: z
      .strictObject({
        concurrency: sessions.concurrency.meta({
          description: 'Blind sessions (MPC-TLS) of the service notary at one time; one for two processors by default.',
        }),
        ready: engine.ready.unwrap().default(1).meta({
          description: 'Engine processes that are started before a blind session needs them.',
        }),
        readySeconds: z.int().min(0).max(3_600).default(300).meta({
          description: 'How long a session that a prover has set up ahead may wait for its request; 0 allows none.',
        }),
        maxSentData: sessions.maxSentData.meta({ description: 'Most bytes of the request of a blind session.' }),
        maxRecvData: sessions.maxRecvData.meta({
          description: 'Most bytes of the answer in a blind session; more takes more memory and time.',
        }),
        memoryMiB: engine.memoryMiB.meta({
          description: 'Most memory of the process of one blind session; 1 KB takes 450 MiB, 4 KB takes 500 MiB.',
        }),
        stockProvers: z.enum(['token', 'anyone', 'off']).default('off').meta({
          description: 'Who may open sessions for stock provers of TLSNotary: token (any token), anyone, or off.',
        }),
      })
      .optional(),
  })
  .prefault({});

export const remoteNotaries = z
  .array(
    z.strictObject({
      ...httpNotaryOptions.pick({ url: true, token: true, fingerprint: true }).shape,
      mode: z.enum(['attesting', 'blind']).optional(),
      readySessions: readySessions.default(1),
    }),
  )
  .max(100)
  .default([]);
