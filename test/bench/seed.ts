/** Stored data to measure on: plain, and the same in every run. */
import type { CampaignWithChallenge } from '../../core/engagement/campaigns/campaign.ts';
import type { NewComment } from '../../core/engagement/challenge-data/comment.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { newCampaign, newChallenge } from '../contract/storage/samples.ts';

const START = Date.parse('2026-03-01T12:00:00Z');

export function handleOf(index: number): string {
  return `person.${index.toString(36)}`;
}

export function commentOf(index: number): NewComment {
  return {
    platformCommentId: String(7_000_000_000_000_000 + index),
    username: handleOf(index),
    commentText: `Comment number ${index}: this looks great, count me in! 🎉 #trailday`,
    commentedAt: new Date(START + index * 1_000),
  };
}

const POST_URL = 'https://www.tiktok.com/@northtrail/video/7400000000000000001';

export async function storeCampaign(
  storage: Storage,
  title = 'Spring launch',
  postUrl = POST_URL,
): Promise<CampaignWithChallenge> {
  return storage.campaigns.create(
    newCampaign({
      title,
      description: 'Tell us where you will run with the new trail shoes.',
      createdAt: new Date(START),
    }),
    newChallenge({ platform: 'tiktok', contentId: postUrl.split('/').at(-1) ?? '', canonicalUrl: postUrl }),
  );
}

export async function storeComments(storage: Storage, challengeId: number, count: number): Promise<void> {
  const batch = 5_000;
  for (let from = 0; from < count; from += batch) {
    const comments = Array.from({ length: Math.min(batch, count - from) }, (_, index) => commentOf(from + index));
    await storage.comments.insertNew(challengeId, comments, new Date(START));
  }
}
