/**
 * TLSNotary's own protocol of notaries, 0.1.0-alpha.12, for stock provers (tlsn-js, tlsn-wasm): what a notary is and where its
 * sessions are opened. They are joined over a WebSocket (`session-upgrades.ts`).
 */

import { callerKey, DomainError, defineRoute, FORMAT_VERSION, reply } from 'credence/kit';
import { z } from 'zod';
import type { NotarySessionRouteDeps } from './notary-sessions.ts';

export interface StockProverRouteDeps extends NotarySessionRouteDeps {
  /** Where the routes are: '' or a path without a slash at its end. */
  readonly base: string;
  /** Who may open sessions: callers with a token, or anyone who reaches the notary. */
  readonly provers: 'token' | 'anyone';
  /** PEM, SPKI, of the key that signs. */
  readonly publicKey: () => string | Promise<string>;
  /** Says what runs here, in the place of the commit that TLSNotary's own notary names. */
  readonly build: string;
}

const limit = z
  .int()
  .min(1)
  .nullish()
  .transform((given) => given ?? undefined);

export function createStockProverRoutes({ base, blind, provers, publicKey, build }: StockProverRouteDeps) {
  const name = base === '' ? 'AtRoot' : '';
  return [
    defineRoute(`tlsnotaryInfo${name}`, `GET ${base}/info`, {
      tag: 'TLSNotary',
      summary: 'Version and public key of the notary',
      description: "As TLSNotary's notary of 0.1.0-alpha.12 answers.",
      access: 'public',
      responses: {
        200: {
          description: 'The notary.',
          schema: z.object({
            version: z.string(),
            publicKey: z.string().meta({ description: 'PEM, secp256k1.', example: '-----BEGIN PUBLIC KEY-----' }),
            gitCommitHash: z
              .string()
              .meta({ description: 'What runs here: Credence and its version.', example: 'credence-0.1.0' }),
          }),
        },
      },
      handle: async () => reply(200, { version: FORMAT_VERSION, publicKey: await publicKey(), gitCommitHash: build }),
    }),
    defineRoute(`tlsnotarySession${name}`, `POST ${base}/session`, {
      tag: 'TLSNotary',
      summary: 'Open a session for a stock prover of TLSNotary',
      description: `For \`notarize\` of tlsn-js and tlsn-wasm 0.1.0-alpha.12. The prover joins with a WebSocket at \`${base}/notarize?sessionId=…\`, which needs no token. The notary signs without learning the server, the request or the response. Send a token of the notary as \`Authorization: Bearer …\` or \`X-API-Key\`. If its operator lets anyone in, strangers need none, and leave half of the places to tokens. A session counts as a web proof against the quota of its token. If all places are taken, the answer is 503 with \`Retry-After\`.`,
      access: provers,
      apiKey: true,
      brand: 'any',
      makesWebProof: true,
      idempotencyKeys: false,
      body: z.object({
        clientType: z.enum(['Websocket', 'Tcp']),
        maxSentData: limit.describe('Most bytes of the request. The most that this notary takes by default.'),
        maxRecvData: limit.describe('Most bytes of the response. The most that this notary takes by default.'),
      }),
      responses: {
        200: {
          description: 'A session that waits for its prover.',
          schema: z.object({ sessionId: z.string().meta({ example: '000102030405060708090a0b0c0d0e0f' }) }),
        },
      },
      errors: ['NOT_SUPPORTED', 'SERVICE_UNAVAILABLE'],
      checkInput: async ({ body: { clientType, ...limits } }) => {
        const notary = await blind();
        if (clientType === 'Tcp') {
          throw new DomainError('INVALID_REQUEST', 'clientType: this notary takes provers with a Websocket only.');
        }
        notary.check(limits);
      },
      handle: async ({ body: { clientType: _websocket, ...limits }, caller, ip }) => {
        // Strangers are told apart by their addresses.
        const opener = caller === null ? `ip:${ip}` : callerKey(caller);
        const notary = await blind();
        const { sessionId } = notary.open('tlsnotary', { ...limits, isStranger: caller === null }, opener);
        return reply(200, { sessionId });
      },
    }),
  ];
}
