/** The simulator as a stage for the platform contract. */
import { postRefOf } from '../../../core/platforms/descriptor.ts';
import type { PostRef } from '../../../core/platforms/post-url.ts';
import type { Platform, PlatformProfile, PostDetails } from '../../../core/ports/platform.ts';
import type { WorldComment } from '../../../hosts/platform-simulator/comment-thread.ts';
import { SIMULATED_PLATFORMS } from '../../../hosts/platform-simulator/platforms.ts';
import { createPlatformSimulator, type PlatformSimulator } from '../../../hosts/platform-simulator/server.ts';
import type { WorldPost, WorldProfile } from '../../../hosts/platform-simulator/world.ts';
import type { PostInput } from '../../../hosts/platform-simulator/world-inputs.ts';
import type { PlatformStage, StagedPost } from './stage.ts';

export interface SimulatedStageOptions {
  readonly platform: string;
  /** A reader without pacing pointed at the simulator; may prepare the world (sessions). */
  readonly open: (simulator: PlatformSimulator) => Platform;
  /** A short link of the platform, and the path under which the simulator knows it. */
  readonly link?: { readonly url: string; readonly path: string };
  /** The id that the platform shows for one of the world's; the same by default. */
  readonly commentId?: (comment: WorldComment) => string;
  readonly accountId?: (accountId: string) => string;
  /** What the platform shows of a profile and of a post otherwise than the world has it. */
  readonly profile?: Partial<PlatformProfile>;
  readonly post?: Partial<PostDetails['post']>;
}

/** Options of every reader: it does not wait between requests, and an endless body is soon too large. */
export const FAST_READS = { pacing: 'off', maxBodyBytes: 500_000 } as const;

/** Makes a stage on a simulator of its own. */
export function simulatedStage(options: SimulatedStageOptions): () => Promise<PlatformStage> {
  const { platform, commentId = ({ id }) => id, accountId = (id) => id } = options;
  const descriptor = SIMULATED_PLATFORMS.describe(platform);
  const refOf = (post: WorldPost): PostRef => {
    const ref = postRefOf(descriptor, post.contentId);
    return { ...ref, canonicalUrl: SIMULATED_PLATFORMS.shownPostUrl(ref, post.owner.handle) };
  };

  function profileOf(profile: WorldProfile): PlatformProfile {
    const { secUid, displayName, bio, isVerified, isPrivate } = profile;
    return {
      platform,
      handle: profile.handle.toLowerCase(),
      accountId: accountId(profile.accountId),
      secUid,
      displayName,
      bio,
      profilePictureUrl: profile.avatarUrl,
      isVerified,
      isPrivate,
      followerCount: profile.followers,
      followingCount: profile.following,
      mediaCount: profile.media,
      ...options.profile,
    };
  }

  function staged(post: WorldPost): StagedPost {
    const { owner } = post;
    return {
      ref: refOf(post),
      expected: {
        owner: {
          handle: owner.handle,
          accountId: accountId(owner.accountId),
          secUid: owner.secUid,
          displayName: owner.displayName,
        },
        post: {
          caption: post.caption,
          postedAt: new Date(post.createdAt * 1_000),
          thumbnailUrl: post.thumbnailUrl,
          mediaUrls: post.mediaUrls,
          ...options.post,
        },
        stats: post.counts,
      },
      get comments() {
        return post.thread.page(0, post.thread.size).map((comment) => ({
          id: commentId(comment),
          username: comment.handle,
          text: comment.text,
          createdAt: new Date(comment.createdAt * 1_000),
          likeCount: comment.likes,
        }));
      },
      replies(id) {
        const parent = post.thread.page(0, post.thread.size).find((comment) => commentId(comment) === id);
        const replies = parent === undefined ? null : post.thread.replies(parent.id, 0, 1_000);
        return (replies ?? []).map((reply) => ({ id: commentId(reply) }));
      },
      total: post.thread.total,
    };
  }

  return async () => {
    const simulator = await createPlatformSimulator();
    const { world } = simulator;
    const reader = options.open(simulator);
    return {
      reader,
      addPost({ kind, owner = 'maker.one', caption, likes, mediaUrls, comments, replies, placed }) {
        const input: PostInput = {
          platform,
          owner,
          ...(kind === undefined ? {} : { kind: kind as NonNullable<PostInput['kind']> }),
          ...(caption === undefined ? {} : { caption }),
          ...(likes === undefined ? {} : { counts: { likes } }),
          ...(mediaUrls === undefined ? {} : { mediaUrls: [...mediaUrls] }),
          ...(comments === undefined ? {} : { comments }),
          ...(replies === undefined ? {} : { replies }),
          ...(placed === undefined ? {} : { placed: [placed] }),
        };
        return staged(world.addPost(input));
      },
      addProfile(given) {
        const profile = world.addProfile({ platform, ...given });
        return {
          expected: profileOf(profile),
          changeBio: (bio) => {
            profile.bio = bio;
          },
        };
      },
      ...(options.link === undefined ? {} : { addShortLink: linkTo(options.link) }),
      fail: (shape, more = {}) => void world.failures.add({ platform, shape, ...more }),
      requests: () => Object.values(world.requestCounts()).reduce((sum, count) => sum + count, 0),
      async close() {
        await reader.close();
        await simulator.close();
      },
    };

    function linkTo({ url, path }: NonNullable<SimulatedStageOptions['link']>) {
      return (target: PostRef | null): string => {
        world.addShortLink({ platform, path, target: target === null ? null : new URL(target.canonicalUrl).pathname });
        return url;
      };
    }
  };
}
