/** Answers from public bug reports of 2026, where they lie beside the checkout. Each kind is played by the simulator too. */
import { describe, expect, it } from 'vitest';
import { createInstagramPlatform, type InstagramPlatform } from '../../../adapters/instagram/index.ts';
import { refusal } from '../../contract/platform/suite.ts';
import { closingAfterEach } from '../../support/closing.ts';
import { postRef } from '../../support/platforms.ts';
import { hasReports, serveReport } from '../../support/reported-platform.ts';

const ref = postRef('instagram', 'C_BM2yAN4Rm');
const closing = closingAfterEach();

async function reported(name: string, sessionIds: string[] = []): Promise<InstagramPlatform> {
  const { baseUrl, close } = await serveReport(name);
  const platform = createInstagramPlatform({ baseUrl, pacing: 'off', sessionIds });
  closing.push(() => platform.close(), close);
  return platform;
}

describe.skipIf(!hasReports)('public reports of 2026', () => {
  it('an endpoint that sends every session away costs none of them', async () => {
    const platform = await reported('01-ig-info-endpoint-sent-to-front-page', ['42%3Aalive', '43%3Aalive']);
    const fans = async () => (await platform.getLikers(ref, 10)).likers.map(({ username }) => username);
    expect(await fans()).toEqual(['ada']);
    const error = await refusal(platform.getPost(ref));
    expect(JSON.stringify(error.details?.also)).toContain('"endpoint":"media-info"');
    expect(await fans()).toEqual(['ada']);
    expect((await platform.getComments(ref, null)).comments).toHaveLength(1);
    expect(platform.sessionStates()).toEqual(
      ['session-1', 'session-2'].map((label) => ({ label, state: 'active', sentAwayFrom: ['media-info'] })),
    );
  });

  it('a business account is read by its number', async () => {
    const platform = await reported('04-ig-web-profile-info-400-business', ['42%3Aalive']);
    const ada = { handle: 'ada', accountId: '5', bio: 'CODE', followerCount: 10 };
    expect(await platform.getProfile('ada')).toMatchObject(ada);
    expect(platform.sessionStates()).toEqual([{ label: 'session-1', state: 'active' }]);
  });

  it('a rate limit by its type is one, and the session rests', async () => {
    const platform = await reported('07-ig-rate-limit-error', ['42%3Aalive']);
    const deadline = new Date(Date.now() + 2_000);
    expect((await refusal(platform.getLikers(ref, 10, { deadline }))).code).toBe('SCRAPING_RATE_LIMITED');
  });

  it('a post in the wrapper of the newer query is read', async () => {
    const platform = await reported('09-ig-polaris-post-root-query');
    expect(await platform.getPost(ref)).toMatchObject({
      contentId: 'C_BM2yAN4Rm',
      owner: { handle: 'nasa', accountId: '528817151' },
      stats: { likes: 3, comments: 5 },
    });
  });
});
