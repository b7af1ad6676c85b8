/**
 * The world that the simulated platforms serve: posts, comments, likers, profiles, short links and the failures switched
 * on. Everything not given is drawn from the seed, so two worlds with one seed answer alike.
 */
import type { PlatformName } from 'credence/kit';
import { Accounts, accountIdOf, type WorldAccount } from './accounts.ts';
import { type CommentAction, CommentThread, type WorldComment } from './comment-thread.ts';
import { FailureRules, type RequestFacts } from './failure-rules.ts';
import { postUrl, secUidOf, shortcode, tiktokId } from './ids.ts';
import { OfficialApps } from './official/apps.ts';
import { hashAt, hashText } from './seeded.ts';
import {
  type COUNTS,
  type PostInput,
  type ProfileInput,
  postInputSchema,
  profileInputSchema,
  type ShortLinkInput,
  shortLinkInputSchema,
} from './world-inputs.ts';

export interface WorldProfile {
  readonly platform: PlatformName;
  readonly handle: string;
  readonly accountId: string;
  readonly secUid: string | null;
  readonly displayName: string;
  bio: string;
  isPrivate: boolean;
  readonly isVerified: boolean;
  readonly followers: number;
  readonly following: number;
  readonly media: number;
  readonly avatarUrl: string;
}

/** What a post page shows; null is hidden. */
export type WorldCounts = Readonly<Record<(typeof COUNTS)[number], number | null>>;

export type WorldLiker = Pick<WorldProfile, 'handle' | 'accountId' | 'displayName' | 'isPrivate' | 'isVerified'>;

export interface WorldPost {
  readonly platform: PlatformName;
  readonly contentId: string;
  /** As people share it. */
  readonly url: string;
  readonly kind: 'image' | 'video' | 'carousel' | 'photo';
  readonly owner: WorldProfile;
  readonly caption: string | null;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Null `comments` is hidden; left undefined in the input it follows the thread. */
  readonly counts: WorldCounts;
  readonly thumbnailUrl: string | null;
  readonly mediaUrls: readonly string[];
  readonly thread: CommentThread;
  readonly likerCount: number;
  /** The first ones. */
  likers(limit: number): readonly WorldLiker[];
}

type Watcher = (post: WorldPost, comment: WorldComment, action: CommentAction) => void;

/** How an Instagram session id is treated. An id that the world does not know is a dead session. */
export type SessionState = 'live' | 'dead' | 'checkpoint';

/** Posts of a world are this old: fixed, so that nothing depends on the day the simulator runs. */
const EPOCH_SECONDS = Date.UTC(2026, 5, 1) / 1000;

/** Makes an empty world. Its methods check their inputs. */
export function createWorld(seed: string): World {
  return new World(seed);
}

/** The posts, profiles and short links that the simulated platforms show, and how they fail. */
export class World {
  readonly seed: string;
  readonly failures = new FailureRules();
  readonly sessions = new Map<string, SessionState>();
  readonly #posts = new Map<string, WorldPost>();
  readonly #profiles = new Map<string, WorldProfile>();
  readonly #shortLinks = new Map<string, string | null>();
  readonly #requests = new Map<string, number>();
  readonly #accounts = new Map<PlatformName, Accounts>();
  readonly #watchers = new Set<Watcher>();
  /** The apps to which owners of posts have given access. */
  readonly official: OfficialApps = new OfficialApps(this);

  constructor(seed: string) {
    this.seed = seed;
  }

