/** What most tests of a whole instance begin with: a brand, a campaign on a post, creators who take part. */
import { expect, vi } from 'vitest';
import type { ApiClient, JsonValue } from './client.ts';

interface CampaignOptions {
  readonly platform?: string;
  /** Of the post; one that nobody reads by default. */
  readonly contentId?: string;
  readonly pointsReward?: number;
  readonly action?: string;
  readonly terms?: object;
}

const PATIENCE = { timeout: 20_000, interval: 50 };

let brands = 0;

export function actingOn(api: ApiClient) {
  /** Posts, and returns what was made. */
  async function make(path: string, body?: unknown): Promise<JsonValue> {
    const answer = await api.call('POST', path, body === undefined ? {} : { body });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.json.data as JsonValue;
  }

  const register = (externalId: string, platform: string, handle = externalId) =>
    make('/social-accounts', { externalId, platform, handle });

  const read = async (path: string) => (await api.call('GET', path)).json.data;

  /** Waits until what is at the path is like this, and returns it. */
  const becomes = (path: string, expected: object) =>
    vi.waitFor(async () => {
      const found = await read(path);
      expect(found).toMatchObject(expected);
      return found;
    }, PATIENCE);

  async function claim(attempt: string): Promise<void> {
    const claimed = await api.call('PATCH', attempt, { body: { action: 'claim_completion' } });
    expect(claimed.status, claimed.text).toBe(200);
  }

  async function campaign(options: CampaignOptions = {}) {
    const { platform = 'instagram', contentId = 'C1abcdefghi', pointsReward = 25, action = 'comment', terms } = options;
    const targetUrl = `https://www.${platform}.com/${platform === 'instagram' ? 'p' : '@maker/video'}/${contentId}`;
    brands += 1;
    const brand = await make('/admin/brands', { name: 'Brand', slug: `brand-${brands}` });
    const made = await make('/admin/campaigns', {
      brandId: brand.id,
      title: 'Autumn',
      pointsReward,
      ...(terms && { terms }),
      challenge: { targetUrl, instructionText: 'Comment', action },
    });
    const challenge = `/admin/challenges/${made.challenge?.id}`;

    /** Returns the path of the attempt. */
    async function attempt(externalId: string): Promise<string> {
      const { id } = await make(`${challenge}/attempts`, { externalId });
      return `${challenge}/attempts/${id}`;
    }

    return {
      brandId: Number(brand.id),
      campaignId: Number(made.campaign?.id),
      challengeId: Number(made.challenge?.id),
      /** Path of the challenge. */
      challenge,
      /** Path of the webhooks of the brand. */
      hooks: `/admin/brands/${brand.id}/webhooks`,
      attempt,
      /** Registers a new creator, who claims. Returns the path of the attempt. */
      async takePart(name: string): Promise<string> {
        await register(name, platform);
        const path = await attempt(name);
        await claim(path);
        return path;
      },
      /** Takes a new creator through it by the word of an admin, which announces two events. Returns the path of the attempt. */
      async reward(name: string): Promise<string> {
        await register(name, platform);
        const path = await attempt(name);
        expect((await api.call('POST', `${path}/force-verify`)).status).toBe(200);
        return path;
      },
    };
  }

  return { make, register, read, becomes, claim, campaign };
}
