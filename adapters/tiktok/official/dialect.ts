/** How the API for Business is asked for the videos of a connected account, and how its answers are read. */
import { isDomainError } from '../../../core/errors.ts';
import type { OfficialPost } from '../../../core/ports/official-api.ts';
import type { PlatformComment, PostDetails } from '../../../core/ports/platform.ts';
import { type Ask, type OfficialDialect, type Place, postGone } from '../../official/index.ts';
import {
  asBoolean,
  asCount,
  asDigits,
  asText,
  asUnixTime,
  asUrl,
  DRIFTED,
  type Entry,
  field,
  isIntact,
  isObject,
  type JsonObject,
  optional,
  optionalText,
  type ReadPage,
  readAuthor,
  readThreads,
  type Verdict,
} from '../../scraping/index.ts';
import { tiktokDescriptor } from '../descriptor.ts';
import { readAnswer } from './answers.ts';
import type { OfficialTikTokSettings } from './options.ts';

export const API = '/open_api/v1.3';
const VIDEO_FIELDS = '["item_id","create_time","caption","thumbnail_url","likes","comments","shares","video_views"]';
/** The most that the API gives. */
const MAX_COUNT = '30';
const MAX_VIDEOS = 100;

export function createDialect({ appId }: Pick<OfficialTikTokSettings, 'appId'>): OfficialDialect {
  /** `readOne` is given undefined if the account has no such video. */
  function askVideo<T>(
    ask: Ask,
    { accountId, contentId }: Pick<OfficialPost, 'accountId' | 'contentId'>,
    readOne: (video: JsonObject | undefined) => Verdict<T>,
  ): Promise<T> {
    const filters = JSON.stringify({ video_ids: [contentId] });
    const query = new URLSearchParams({ business_id: accountId, fields: VIDEO_FIELDS, filters });
    return ask({
      endpoint: 'official-videos',
      url: `${API}/business/video/list/?${query}`,
      read: ({ videos }) => {
        if (!Array.isArray(videos) || !videos.slice(0, MAX_VIDEOS).every(isObject)) return DRIFTED;
        return readOne(videos.slice(0, MAX_VIDEOS).find((video) => asDigits(video.item_id) === contentId));
      },
    });
  }

  async function listOf(ask: Ask, place: Place): Promise<ReadPage> {
    const { parentId, after } = place;
    const isThread = parentId !== null;
    const query = new URLSearchParams({
      business_id: place.accountId,
      video_id: place.contentId,
      max_count: MAX_COUNT,
      ...(isThread
        ? { comment_id: parentId }
        : { include_replies: 'true', status: 'ALL', sort_field: 'create_time', sort_order: 'asc' }),
      ...(after === null ? {} : { cursor: after }),
    });
    return await ask({
      endpoint: isThread ? 'official-replies' : 'official-comments',
      url: `${API}/business/${isThread ? 'comment/reply/list' : 'comment/list'}/?${query}`,
      isLater: after !== null,
      read: (body) => readList(body, place, appId),
    });
  }

  return {
    descriptor: tiktokDescriptor,
    source: 'tiktok-business',
    isPost: ({ contentId }) => /^[1-9]\d{0,19}$/.test(contentId),
    commentId: /^\d{1,25}$/,
    headersOf: (accessToken) => ({ 'access-token': accessToken }),
    readAnswer,

    find: (ask, accountId, contentId) =>
      askVideo(ask, { accountId, contentId }, (video) => ({
        kind: 'ok',
        value: video === undefined ? null : { contentId, apiId: contentId, accountId },
      })),

    readPost: (ask, post) =>
      askVideo(ask, post, (video) => (video === undefined ? postGone(tiktokDescriptor) : readVideo(video))),

    async readComments(ask, place) {
      try {
        return await listOf(ask, place);
      } catch (error) {
        const reason = isDomainError(error) ? error.details?.reason : undefined;
        if (reason !== 'bad-parameter' && reason !== 'invalid-cursor') throw error;
        // The same word stands for what is gone: a video, or a comment with its replies.
        await askVideo<null>(ask, place, (video) =>
          video === undefined ? postGone(tiktokDescriptor) : { kind: 'ok', value: null },
        );
        if (reason === 'invalid-cursor' || place.parentId === null) throw error;
        return { comments: [], skipped: 0, next: null };
      }
    },
  };
}

function readVideo(video: JsonObject): Verdict<Pick<PostDetails, 'post' | 'stats'>> {
  const facts = {
    caption: optionalText(video.caption),
    views: optional(video.video_views, asCount),
    likes: optional(video.likes, asCount),
    comments: optional(video.comments, asCount),
    shares: optional(video.shares, asCount),
  };
  const postedAt = asUnixTime(video.create_time);
  if (!isIntact(facts) || postedAt === null) return DRIFTED;
  const { caption, ...counts } = facts;
  return {
    kind: 'ok',
    value: {
      // The API hands out no media.
      post: { caption, postedAt, thumbnailUrl: asUrl(video.thumbnail_url), mediaUrls: [] },
      stats: { ...counts, saves: null },
    },
  };
}

function readList(body: JsonObject, place: Place, appId: string): Verdict<ReadPage> {
  const hasMore = asBoolean(body.has_more);
  const cursor = asDigits(body.cursor);
  if (hasMore === null || (hasMore && cursor === null)) return DRIFTED;
  const list = readThreads(body.comments ?? null, place, {
    read: (entry, parentId) => readComment(entry, { parentId, contentId: place.contentId, appId }),
    inlineOf: (entry) => field(entry, 'reply_list'),
  });
  return list === null ? DRIFTED : { kind: 'ok', value: { ...list, next: hasMore ? cursor : null } };
}

function readComment(
  entry: unknown,
  { parentId, contentId, appId }: Pick<Place, 'parentId' | 'contentId'> & { readonly appId: string },
): Entry<PlatformComment> {
  if (!isObject(entry)) return 'drifted';
  const [video, parent] = [asDigits(entry.video_id), asDigits(entry.parent_comment_id)];
  if ((video !== null && video !== contentId) || (parent !== null && parent !== '0' && parent !== parentId)) {
    return 'misplaced';
  }
  const id = asDigits(entry.comment_id);
  const scopedId = asText(entry.unique_identifier, 200) || null;
  const author = readAuthor(entry.username ?? '', scopedId, 100);
  const text = optionalText(entry.text);
  const createdAt = asUnixTime(entry.create_time);
  const status = asText(entry.status, 50);
  if (author === 'unreadable') return author;
  // Without its status nobody knows whether others see it.
  if (id === null || text === undefined || createdAt === null || status === null || author === 'drifted') {
    return 'drifted';
  }
  return {
    read: {
      id,
      parentId,
      username: author.username,
      scopedAuthorId: scopedId === null ? null : `${appId}/${scopedId}`,
      isHidden: status !== 'PUBLIC',
      text: text ?? '',
      createdAt,
      likeCount: asCount(entry.likes),
      replyCount: parentId === null ? asCount(entry.replies) : 0,
    },
  };
}