  /** Adds a post with its thread and likers. @throws ZodError that names an unusable field */
  addPost(input: PostInput): WorldPost {
    const given = postInputSchema.parse(input);
    const { platform, kind, caption } = given;
    const hash = hashAt(hashText(this.seed), this.#posts.size);
    const age = EPOCH_SECONDS + (hash % 5_000_000);
    const drawnId = platform === 'tiktok' ? tiktokId(age, hash) : shortcode(hashAt(hash, 1), hashAt(hash, 2));
    const contentId = given.contentId ?? drawnId;
    const createdAt = createdAtOf(platform, contentId) ?? age;
    const accounts = this.#accountsOf(platform);
    const thread = new CommentThread({
      stream: `${this.seed} ${platform} ${contentId}`,
      startsAt: createdAt,
      comments: given.comments,
      replies: given.replies,
      placed: given.placed,
      accounts,
      onChange: (comment, action) => {
        for (const watch of this.#watchers) watch(post, comment, action);
      },
    });
    const media = `https://media.example/${platform}/${contentId}`;
    const placedLikers = given.placedLikers.map((liker) => accounts.of(liker));
    const likerStream = hashText(`${this.seed} likers ${contentId}`);
    const likerCount = given.likers + placedLikers.length;
    const post: WorldPost = {
      platform,
      contentId,
      get url() {
        return postUrl(platform, post.owner.handle, contentId);
      },
      kind,
      owner: this.findProfile(platform, given.owner) ?? this.addProfile({ platform, handle: given.owner }),
      caption,
      createdAt,
      counts: {
        views: hash % 900_000,
        likes: likerCount || hash % 90_000,
        shares: hash % 4000,
        saves: hash % 2000,
        ...given.counts,
        get comments() {
          return given.counts.comments === undefined ? thread.total : given.counts.comments;
        },
      },
      thumbnailUrl: given.thumbnailUrl === undefined ? `${media}/cover.jpg` : given.thumbnailUrl,
      mediaUrls: given.mediaUrls ?? [`${media}/media.${kind === 'video' ? 'mp4' : 'jpg'}`],
      thread,
      likerCount,
      likers: (limit) =>
        Array.from({ length: Math.min(likerCount, limit) }, (_, index) =>
          likerAt(placedLikers[index], likerStream, index),
        ),
    };
    this.#posts.set(`${platform} ${contentId}`, post);
    return post;
  }

  /** Undefined if there is no such post. */
  findPost(platform: PlatformName, contentId: string): WorldPost | undefined {
    return this.#posts.get(`${platform} ${contentId}`);
  }

  /** Tells of every comment that is added, removed, hidden or shown from now on. Returns what ends it. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** All posts of a platform, in the order in which they were added. */
  posts(platform: PlatformName): readonly WorldPost[] {
    return [...this.#posts.values()].filter((post) => post.platform === platform);
  }

  /** The post that has the top-level comment: its id is unique in the world. */
  findPostOfComment(platform: PlatformName, commentId: string): WorldPost | undefined {
    return this.posts(platform).find(({ thread }) => thread.replyCount(commentId) !== null);
  }

  /** Adds a profile, or replaces the one of this handle. @throws ZodError that names an unusable field */
  addProfile(input: ProfileInput): WorldProfile {
    const given = profileInputSchema.parse(input);
    const { platform, handle } = given;
    const hash = hashAt(hashText(this.seed), hashText(profileKey(platform, handle)));
    const account = this.#accountsOf(platform).of(handle);
    Object.assign(account, { handle, accountId: given.accountId ?? account.accountId });
    const profile: WorldProfile = {
      platform,
      get handle() {
        return account.handle;
      },
      get accountId() {
        return account.accountId;
      },
      secUid: platform === 'tiktok' ? secUidOf(handle) : null,
      displayName: given.displayName ?? handle,
      bio: given.bio,
      isPrivate: given.isPrivate,
      isVerified: given.isVerified,
      followers: given.followers ?? hash % 2_000_000,
      following: hash % 900,
      media: given.media ?? 1 + (hash % 400),
      avatarUrl: `https://media.example/${platform}/${handle}.jpg`,
    };
    this.#profiles.set(profileKey(platform, handle), profile);
    return profile;
  }

  /** Handles are compared without regard to case. */
  findProfile(platform: PlatformName, handle: string): WorldProfile | undefined {
    return this.#profiles.get(profileKey(platform, handle));
  }

  /** All profiles of a platform, those of owners of posts included. */
  profiles(platform: PlatformName): readonly WorldProfile[] {
    return [...this.#profiles.values()].filter((profile) => profile.platform === platform);
  }

  /** The profile of the account with the number. */
  findAccount(platform: PlatformName, accountId: string): WorldProfile | undefined {
    return this.profiles(platform).find((profile) => profile.accountId === accountId);
  }

  /**
   * Gives an account another handle, under which its comments, likes and profile are shown from now on; its number stays. Anyone who
   * takes the former handle is another account. @throws RangeError if the new handle is in use
   */
  renameAccount(platform: PlatformName, from: string, to: string): void {
    this.#accountsOf(platform).rename(from, to);
    const profile = this.findProfile(platform, from);
    if (profile === undefined) return;
    this.#profiles.delete(profileKey(platform, from));
    this.#profiles.set(profileKey(platform, to), profile);
  }

  /** Adds a short link to a post, or one that is gone. @throws ZodError that names an unusable field */
  addShortLink(input: ShortLinkInput): void {
    const { platform, path, target } = shortLinkInputSchema.parse(input);
    this.#shortLinks.set(`${platform} ${path}`, target);
  }

  /** The target path, null for a link that is gone, undefined for one that never was. */
  findShortLink(platform: PlatformName, path: string): string | null | undefined {
    return this.#shortLinks.get(`${platform} ${path}`);
  }

  /** Counts a request under `<platform> <endpoint>`; both simulators call it once for each request. */
  logRequest({ platform, endpoint }: RequestFacts): void {
    const key = `${platform} ${endpoint}`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
  }

  /** Requests so far by `<platform> <endpoint>`; copies, so a caller may keep it. */
  requestCounts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#requests);
  }

  /** Begins counting at 0 again. */
  clearRequestCounts(): void {
    this.#requests.clear();
  }

  #accountsOf(platform: PlatformName): Accounts {
    const known = this.#accounts.get(platform) ?? new Accounts();
    this.#accounts.set(platform, known);
    return known;
  }
}

/** Unix seconds as the id of a TikTok post tells. */
function createdAtOf(platform: PlatformName, contentId: string): number | undefined {
  return platform === 'tiktok' && /^\d{18,20}$/.test(contentId) ? Number(BigInt(contentId) >> 32n) : undefined;
}

function likerAt(placed: WorldAccount | undefined, stream: number, index: number): WorldLiker {
  if (placed !== undefined) return { ...placed, displayName: placed.handle, isPrivate: false, isVerified: false };
  const handle = `liker_${index}`;
  const hash = hashAt(stream, index);
  return {
    handle,
    accountId: accountIdOf(handle),
    displayName: `Liker ${index}`,
    isPrivate: hash % 3 === 0,
    isVerified: hash % 97 === 0,
  };
}

function profileKey(platform: PlatformName, handle: string): string {
  return `${platform} ${handle.toLowerCase()}`;
}
