/** The sessions of a blind notary: opened here, joined over a WebSocket (`session-upgrades.ts`). */

import { callerKey, defineRoute, enveloped, envelopeOf, NOTARY_PATH, reply, timestamp } from 'credence/kit';
import { z } from 'zod';
import type { BlindNotary } from '../notary/blind-notary.ts';

export interface NotarySessionRouteDeps {
  /**
   * Asked for by each request: its code may be loaded by the first one.
   * @throws DomainError `NOT_SUPPORTED` if this notary offers no such sessions, saying why
   */
  readonly blind: () => BlindNotary | Promise<BlindNotary>;
}

const sessionWishes = z.strictObject({
  maxSentData: z
    .int()
    .min(1)
    .optional()
    .describe('Most bytes of the request. The most that this notary takes by default.'),
  maxRecvData: z
    .int()
    .min(1)
    .optional()
    .describe('Most bytes of the response. The most that this notary takes by default.'),
});

export function createNotarySessionRoutes({ blind }: NotarySessionRouteDeps) {
  return [
    defineRoute('openSession', `POST ${NOTARY_PATH}/sessions`, {
      tag: 'Notary',
      summary: 'Open a session of the blind notary',
      description: `A blind notary takes part in a TLS connection of yours (MPC-TLS) and signs what you reveal of it: it never has what you hide. Join the session with a WebSocket at \`${NOTARY_PATH}/sessions/{sessionId}\`, with the same token, before it expires. If all places are taken, the answer is 503 with \`Retry-After\`.`,
      access: 'token',
      brand: 'any',
      makesWebProof: true,
      dialect: 'v2',
      body: sessionWishes,
      bodyOptional: true,
      responses: {
        201: {
          description: 'A session that waits for its prover.',
          schema: envelopeOf(
            z.object({
              sessionId: z.string().meta({ example: '000102030405060708090a0b0c0d0e0f' }),
              maxSentData: z.int(),
              maxRecvData: z.int(),
              expiresAt: timestamp,
            }),
          ),
        },
      },
      errors: ['NOT_SUPPORTED', 'SERVICE_UNAVAILABLE'],
      checkInput: async ({ body = {} }) => (await blind()).check(body),
      handle: async ({ body = {}, caller }) => {
        const { body: answer } = enveloped((await blind()).open('credence', body, callerKey(caller)));
        return reply(201, answer);
      },
    }),
  ];
}
