import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDialect as createGraph } from '../../adapters/instagram/official/dialect.ts';
import type { Ask, Question } from '../../adapters/official/dialect.ts';
import type { JsonObject, ScrapingResponse, Verdict } from '../../adapters/scraping/index.ts';
import { createDialect as createBusiness } from '../../adapters/tiktok/official/dialect.ts';
import { isDomainError } from '../../core/errors.ts';
import { mediaIdOf } from '../../hosts/platform-simulator/official/apps.ts';
import { createGraphSite } from '../../hosts/platform-simulator/official/instagram.ts';
import { createBusinessSite } from '../../hosts/platform-simulator/official/tiktok.ts';
import { createWorld } from '../../hosts/platform-simulator/world.ts';
import { anyCharacter } from '../support/any-character.ts';
import { withJunk } from '../support/drift.ts';
import { junk } from '../support/json-places.ts';
import { OFFICIAL_PLATFORMS } from '../support/official.ts';
import { runs } from '../support/property-runs.ts';

const DIALECTS = {
  instagram: createGraph({ appId: '1', version: 'v23.0', insights: false }),
  tiktok: createBusiness({ appId: '1' }),
};
const world = createWorld('fuzz');
const sites = { instagram: createGraphSite(world), tiktok: createBusinessSite(world) };

/** The question of the first page of comments, and the right answer to it. */
async function firstPage(platform: 'instagram' | 'tiktok') {
  const post = world.addPost({ platform, owner: 'mia', comments: 6, replies: { every: 3, count: 2 } });
  const { accountId, accessToken } = world.official.connect(platform, 'mia');
  const dialect = DIALECTS[platform];
  const asked: Question<unknown>[] = [];
  const ask = (async (question: Question<unknown>) => {
    asked.push(question);
  }) as unknown as Ask;
  const { contentId } = post;
  const apiId = platform === 'instagram' ? mediaIdOf(post) : contentId;
  await dialect.readComments(ask, { accountId, contentId, apiId, parentId: null, after: null });
  const [question] = asked as Question<{ comments: readonly { parentId: string | null }[]; skipped: number }>[];
  if (question === undefined) throw new Error('Nothing was asked.');
  const { body = '' } = sites[platform]({
    method: 'GET',
    url: new URL(question.url, 'http://127.0.0.1'),
    headers: dialect.headersOf(accessToken),
    body: '',
  });
  return { dialect, question, body };
}

describe.each(OFFICIAL_PLATFORMS)('an answer of the official API of %s', (platform) => {
  it('never loses comments silently, whatever one field turns into', async () => {
    const { dialect, question, body } = await firstPage(platform);
    const read = (
      text: string,
    ): Verdict<{ comments: readonly { parentId: string | null }[]; skipped: number }> | null => {
      const answer = dialect.readAnswer(responseOf(text));
      return typeof answer === 'string' || answer.kind !== 'ok' ? null : question.read(answer.value);
    };
    expect(read(body)).toMatchObject({ kind: 'ok', value: { comments: { length: 10 }, skipped: 0 } });
    const listOf = (tree: JsonObject) =>
      (platform === 'instagram' ? tree.data : (tree.data as JsonObject | null)?.comments) as unknown[] | undefined;
    // A list that does not say whether it ends is none that is whole.
    const cut = JSON.parse(body);
    delete cut.paging;
    delete cut.data.has_more;
    expect(read(JSON.stringify(cut))).toEqual({ kind: 'unreadable', reason: 'drifted' });
    fc.assert(
      fc.property(junk, fc.nat(), (replacement, choice) => {
        const text = withJunk(body, choice, replacement) || 'null';
        const verdict = read(text);
        if (verdict?.kind !== 'ok') return;
        const listed = listOf(JSON.parse(text)) ?? [];
        const known = verdict.value.comments.filter(({ parentId }) => parentId === null).length;
        expect(known).toBeLessThanOrEqual(listed.length);
        expect(known + verdict.value.skipped).toBeGreaterThanOrEqual(listed.length);
      }),
      runs(300),
    );
  });

  it('is a verdict, whatever the body and its headers are', () => {
    const { readAnswer } = DIALECTS[platform];
    const odd = fc.constantFrom('[['.repeat(50_000), '{"code":0}');
    const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.json(), odd);
    const header = fc.oneof(fc.string(), fc.json());
    fc.assert(
      fc.property(text, header, fc.constantFrom(200, 302, 400, 429, 500), (body, value, status) => {
        const answer = readAnswer(responseOf(body, status, value));
        if (typeof answer === 'string') return;
        if (answer.kind === 'permanent') expect(isDomainError(answer.error)).toBe(true);
        if (answer.kind === 'ok') expect(answer.restSeconds ?? 1).toBeGreaterThan(0);
      }),
      runs(300),
    );
  });
});

function responseOf(text: string, status = 200, header: string | null = null): ScrapingResponse {
  return { url: 'http://127.0.0.1/', status, text, header: () => header };
}
