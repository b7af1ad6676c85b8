/**
 * Connected accounts: start the ownership flow, its page, and the list
 * (docs/specification/engagement.md#creators-and-social-accounts).
 */
import { z } from 'zod';
import type { Caller } from '../../../core/access/token.ts';
import { CODE_HEADER, CODE_PARAMETER } from '../../../core/engagement/connections/connection.ts';
import { DomainError } from '../../../core/errors.ts';
import type { PlatformRegistry } from '../../../core/platforms/registry.ts';
import { type PageRequest, pageOfItems } from '../../../core/ports/paging.ts';
import type { LimitRule } from '../../../core/ports/rate-limiter.ts';
import * as example from '../examples/samples.ts';
import { BY_ID, readListPart } from '../list-cursor.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf, externalIdText, listOf, partQuery, platformName, registeredPlatform, timestamp } from '../schemas.ts';
import { type ConnectionRouteDeps, connectPageRoutes, proofUrlsOf } from './connect-pages.ts';
import { profileData } from './creators.ts';

/** Requests of one creator, no matter who starts them. */
const CONNECT_PER_CREATOR: LimitRule = { name: 'connect-creator', units: 20, windowSeconds: 600 };

const connectBody = (platforms: PlatformRegistry) =>
  z
    .strictObject({
      platform: registeredPlatform(platforms),
      inputs: z
        .strictObject({ handle: z.string().min(1).max(64).optional() })
        .optional()
        .meta({ description: 'Per platform; all take `handle`. Without it the page asks for it.' }),
      externalId: externalIdText('Whose account; needed with an admin token.').optional(),
      returnUrl: z.string().min(1).max(2048).optional().meta({
        format: 'uri',
        description:
          'Where the page leads back to, with `status` (`connected`, `failed`, `expired` or `pending`), `platform` and `requestId` in the query. Its origin must be one that the operator lists. The page does not prove anything to you: ask `listSocialAccounts`, or wait for `account.connected`.',
      }),
    })
    .meta({ example: { platform: example.PLATFORM, inputs: { handle: '@nasa' } } });

/** A linked account, of whatever state. */
export const connectedAccount = z
  .object({
    id: z.int(),
    platform: platformName,
    platformUsername: z.string(),
    profileData,
    ownershipProven: z.boolean(),
    platformAccountId: z.string().nullable().meta({
      description:
        "The platform's own id of the account, recorded with the proof of ownership. It stays when the handle changes.",
    }),
    connectedAt: timestamp,
    disconnectedAt: timestamp.nullable(),
  })
  .meta({ id: 'ConnectedAccount' });

const webProofDirections = z
  .object({
    code: z.string(),
    header: z.string().meta({ description: 'The request header that carries the code.' }),
    parameter: z.string().meta({ description: 'The query parameter that carries it instead.' }),
    urls: z.array(z.string()).meta({ description: 'What to prove; one of them.' }),
  })
  .meta({
    id: 'WebProofDirections',
    description:
      'How to prove the logged-in account by a web proof: a GET of one of the addresses with the code, visible.',
  });

const common = { tag: 'Creators', access: 'token', brand: 'none' } as const;

export function createConnectionRoutes(deps: ConnectionRouteDeps) {
  return [...accountRoutes(deps), ...connectPageRoutes(deps)];
}

function accountRoutes({ connections, platforms }: ConnectionRouteDeps) {
  return [
    defineRoute('connectSocialAccount', 'POST /social-accounts/connect', {
      ...common,
      summary: 'Start the flow by which a creator proves that a profile is theirs',
      description:
        'Send the creator to `redirectUrl`: the page shows a one-time code to put into the bio of the profile, checks it and links the account. A connected account is announced as `account.connected`. A creator starts at most 20 requests in ten minutes and has at most 10 open; each expires after half an hour.',
      audit: 'creator',
      body: connectBody(platforms),
      responses: {
        201: {
          description: 'The flow is open.',
          schema: dataOf(
            z.object({
              redirectUrl: z.string(),
              requestId: z.string(),
              expiresAt: timestamp,
              webProof: webProofDirections,
            }),
          ),
        },
      },
      errors: ['FORBIDDEN'],
      limits: ({ body, caller }) => [{ rule: CONNECT_PER_CREATOR, key: ownerOf(caller, body.externalId), units: 1 }],
      handle: async ({ body, caller, baseUrl }) => {
        const externalId = ownerOf(caller, body.externalId);
        const request = await connections.start({
          externalId,
          platform: body.platform,
          handle: body.inputs?.handle ?? null,
          returnUrl: body.returnUrl,
        });
        const data = {
          redirectUrl: `${baseUrl}/connect/${request.id}`,
          requestId: request.id,
          expiresAt: request.expiresAt,
          webProof: {
            code: request.code,
            header: CODE_HEADER,
            parameter: CODE_PARAMETER,
            urls: proofUrlsOf(platforms, request.platform),
          },
        };
        return reply(201, { data });
      },
    }),
    defineRoute('listSocialAccounts', 'GET /social-accounts', {
      ...common,
      summary: "A creator's linked handles",
      query: partQuery.extend({ externalId: externalIdText('Needed with an admin token.').optional() }),
      responses: {
        200: { description: 'Linked handles by id, disconnected ones too.', schema: listOf(connectedAccount) },
      },
      errors: ['FORBIDDEN'],
      handle: async ({ query, caller }) => {
        const owner = ownerOf(caller, query.externalId);
        const read = async (request?: PageRequest) => pageOfItems(await connections.list(owner), request);
        return reply(200, await readListPart(query, read, BY_ID));
      },
    }),
  ];
}

function ownerOf(caller: Caller | null, externalId: string | undefined): string {
  if (caller?.role === 'creator' && caller.externalId !== null) {
    if (externalId !== undefined && externalId !== caller.externalId) {
      throw new DomainError('FORBIDDEN', 'A creator token is good for its own accounts only.');
    }
    return caller.externalId;
  }
  if (caller?.role !== 'admin') throw new DomainError('FORBIDDEN', 'This route needs a creator or an admin token.');
  if (externalId === undefined) {
    throw new DomainError('INVALID_REQUEST', 'Invalid request: externalId: name the creator, or use a creator token.');
  }
  return externalId;
}
