/**
 * Claims judged by the real adapters, over platform answers that are mutated in every way we can think of. A creator who commented
 * or liked never fails. No answer breaks a verification. One who did not fails on an honest platform, in every way of reading.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScrapingTransport } from '../../adapters/scraping/index.ts';
import { createPlatformChain } from '../../core/platforms/platform-chain.ts';
import type { Platform } from '../../core/ports/platform.ts';
import { createHikerApiSite } from '../../hosts/platform-simulator/data-provider/hikerapi.ts';
import { createDataProviderSite } from '../../hosts/platform-simulator/data-provider/site.ts';
import { createInstagramSite } from '../../hosts/platform-simulator/instagram/site.ts';
import { createTikTokSite } from '../../hosts/platform-simulator/tiktok/site.ts';
import { createWorld } from '../../hosts/platform-simulator/world.ts';
import { closingAfterEach } from '../support/closing.ts';
import { inScripts, ORIGIN, type ReaderKind, readerOver, SESSION, siteTransport } from '../support/drift.ts';
import { createEngagementWorld, type EngagementWorld } from '../support/engagement-world.ts';
import { placesIn, valueAt } from '../support/json-places.ts';
import { runs } from '../support/property-runs.ts';
import { words } from '../support/words.ts';

const simulated = createWorld('mutants');
simulated.sessions.set(SESSION, 'live');
const site = {
  instagram: createInstagramSite(simulated),
  tiktok: createTikTokSite(simulated),
  scrapecreators: createDataProviderSite(simulated),
  hikerapi: createHikerApiSite(simulated),
};

/** What becomes of one answer: of the `request`th, or of all. */
interface Mutation {
  readonly request: number | 'all';
  readonly kind: 'set' | 'drop' | 'rename' | 'cut' | 'status' | 'text' | 'repeat' | 'foreign' | 'end';
  /** Picks the place in the JSON. */
  readonly place: number;
  /** The key that is looked for, if the answer has it. */
  readonly key: string | null;
  readonly value: unknown;
}

/** Places that decide over what was read and how much there is. */
const KEYS = words(`
  comments edges users user node has_more has_more_comments has_more_headload_comments has_more_tail_child_comments
  has_more_head_child_comments has_next_page end_cursor next_min_id next_max_id cursor total comment_count
  child_comment_count child_comments preview_child_comments reply_comment_total reply_comment user_count username
  unique_id text pk cid create_time created_at status_code like_count commentCount count page_info comments_connection
  if_not_gated_logged_out gating_ruling
`);

const VALUES: readonly unknown[] = [
  ...JSON.parse('[null, "", 0, 1, 3, 7, -1, 1.5, 1e18, "0", "12", "-3", "x", true, false, [], {}, [null], 10204]'),
  ...['9'.repeat(40), 'item does not exist'],
];

const TEXTS = [
  '',
  ' ',
  'null',
  '[]',
  '{}',
  '{"status":"ok"}',
  '{"status_code":0}',
  '{"success":true}',
  '<html><body>Bitte warten</body></html>',
  '<!DOCTYPE html><html><head><title>Instagram</title></head><body></body></html>',
  '{"message":"Etwas ist schiefgelaufen","status":"fail"}',
  '{"data":null}',
  '{"errors":[{"message":"execution error"}],"data":null}',
  '{"status_code":0,"comments":null,"has_more":0,"cursor":0,"total":0}',
  '{"comments":[],"comment_count":0,"status":"ok"}',
  '{"users":[],"user_count":0,"status":"ok"}',
  '{"comments":[],"has_more":false}',
];

const KINDS = words(
  'set set set set drop drop rename cut status text repeat foreign end end',
) as readonly Mutation['kind'][];

