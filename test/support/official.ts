/** Both official APIs pointed at a simulator, and accounts that are kept in memory. */
import { officialInstagram } from '../../adapters/instagram/index.ts';
import { officialTikTok } from '../../adapters/tiktok/index.ts';
import type { OfficialAccount, OfficialAccounts, OfficialPost } from '../../core/ports/official-api.ts';
import { SIMULATED_APP } from '../../hosts/platform-simulator/official/apps.ts';
import type { PlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import type { SpecifiedPlatform } from './platforms.ts';

export const OFFICIAL_PLATFORMS = ['instagram', 'tiktok'] as const;

export function officialApi(platform: SpecifiedPlatform, simulator?: PlatformSimulator, more: object = {}) {
  const { appId, appSecret, verifyToken } = SIMULATED_APP;
  const shared = { appId, appSecret, pacing: 'off', ...more } as const;
  return platform === 'instagram'
    ? officialInstagram({ verifyToken, baseUrl: simulator?.instagramBaseUrl, ...shared })
    : officialTikTok({ baseUrl: simulator?.tiktokBaseUrl, ...shared });
}

/** What an instance takes to connect accounts by both official APIs of a simulator. */
export function officialPlatforms({ instagramBaseUrl, tiktokBaseUrl }: PlatformSimulator, redirectUri: string) {
  const { verifyToken, ...app } = SIMULATED_APP;
  const official = { ...app, redirectUris: [redirectUri] };
  return {
    pacing: 'off',
    instagram: { baseUrl: instagramBaseUrl, official: { ...official, verifyToken, baseUrl: instagramBaseUrl } },
    tiktok: { baseUrl: tiktokBaseUrl, official: { ...official, baseUrl: tiktokBaseUrl } },
  } as const;
}

export type MemoryAccounts = ReturnType<typeof memoryAccounts>;

export function memoryAccounts() {
  /** By brand. */
  const connected = new Map<number, readonly OfficialAccount[]>();
  const refusals: { readonly accountId: string; readonly why: string }[] = [];
  const posts: OfficialPost[] = [];
  const accounts: OfficialAccounts = {
    of: async (_platform, brandId) => connected.get(brandId) ?? [],
    byAccountId: async (_platform, accountId) =>
      [...connected.values()].flat().find((account) => account.accountId === accountId) ?? null,
    refused: async ({ accountId }, why) => void refusals.push({ accountId, why }),
    findPost: async (_platform, which) =>
      posts.find((post) => ('apiId' in which ? post.apiId === which.apiId : post.contentId === which.contentId)) ??
      null,
    rememberPosts: async (_platform, found) => void posts.push(...found),
  };
  return { connected, refusals, posts, ...accounts };
}
