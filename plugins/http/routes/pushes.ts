/** Where platforms push what happens to posts of connected accounts. */
import { z } from 'zod';
import { isPlatformFailure } from '../../../core/engagement/challenge-data/platform-failure.ts';
import type { TakeChanges } from '../../../core/engagement/pushes/take-changes.ts';
import type { UseCaseParts } from '../../../core/engagement/use-case-parts.ts';
import { DomainError } from '../../../core/errors.ts';
import type { PlatformName } from '../../../core/platforms/platform-name.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { OfficialApi, OfficialPush } from '../../../core/ports/official-api.ts';
import { defineRoute, type Route, reply, type UnreadRequest } from '../route.ts';
import { dataOf } from '../schemas.ts';

export interface PushRoutesDeps extends Pick<UseCaseParts, 'clock' | 'logger'> {
  readonly officialApis: ReadonlyMap<PlatformName, OfficialApi>;
  readonly takeChanges: ReadonlyMap<PlatformName, TakeChanges>;
}

/** A thousand changes with the longest texts. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Two rows for each platform whose official API is set up. */
export function createPushRoutes(deps: PushRoutesDeps): readonly Route[] {
  return [...deps.officialApis.values()].flatMap((api) => {
    const answer = api.push.answer?.bind(api.push);
    return [...(answer === undefined ? [] : [challengeRow(api.platform, answer)]), pushRow(deps, api)];
  });
}

const nameOf = (platform: PlatformName) => platform.charAt(0).toUpperCase() + platform.slice(1);

function challengeRow(platform: PlatformName, answer: NonNullable<OfficialPush['answer']>) {
  return defineRoute(`answer${nameOf(platform)}Challenge`, `GET /push/${platform}`, {
    tag: 'Brands and webhooks',
    access: 'public',
    summary: `Tell ${platform} that this is its receiver`,
    description: 'Asked by the platform when somebody enters this URL there.',
    query: z.object({}).catchall(z.string().max(500)),
    responses: { 200: { description: 'What the platform wants to hear.', contentType: 'text/plain' } },
    errors: ['FORBIDDEN'],
    handle: async ({ query }) => {
      const body = answer(query);
      if (body === null) throw new DomainError('FORBIDDEN', 'This is no challenge with our verify token.');
      return { status: 200, body, contentType: 'text/plain; charset=utf-8' };
    },
  });
}

function pushRow({ takeChanges, clock, logger }: PushRoutesDeps, { platform, push }: OfficialApi) {
  return defineRoute(`take${nameOf(platform)}Push`, `POST /push/${platform}`, {
    tag: 'Brands and webhooks',
    access: 'callback',
    summary: `Take what ${platform} pushes about connected accounts`,
    description:
      'Signed by the platform over the raw body. Answered once it is stored and decided on, so that the platform repeats what was not. A repetition changes nothing.',
    body: z
      .looseObject({})
      .meta({ description: 'As the platform words it.', example: { object: platform, entry: [] } }),
    maxBodyBytes: MAX_BODY_BYTES,
    idempotencyKeys: false,
    checkSender: (request) => demandSignature(push, clock, request),
    responses: {
      200: {
        description: 'Taken.',
        schema: dataOf(
          z.object({
            changes: z.int().meta({ description: 'How many there were, also of posts without a campaign.' }),
            unreadable: z.int().meta({ description: 'Entries that could not be read.' }),
          }),
        ),
      },
    },
    errors: ['UNAUTHORIZED'],
    handle: async ({ body, rawBody }) => {
      const { changes, unreadable } = push.read(rawBody ?? new TextEncoder().encode(JSON.stringify(body)));
      if (unreadable > 0) logger.warn({ platform, unreadable }, 'entries of a push cannot be read');
      if (changes.length > 0) await takeChanges.get(platform)?.(changes).catch(askToRepeat);
      return reply(200, { data: { changes: changes.length, unreadable } });
    },
  });
}

/** A post that the platform itself does not tell about now is told of again. */
function askToRepeat(error: unknown): never {
  if (!isPlatformFailure(error)) throw error;
  throw new DomainError('SERVICE_UNAVAILABLE', 'The post cannot be looked up now; repeat the push.', { cause: error });
}

/** A sender that cannot sign the bytes is told nothing of what they say. */
function demandSignature(push: OfficialPush, clock: Clock, { rawBody, headers }: UnreadRequest): void {
  if (rawBody === null) {
    throw new DomainError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The signature covers the raw body, but the host has parsed it already: mount Credence before express.json().',
    );
  }
  if (push.isAuthentic({ body: rawBody, headers, now: clock.now() })) return;
  throw new DomainError('UNAUTHORIZED', 'The signature does not fit the body, or is too old.');
}
