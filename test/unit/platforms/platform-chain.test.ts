import { describe, expect, it } from 'vitest';
import { DomainError, type ErrorCode } from '../../../core/errors.ts';
import { createPlatformChain } from '../../../core/platforms/platform-chain.ts';
import type {
  CommentPage,
  Platform,
  PlatformCallOptions,
  PlatformProfile,
  PlatformWay,
} from '../../../core/ports/platform.ts';
import { postRef } from '../../support/platforms.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { createTestClock } from '../../support/test-clock.ts';

const POST = postRef('tiktok', '7123456789012345678', 'maker');

interface Scripted extends PlatformWay {
  /** What was asked of it, in order. */
  readonly asked: { readonly question: string; readonly cursor?: string | null; readonly options?: unknown }[];
  isClosed: boolean;
}

/** A source that answers everything with its name, or fails with what `failing` says. */
function source(
  name: string,
  failing: () => unknown = () => undefined,
  supports: Platform['supports'] = { likers: true, replies: true },
  next: string | null = 'next',
): Scripted {
  const asked: Scripted['asked'] = [];
  function answer<T>(question: string, value: T, options?: PlatformCallOptions, cursor?: string | null): Promise<T> {
    asked.push({ question, options, ...(cursor === undefined ? {} : { cursor }) });
    const failure = failing();
    return failure === undefined ? Promise.resolve(value) : Promise.reject(failure);
  }
  const page: CommentPage = { comments: [], nextCursor: next };
  const made: Scripted = {
    name,
    asked,
    isClosed: false,
    platform: {
      name: 'tiktok',
      supports,
      resolveShortLink: (_url, options) => answer('link', name, options),
      getPost: (_post, options) => answer('post', { source: name } as never, options),
      getComments: (_post, cursor, options) => answer('comments', page, options, cursor),
      getReplies: (_post, _id, cursor, options) => answer('replies', page, options, cursor),
      getLikers: (_post, _max, options) => answer('likers', { likers: [], totalLikes: 1 }, options),
      getProfile: (_handle, options) => answer<PlatformProfile | null>('profile', null, options),
      async close() {
        made.isClosed = true;
      },
    },
  };
  return made;
}

const failure =
  (code: ErrorCode, retryAfterSeconds?: number, reason: string = code.toLowerCase()) =>
  () =>
    new DomainError(code, `failed with ${code}`, {
      details: { reason },
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });

async function errorOf(call: Promise<unknown>): Promise<DomainError> {
  return (await call.then(() => undefined).catch((error: unknown) => error)) as DomainError;
}