const mutation: fc.Arbitrary<Mutation> = fc.record({
  request: fc.oneof(fc.constant('all' as const), fc.nat(5)),
  kind: fc.constantFrom(...KINDS),
  place: fc.nat(),
  key: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...KEYS) }, { weight: 1, arbitrary: fc.constant(null) }),
  value: fc.constantFrom(...VALUES),
});

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function mutateJson(json: string, { kind, place, key, value }: Mutation): string {
  const root = parsed(json);
  if (root === undefined) return json;
  const all = placesIn(root).filter((path) => path.length > 0);
  const named = key === null ? all : all.filter((path) => path.at(-1) === key);
  const places = kind === 'cut' ? all.filter((path) => Array.isArray(valueAt(root, path))) : named;
  const path = places[place % Math.max(1, places.length)];
  if (path === undefined) return json;
  const holder = valueAt(root, path.slice(0, -1)) as Record<string | number, unknown>;
  const last = path.at(-1) as string | number;
  // Another handle is another author: nobody could tell. Integers beyond 2^53 are read as their digits.
  const isHandle =
    (typeof value === 'string' && value !== '') || (Number.isInteger(value) && !Number.isSafeInteger(value));
  if (kind === 'set' && /^(?:username|unique_id)$/.test(String(last)) && isHandle) return json;
  if (kind === 'set') holder[last] = value;
  if (kind === 'cut') (holder[last] as unknown[]).splice(place % 7);
  if (kind === 'drop' || kind === 'rename') {
    if (kind === 'rename') holder[`${last}_v2`] = holder[last];
    if (Array.isArray(holder)) holder.splice(Number(last), 1);
    else delete holder[last];
  }
  return JSON.stringify(root);
}

/** Ends a list early, and makes all that the list says about itself fit. What the post says stays. */
function endList(json: string, { place }: Mutation): string {
  const body = parsed(json) as Record<string, unknown> | undefined;
  if (body === undefined) return json;
  const name = ['comments', 'child_comments', 'users'].find((key) => Array.isArray(body?.[key]));
  if (name === undefined) return json;
  const list = body[name] as unknown[];
  list.splice(place % 7);
  for (const key of Object.keys(body)) {
    if (/^has_more/.test(key)) body[key] = typeof body[key] === 'number' ? 0 : false;
    if (/^next_|cursor/.test(key)) body[key] = null;
    if (/^(?:total|comment_count|child_comment_count|user_count|count)$/.test(key)) body[key] = list.length;
  }
  return JSON.stringify(body);
}

const STATUSES = [
  201, 204, 206, 301, 302, 303, 307, 400, 401, 402, 403, 404, 405, 410, 418, 422, 429, 451, 500, 502, 503, 520,
];
const PLACES = ['/', '/accounts/login/', '/challenge/1/', '/p/other/', 'https://portal.example/', '/login', '', '//'];

/** The site, with its answers mutated. */
function mutated(base: ScrapingTransport, mutations: readonly Mutation[]): ScrapingTransport {
  let count = 0;
  let previous: Uint8Array | null = null;
  return {
    ...base,
    async send(request) {
      const answer = await base.send(request);
      const number = count++;
      let { status, headers } = answer;
      let text = new TextDecoder().decode(answer.body);
      for (const each of mutations) {
        if (each.request !== 'all' && each.request !== number) continue;
        if (each.kind === 'status') {
          status = STATUSES[each.place % STATUSES.length] ?? 500;
          headers = { ...headers, location: PLACES[each.place % PLACES.length] ?? '/' };
        } else if (each.kind === 'text') {
          text =
            each.place % 3 === 0
              ? text.slice(0, each.place % Math.max(1, text.length))
              : (TEXTS[each.place % TEXTS.length] ?? '');
        } else if (each.kind === 'repeat') {
          if (previous !== null) text = new TextDecoder().decode(previous);
        } else if (each.kind === 'foreign') {
          text = text.replaceAll(current, other);
        } else if (each.kind === 'end') {
          text = endList(text, each);
        } else {
          text = text.startsWith('<') ? inScripts(text, (json) => mutateJson(json, each)) : mutateJson(text, each);
        }
      }
      previous = answer.body;
      return { status, headers, body: new TextEncoder().encode(text) };
    },
  };
}

let current = '-';
let other = '-';

const OF_LIKES = ['likes', 'hikerapi likes'] as const;
const WAYS = [
  'session',
  'logged out',
  'tiktok',
  'provider',
  'tiktok provider',
  'hikerapi',
  'chain',
  ...OF_LIKES,
] as const;
type Way = (typeof WAYS)[number];
const isOfLikes = (way: Way) => way.endsWith('likes');
const nameOf = (way: Way) => (way.startsWith('tiktok') ? 'tiktok' : 'instagram');

function open(way: Way, mutations: readonly Mutation[]): Platform {
  const platform = nameOf(way);
  const reader = (kind: Omit<ReaderKind, 'platform'>, changes = mutations) =>
    readerOver(mutated(siteTransport(site[kind.provider ?? platform], ORIGIN), changes), { platform, ...kind });
  if (way.endsWith('provider')) return reader({ provider: 'scrapecreators' });
  if (way.startsWith('hikerapi')) return reader({ provider: 'hikerapi' });
  const own = reader({ isLoggedIn: way !== 'logged out' });
  if (way !== 'chain') return own;
  // Two ways that lie alike are believed.
  const provider = reader({ provider: 'scrapecreators' }, []);
  return createPlatformChain([
    { name: 'own', platform: own },
    { name: 'provider', platform: provider },
  ]);
}

