/**
 * Connected accounts: start the ownership flow, its page, and the list
 * (docs/specification/engagement.md#creators-and-social-accounts).
 */
import { z } from 'zod';
import type { Caller } from '../../../core/access/token.ts';
import type { ConnectionView } from '../../../core/engagement/connections/check-connection.ts';
import { CODE_HEADER, CODE_PARAMETER } from '../../../core/engagement/connections/connection.ts';
import type { Engagement } from '../../../core/engagement/index.ts';
import { DomainError, isDomainError } from '../../../core/errors.ts';
import { late } from '../../../core/late.ts';
import type { PlatformName } from '../../../core/platforms/platform-name.ts';
import type { PlatformRegistry } from '../../../core/platforms/registry.ts';
import type { LimitRule } from '../../../core/ports/rate-limiter.ts';
import { EXAMPLE_PLATFORM } from '../examples/example-post.ts';
import { BY_ID, readListPart } from '../list-cursor.ts';
import type { ConnectBrand } from '../pages/connect/brand.ts';
import { type ConnectPageOptions, connectPage, noSuchConnectPage } from '../pages/connect/connect-page.ts';
import { loadConnectScript } from '../pages/connect/connect-script.ts';
import { chooseLanguage } from '../pages/connect/language.ts';
import { connectLook } from '../pages/connect/style.ts';
import { scriptRoute } from '../pages/page-script.ts';
import { definePage, defineRoute, type Reply, type RouteInput, reply } from '../route.ts';
import { dataOf, externalIdText, listOf, partQuery, platformName, registeredPlatform, timestamp } from '../schemas.ts';
import { profileData } from './creators.ts';

export interface ConnectionRouteDeps extends Pick<Engagement, 'connections'> {
  readonly platforms: PlatformRegistry;
  /** What the page shows at its head; nothing by default. */
  readonly brand?: ConnectBrand | undefined;
}

/** How long the page waits for the platform. */
const CHECK_DEADLINE_MS = 20_000;

/** Two segments below `/connect`, so it is no link of a request; relative to the page it is found behind any prefix. */
const SCRIPT_PATH = '/connect/scripts/{file}';

/** Requests of one creator, no matter who starts them. */
const CONNECT_PER_CREATOR: LimitRule = { name: 'connect-creator', units: 20, windowSeconds: 600 };

const connectBody = (platforms: PlatformRegistry) =>
  z
    .object({
      platform: registeredPlatform(platforms),
      inputs: z
        .object({ handle: z.string().min(1).max(64).optional() })
        .optional()
        .meta({ description: 'Per platform; all take `handle`. Without it the page asks for it.' }),
      externalId: externalIdText('Whose account; needed with an admin token.').optional(),
      returnUrl: z.string().min(1).max(2048).optional().meta({
        format: 'uri',
        description:
          'Where the page leads back to, with `status` (`connected`, `failed`, `expired` or `pending`), `platform` and `requestId` in the query. Its origin must be one that the operator lists. The page does not prove anything to you: ask `listSocialAccounts`, or wait for `account.connected`.',
      }),
    })
    .meta({ example: { platform: EXAMPLE_PLATFORM, inputs: { handle: '@nasa' } } });

const connectedAccount = z
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

/** Whatever is there is looked up: who mangled the link gets a page, not JSON. */
const requestParams = z.object({ requestId: z.string().max(2048) });

const pageQuery = z.object({
  lang: z.string().optional().meta({
    description:
      'The language of the page: `en`, `de`, `es`, `fr`, `pt` or `ja`. Without it, or with another one, `Accept-Language` decides.',
  }),
});

type PageInput = RouteInput<z.output<typeof requestParams>, z.output<typeof pageQuery>, unknown>;

const htmlPage = (description: string) => ({ description, contentType: 'text/html' });

/** Compressed once for all instances of a process. */
const readScript = late(loadConnectScript);

