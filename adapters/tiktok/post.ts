/** `webapp.video-detail` of a post page as post details. */
import type { PostDetails } from '../../core/ports/platform.ts';
import {
  asDigits,
  asText,
  asUnixTime,
  asUrl,
  DRIFTED,
  field,
  firstUrl,
  isIntact,
  isObject,
  type JsonObject,
  optionalText,
  type ReadPost,
  type Verdict,
} from '../scraping/index.ts';
import { type Counter, readCounter, readExactCounter } from './counts.ts';
import { creationTime } from './post-url.ts';
import { ageRestrictedPost, PRIVATE_ACCOUNT, readStatus } from './status.ts';

const MAX_MEDIA = 100;

/** Reads the page's data for the post that was asked for. Anything missing that a post must have makes it unreadable. */
export function readPost(data: JsonObject, contentId: string): Verdict<ReadPost> {
  const detail = field(data, '__DEFAULT_SCOPE__', 'webapp.video-detail');
  if (detail === undefined) {
    return { kind: 'unreadable', reason: 'no-rehydration-data', retries: 1, immediately: true };
  }
  const item = field(detail, 'itemInfo', 'itemStruct');
  const code = field(detail, 'statusCode');
  const status = readStatus('post', code, field(detail, 'statusMsg'));
  // A private account's post may be shown to us all the same: then it is there to be read.
  if (status !== null && !(code === PRIVATE_ACCOUNT && isObject(item))) return status;
  if (!isObject(item)) return DRIFTED;
  const hasMedia = isObject(item.video) || isObject(item.imagePost);
  if (item.isContentClassified === true && !hasMedia) return ageRestrictedPost();
  return readItem(item, contentId);
}

function readItem(item: JsonObject, contentId: string): Verdict<ReadPost> {
  if (asDigits(item.id) !== contentId) return { kind: 'unreadable', reason: 'wrong-post' };
  if (!isObject(item.statsV2) && !isObject(item.stats)) return DRIFTED;
  return postOf({
    handle: field(item, 'author', 'uniqueId'),
    accountId: field(item, 'author', 'id'),
    secUid: field(item, 'author', 'secUid'),
    displayName: field(item, 'author', 'nickname'),
    captions: [item.desc, field(item, 'imagePost', 'title')],
    media: {
      postedAt: asUnixTime(item.createTime) ?? creationTime(contentId),
      thumbnailUrl: thumbnail(item),
      mediaUrls: media(item),
    },
    stats: {
      views: readCounter(item, 'playCount'),
      likes: readCounter(item, 'diggCount'),
      comments: readExactCounter(item, 'commentCount'),
      shares: readCounter(item, 'shareCount'),
      saves: readCounter(item, 'collectCount'),
    },
  });
}

/** What the web's pages and TikTok's app show of a post, each under names of its own. */
interface PostFacts {
  readonly handle: unknown;
  readonly accountId: unknown;
  readonly secUid: unknown;
  readonly displayName: unknown;
  /** The first that is set is the caption. */
  readonly captions: readonly [unknown, unknown];
  readonly media: Omit<PostDetails['post'], 'caption'>;
  readonly stats: Readonly<Record<keyof PostDetails['stats'], Counter>>;
}

/** Drifted unless every fact that a post has can be read. */
export function postOf(facts: PostFacts): Verdict<ReadPost> {
  const { media, stats } = facts;
  const handle = asText(facts.handle, 64);
  const accountId = asDigits(facts.accountId);
  const texts = {
    secUid: optionalText(facts.secUid),
    displayName: optionalText(facts.displayName),
    caption: optionalText(facts.captions[0]),
    title: optionalText(facts.captions[1]),
  };
  if (handle === null || handle === '' || accountId === null || !isIntact(stats) || !isIntact(texts)) return DRIFTED;
  const { secUid, displayName, caption, title } = texts;
  const owner = { handle, accountId, secUid, displayName };
  return { kind: 'ok', value: { owner, post: { caption: caption ?? title, ...media }, stats } };
}

function thumbnail(item: JsonObject): string | null {
  return (
    firstUrl(field(item, 'imagePost', 'cover', 'imageURL', 'urlList')) ??
    asUrl(field(item, 'video', 'cover')) ??
    asUrl(field(item, 'video', 'originCover')) ??
    imageUrls(item)[0] ??
    null
  );
}

function media(item: JsonObject): string[] {
  const images = imageUrls(item);
  if (images.length > 0) return images;
  const video =
    asUrl(field(item, 'video', 'playAddr')) ?? firstUrl(field(item, 'video', 'bitrateInfo', 0, 'PlayAddr', 'UrlList'));
  return video === null ? [] : [video];
}

function imageUrls(item: JsonObject): string[] {
  const images = field(item, 'imagePost', 'images');
  if (!Array.isArray(images)) return [];
  return images
    .slice(0, MAX_MEDIA)
    .map((image) => firstUrl(field(image, 'imageURL', 'urlList')))
    .filter((url) => url !== null);
}