describe('a chain of sources', () => {
  it.each(['SCRAPING_RATE_LIMITED', 'PLATFORM_UNAVAILABLE', 'PLATFORM_TIMEOUT', 'NOT_SUPPORTED'] as const)(
    'asks the next one after %s',
    async (code) => {
      const logger = createRecordingLogger();
      const chain = createPlatformChain([source('own', failure(code)), source('provider')], { logger });
      expect(await chain.getPost(POST)).toEqual({ source: 'provider' });
      expect(await chain.resolveShortLink('https://vm.tiktok.com/x')).toBe('provider');
      expect(logger.lines[0]?.fields).toMatchObject({ platform: 'tiktok', source: 'own', code });
    },
  );

  it.each(['POST_NOT_FOUND', 'POST_PRIVATE', 'POST_AGE_RESTRICTED', 'POST_UNAVAILABLE', 'INVALID_REQUEST'] as const)(
    'believes the first that says %s',
    async (code) => {
      const provider = source('provider');
      const chain = createPlatformChain([source('own', failure(code)), provider]);
      expect(await errorOf(chain.getPost(POST))).toMatchObject({ code });
      expect(await errorOf(chain.getProfile('maker'))).toMatchObject({ code });
      expect(provider.asked).toEqual([]);
    },
  );

  it('believes the second where the first could not say', async () => {
    const last = source('last');
    const own = source('own', failure('PLATFORM_UNAVAILABLE'));
    const sources = [own, source('provider', failure('POST_NOT_FOUND')), last];
    expect(await errorOf(createPlatformChain(sources).getPost(POST))).toMatchObject({ code: 'POST_NOT_FOUND' });
    expect(last.asked).toEqual([]);
  });

  describe.each(['gated', 'region'])('for a post kept from the first (%s)', (reason) => {
    const kept = source('own', failure('POST_UNAVAILABLE', undefined, reason));

    it('asks the next one', async () => {
      expect(await createPlatformChain([kept, source('provider')]).getPost(POST)).toEqual({ source: 'provider' });
    });

    it.each(['POST_NOT_FOUND', 'NOT_SUPPORTED'] as const)('tells that when the next one says %s', async (code) => {
      const error = await errorOf(createPlatformChain([kept, source('provider', failure(code))]).getPost(POST));
      expect(error).toMatchObject({ code: 'POST_UNAVAILABLE', details: { reason, also: [{ code }] } });
    });

    it.each(['POST_PRIVATE', 'POST_AGE_RESTRICTED', 'PLATFORM_UNAVAILABLE', 'SCRAPING_RATE_LIMITED'] as const)(
      'tells %s when the next one says it',
      async (code) => {
        const error = await errorOf(createPlatformChain([kept, source('provider', failure(code))]).getPost(POST));
        expect(error.code).toBe(code);
      },
    );

    it('tells it when it is all that is known', async () => {
      const chain = createPlatformChain([kept, source('provider', failure('POST_UNAVAILABLE', undefined, reason))]);
      const own = { code: 'POST_UNAVAILABLE', details: { source: 'own' } };
      expect(await errorOf(chain.getPost(POST))).toMatchObject(own);
    });
  });

  it('takes no empty profile of the second for the truth while the first cannot be read', async () => {
    const chain = createPlatformChain([source('own', failure('SCRAPING_RATE_LIMITED', 9)), source('provider')]);
    expect(await errorOf(chain.getProfile('maker'))).toMatchObject({
      code: 'SCRAPING_RATE_LIMITED',
      retryAfterSeconds: 9,
      details: { also: [{ source: 'provider', reason: 'empty-profile' }] },
    });
    const unable = createPlatformChain([source('own', failure('NOT_SUPPORTED')), source('provider')]);
    expect(await unable.getProfile('maker')).toBeNull();
  });

  it('hands defects on instead of hiding them behind another source', async () => {
    const provider = source('provider');
    const defect = new TypeError('a defect');
    const chain = createPlatformChain([source('own', () => defect), provider]);
    expect(await errorOf(chain.getPost(POST))).toBe(defect);
    expect(provider.asked).toEqual([]);
  });

  it('tells the failure of the first that could have answered, the others’ too, and the soonest time to come back', async () => {
    const chain = createPlatformChain([
      source('own', failure('NOT_SUPPORTED')),
      source('provider', failure('SCRAPING_RATE_LIMITED', 90)),
      source('other', failure('PLATFORM_UNAVAILABLE', 30)),
    ]);
    const error = await errorOf(chain.getPost(POST));
    expect(error).toMatchObject({ code: 'SCRAPING_RATE_LIMITED', retryAfterSeconds: 30 });
    expect(error.details).toEqual({
      reason: 'scraping_rate_limited',
      source: 'provider',
      also: [
        { source: 'own', code: 'NOT_SUPPORTED', reason: 'not_supported' },
        { source: 'other', code: 'PLATFORM_UNAVAILABLE', reason: 'platform_unavailable' },
      ],
    });
  });
});

describe('page sequences', () => {
  it('continue at the source that began them, though one before it works again', async () => {
    let failing = failure('PLATFORM_UNAVAILABLE') as () => unknown;
    const [own, provider] = [source('own', () => failing()), source('provider')];
    const chain = createPlatformChain([own, provider]);
    const { nextCursor } = await chain.getComments(POST, null);
    failing = () => undefined;
    await chain.getComments(POST, nextCursor);
    expect(provider.asked.map(({ cursor }) => cursor)).toEqual([null, 'next']);
    expect(own.asked).toHaveLength(1);
  });

  it('are not asked elsewhere when a later page fails', async () => {
    const provider = source('provider');
    const chain = createPlatformChain([source('own', failure('PLATFORM_UNAVAILABLE')), provider]);
    expect(await errorOf(chain.getComments(POST, 'own~next'))).toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    expect(provider.asked).toEqual([]);
  });

  it('continue after the configuration has changed where they can, and are refused where not', async () => {
    const own = source('own');
    const chain = createPlatformChain([own, source('provider')]);
    await chain.getComments(POST, 'from-before');
    expect(own.asked[0]?.cursor).toBe('from-before');
    for (const cursor of ['gone~next', '~next', '__proto__~x']) {
      expect(await errorOf(chain.getComments(POST, cursor))).toMatchObject({ code: 'INVALID_REQUEST' });
    }
  });
});