export function createConnectionRoutes({ connections, platforms, brand }: ConnectionRouteDeps) {
  const proofUrls = (platform: PlatformName) =>
    platforms.describe(platform).ownership?.ownAccount.map(({ url }) => url) ?? [];
  const look = connectLook(brand);
  const settingOf = (input: PageInput) => ({
    look,
    language: chooseLanguage(input.query.lang, input.header('accept-language')),
  });
  const render = async (input: PageInput, view: ConnectionView, problem?: ConnectPageOptions['problem']) => {
    const { platform } = view.request;
    const script = await readScript();
    return connectPage(view, {
      ...settingOf(input),
      platform: platforms.labelOf(platform),
      proofUrls: proofUrls(platform),
      script: script === null ? null : SCRIPT_PATH.replace('/connect/', '').replace('{file}', script.name),
      checkSeconds: CHECK_DEADLINE_MS / 1_000,
      ...(problem === undefined ? {} : { problem }),
    });
  };
  const orNotFoundPage = async (input: PageInput, answer: () => Promise<Reply>): Promise<Reply> => {
    try {
      return await answer();
    } catch (error) {
      if (!isDomainError(error, 'NOT_FOUND')) throw error;
      return noSuchConnectPage(settingOf(input));
    }
  };
  return [
    defineRoute({
      id: 'connectSocialAccount',
      method: 'POST',
      path: '/social-accounts/connect',
      tag: 'Creators',
      summary: 'Start the flow by which a creator proves that a profile is theirs',
      description:
        'Send the creator to `redirectUrl`: the page shows a one-time code to put into the bio of the profile, checks it and links the account. A connected account is announced as `account.connected`. A creator starts at most 20 requests in ten minutes and has at most 10 open; each expires after half an hour.',
      access: 'token',
      brand: 'none',
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
            urls: proofUrls(request.platform),
          },
        };
        return reply(201, { data });
      },
    }),
    defineRoute({
      id: 'listSocialAccounts',
      method: 'GET',
      path: '/social-accounts',
      tag: 'Creators',
      summary: "A creator's linked handles",
      access: 'token',
      brand: 'none',
      query: partQuery.extend({ externalId: externalIdText('Needed with an admin token.').optional() }),
      responses: {
        200: { description: 'Linked handles by id, disconnected ones too.', schema: listOf(connectedAccount) },
      },
      errors: ['FORBIDDEN'],
      handle: async ({ query, caller }) => {
        const owner = ownerOf(caller, query.externalId);
        return reply(200, await readListPart(query, { all: () => connections.list(owner) }, BY_ID));
      },
    }),
    definePage({
      id: 'showConnectPage',
      method: 'GET',
      path: '/connect/{requestId}',
      tag: 'Pages',
      summary: 'The page at `redirectUrl`',
      description:
        'Shows the one-time code, and says when the request has ended. It speaks the language of the browser. To choose one, add `?lang=` to `redirectUrl`.',
      access: 'callback',
      params: requestParams,
      query: pageQuery,
      responses: {
        200: htmlPage('How the flow stands.'),
        404: htmlPage('There is no such link.'),
        410: htmlPage('Expired or used up.'),
      },
      handle: async (input) =>
        orNotFoundPage(input, async () => render(input, await connections.view(input.params.requestId))),
    }),
    scriptRoute({
      id: 'connectScript',
      path: SCRIPT_PATH,
      tag: 'Pages',
      summary: 'The script of the connect page, which works without it',
      name: 'connect',
      page: 'the page',
      read: readScript,
    }),
    definePage({
      id: 'submitConnectPage',
      method: 'POST',
      path: '/connect/{requestId}',
      tag: 'Pages',
      summary: 'Check the bio (the page’s form)',
      description: 'Reads the profile, looks for the code in its bio, and links the account if it is there.',
      access: 'callback',
      params: requestParams,
      query: pageQuery,
      body: z.object({ handle: z.string().max(64).optional() }),
      bodyOptional: true,
      form: true,
      maxBodyBytes: 4096,
      responses: {
        200: htmlPage('Linked, or the code is not in the bio yet.'),
        400: htmlPage('The handle is unusable.'),
        404: htmlPage('There is no such link, or no such profile.'),
        409: htmlPage('Another check is under way.'),
        410: htmlPage('Expired or used up.'),
        422: htmlPage('The profile is private.'),
        429: htmlPage('The platform is asked too often: try again later.'),
        501: htmlPage('The platform is not supported here.'),
        502: htmlPage('The platform cannot be read.'),
        504: htmlPage('The platform did not answer in time.'),
      },
      handle: async (input) =>
        orNotFoundPage(input, async () => {
          const { params, body, signal } = input;
          const options = { signal, deadline: new Date(Date.now() + CHECK_DEADLINE_MS) };
          try {
            return await render(input, await connections.check(params.requestId, body?.handle ?? null, options));
          } catch (error) {
            if (!isDomainError(error) || error.code === 'NOT_FOUND') throw error;
            const { headers, ...page } = await render(input, await connections.view(params.requestId), error);
            const { retryAfterSeconds } = error;
            if (retryAfterSeconds === undefined) return { ...page, headers };
            return { ...page, headers: { ...headers, 'retry-after': String(retryAfterSeconds) } };
          }
        }),
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