const closing = closingAfterEach();

let creators = 0;

interface Scene {
  readonly comments: number;
  readonly replies: { readonly every: number; readonly count: number } | null;
  /** Where the creator's comment is; null without one. */
  readonly own: number | null;
  readonly asReply: boolean;
}

async function claimed(world: EngagementWorld, way: Way, scene: Scene) {
  creators += 1;
  const handle = `creator.${creators}`;
  const platform = nameOf(way);
  const placed =
    scene.own === null || isOfLikes(way)
      ? []
      : [{ handle, text: 'me too', index: scene.own % Math.max(1, scene.comments), asReply: scene.asReply }];
  const input = { platform, owner: 'mia', comments: scene.comments, replies: scene.replies, placed } as const;
  const isLike = isOfLikes(way);
  const likers = isLike ? { likers: scene.comments, placedLikers: scene.own === null ? [] : [handle] } : {};
  const post = simulated.addPost({ ...input, ...likers });
  current = post.contentId;
  other = simulated.addPost(input).contentId;
  const action = isLike ? 'like' : 'comment';
  const { challenge } = await world.campaign({ challenge: { targetUrl: post.url, action } as never });
  const creator = await world.creator(handle, platform);
  const attempt = await world.createAttempt({ challengeId: challenge.id, creator: { userId: creator.id } });
  await world.claim(challenge.id, attempt.id);
  return attempt.id;
}

async function judge(world: EngagementWorld, way: Way, id: number, mutations: readonly Mutation[]) {
  const platform = open(way, mutations);
  const { getPost, getComments, getReplies, getLikers, supports, ways } = platform;
  Object.assign(world.posts[nameOf(way)], { getPost, getComments, getReplies, getLikers, supports, ways });
  await world.verifyInRuns(id);
  await platform.close();
  world.pass(60_000);
  return world.stored(id);
}

const scene: fc.Arbitrary<Scene> = fc.record({
  comments: fc.constantFrom(1, 3, 8, 30, 60),
  replies: fc.constantFrom(null, { every: 2, count: 2 }, { every: 3, count: 5 }),
  own: fc.nat(59),
  asReply: fc.boolean(),
});

/** Without the scenes in which nothing could tell that the creator took part. */
function possible(way: Way, of: Scene): Scene {
  // Replies on TikTok are not read.
  if (nameOf(way) === 'tiktok') return { ...of, asReply: false };
  // Replies are not shown to visitors: a total that happens to be the number of comments hides them.
  return way === 'logged out' && of.asReply ? { ...of, comments: 30 } : of;
}

const newWorld = async (count = 0) => {
  const world = await createEngagementWorld({ absenceTolerance: { count, share: 0 }, recheckScale: 0.0001 });
  closing.push(world.close);
  return world;
};

describe.each(WAYS)('by way of %s', (way) => {
  it('nobody who took part fails, whatever is answered', async () => {
    // Nothing is tolerated: a comment that is counted and not shown may always be the creator's.
    const world = await newWorld();
    await fc.assert(
      fc.asyncProperty(
        scene,
        fc.array(mutation, { minLength: 1, maxLength: 1 }),
        fc.array(mutation, { maxLength: 1 }),
        async (of, first, second) => {
          const id = await claimed(world, way, possible(way, of));
          for (const mutations of [first, second]) {
            const { state, stateHistory } = await judge(world, way, id, mutations);
            expect(stateHistory.filter((entry) => entry.state.startsWith('failed'))).toEqual([]);
            expect(['awaiting_claim', 'verified', 'verification_pending']).toContain(state);
            await world.recheckClaims();
          }
        },
      ),
      runs(6),
    );
  });

  it('a creator who did not take part fails on an honest platform', async () => {
    const world = await newWorld(3);
    for (const of of [
      { comments: 1, replies: null, own: null, asReply: false },
      { comments: 120, replies: null, own: null, asReply: false },
      { comments: 120, replies: { every: 2, count: 4 }, own: null, asReply: false },
    ]) {
      if (way === 'logged out' && of.replies !== null) continue;
      const id = await claimed(world, way, of);
      const { state, stateHistory } = await judge(world, way, id, []);
      expect(state, `${JSON.stringify(of)} ${stateHistory.at(-1)?.reason}`).toBe('failed_retryable');
    }
  });
});