describe('what only some sources support', () => {
  it('is asked of those', async () => {
    const own = source('own', undefined, { likers: false, replies: false });
    const provider = source('provider', undefined, { likers: true, replies: false });
    const chain = createPlatformChain([own, provider]);
    expect(chain.supports).toEqual({ likers: true, replies: false });
    await chain.getLikers(POST, 10);
    expect([own.asked, provider.asked.length]).toEqual([[], 1]);
  });

  it('is NOT_SUPPORTED where none does', async () => {
    const nobody = { likers: false, replies: false };
    const chain = createPlatformChain([
      source('own', failure('NOT_SUPPORTED'), nobody),
      source('provider', failure('NOT_SUPPORTED'), nobody),
    ]);
    expect(await errorOf(chain.getLikers(POST, 10))).toMatchObject({ code: 'NOT_SUPPORTED' });
  });
});

describe('time', () => {
  const clock = createTestClock(Date.parse('2026-06-01T12:00:00Z'));
  const deadlines = (asked: Scripted['asked']) =>
    asked.map(({ options }) => (options as PlatformCallOptions | undefined)?.deadline?.toISOString());

  it('is shared out, so that a slow source leaves some for the next', async () => {
    const [own, provider] = [source('own', failure('PLATFORM_TIMEOUT')), source('provider')];
    const chain = createPlatformChain([own, provider], { clock });
    await chain.getPost(POST, { deadline: new Date('2026-06-01T12:00:40Z') });
    await chain.getPost(POST);
    expect(deadlines(own.asked)).toEqual(['2026-06-01T12:00:20.000Z', undefined]);
    expect(deadlines(provider.asked)).toEqual(['2026-06-01T12:00:40.000Z', undefined]);
  });

  it('goes by what has passed when the clock is set meanwhile', async () => {
    const moving = createTestClock(Date.parse('2026-06-01T12:00:00Z'));
    const deadline = new Date('2026-06-01T12:00:40Z');
    const [own, provider] = [
      source('own', () => {
        moving.pass(10_000);
        moving.set(Date.parse('2026-06-01T11:00:00Z'));
        return failure('PLATFORM_TIMEOUT')();
      }),
      source('provider'),
    ];
    await createPlatformChain([own, provider], { clock: moving }).getPost(POST, { deadline });
    expect(deadlines(provider.asked)).toEqual(['2026-06-01T11:00:30.000Z']);
  });

  it('ends the search when it is over, or when the caller gives up', async () => {
    const provider = source('provider');
    const caller = new AbortController();
    const chain = createPlatformChain(
      [
        source('own', () => {
          caller.abort();
          return failure('PLATFORM_TIMEOUT')();
        }),
        provider,
      ],
      { clock },
    );
    expect(await errorOf(chain.getPost(POST, { signal: caller.signal }))).toMatchObject({ code: 'PLATFORM_TIMEOUT' });
    expect(await errorOf(chain.getPost(POST, { deadline: clock.now() }))).toMatchObject({ code: 'PLATFORM_TIMEOUT' });
    expect(provider.asked).toEqual([]);
  });
});

describe('a chain that cannot be', () => {
  it.each([
    ['nothing', []],
    ['a name twice', [source('own'), source('own')]],
    ['a name that is none', [source('own~')]],
    ['two sites', [source('own'), { name: 'x', platform: { ...source('x').platform, name: 'instagram' as const } }]],
  ])('of %s is refused', (_what, sources) => {
    expect(() => createPlatformChain(sources)).toThrow(TypeError);
  });

  it('leaves out a source that does not serve the caller, and takes no cursor of it', async () => {
    const [official, own] = [source('official'), source('own')];
    let served = true;
    const serves = async (call?: PlatformCallOptions) => served && call?.brandId === 7;
    const platform = { ...official.platform, serves };
    const chain = createPlatformChain([{ name: 'official', platform }, own]);
    expect(await chain.getPost(POST)).toMatchObject({ source: 'own' });
    expect(await chain.getPost(POST, { brandId: 7 })).toMatchObject({ source: 'official' });
    const { nextCursor } = await chain.getComments(POST, null, { brandId: 7 });
    expect(nextCursor).toBe('official~next');
    expect(chain.ways?.map(({ name }) => name)).toEqual(['own']);
    served = false;
    const error = await errorOf(chain.getComments(POST, nextCursor, { brandId: 7 }));
    expect(error).toMatchObject({ code: 'INVALID_REQUEST' });
    expect(official.asked).toHaveLength(2);
  });
});
