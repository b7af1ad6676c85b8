/** Posts as Instagram describes them, in its three dialects and two wrappers, made into post details. */
import {
  asCount,
  asDigits,
  asText,
  asUnixTime,
  asUrl,
  field,
  firstUrl,
  isObject,
  type JsonObject,
  type ReadPost,
} from '../scraping/index.ts';
import { shortcodeToPk } from './shortcode.ts';

/** What no post has: larger counts are placeholders of hidden ones. */
const ABSURD_COUNT = 20_000_000_000;
const MAX_MEDIA = 50;
const MAX_COAUTHORS = 20;
const OLDER_COMMENTS = ['edge_media_to_parent_comment', 'edge_media_to_comment', 'edge_media_preview_comment'];

/**
 * A media object of the page, of GraphQL (`xig_…`) or of REST (`items[0]`), which share their names.
 * @returns null when a field that each of them has is missing or of another type
 */
export function readMedia(media: JsonObject): ReadPost | null {
  const counts = {
    views: readCount(media, ['play_count', 'ig_play_count', 'view_count']),
    likes: readCount(media, ['like_count']),
    comments: readCount(media, ['comment_count']),
    shares: readCount(media, ['reshare_count']),
  };
  const caption = readCaption(media.caption);
  // The copies of a post elsewhere in a page carry no counts at all: never take one for the post.
  if (caption === undefined || (counts.likes === 'absent' && counts.comments === 'absent')) return null;
  const post = { caption, postedAt: asUnixTime(media.taken_at), ...readUrls(media) };
  return detailsOf(media, 'pk', media.user, counts, post);
}

/** What the query by shortcode shows of a post, in one of its two wrappers. */
export interface Queried {
  readonly media: JsonObject;
  readonly isOlder: boolean;
}

/**
 * The post in `data` of the query by shortcode: `xdt_shortcode_media`, the form of before 2026, or since then
 * `xdt_api__v1__media__shortcode__web_info.items[0]`, in the shape of REST. Null if it says that it shows none, undefined if it
 * cannot be read.
 */
export function findQueried(data: unknown): Queried | null | undefined {
  const older = field(data, 'xdt_shortcode_media');
  if (isObject(older)) return { media: older, isOlder: true };
  const info = field(data, 'xdt_api__v1__media__shortcode__web_info');
  const items = field(info, 'items');
  const media = Array.isArray(items) && items.length === 0 ? null : field(items, 0);
  if (isObject(media)) return { media, isOlder: false };
  return older === null || info === null || media === null ? null : undefined;
}

/** Whether it is this post. Of code and number, both or one of them are there; whichever is has to be the post's. */
export function isQueried({ media, isOlder }: Queried, pk: string | null): boolean {
  const [code, id] = isOlder ? [media.shortcode, media.id] : [media.code, media.pk ?? media.id];
  const given = asText(code, 64);
  // REST writes the owner's number behind it: `pk_userpk`.
  const number = asDigits(id) ?? asText(id, 64)?.split('_')[0] ?? null;
  const isSame = (given === null || shortcodeToPk(given) === pk) && (number === null || number === pk);
  return isSame && (given !== null || number !== null);
}

/** @returns null when a field that such a post has is missing or of another type */
export function readQueried({ media, isOlder }: Queried): ReadPost | null {
  return isOlder ? readOlderMedia(media) : readMedia(media);
}

function readOlderMedia(media: JsonObject): ReadPost | null {
  const likes = firstCount(edgeCounts(media, ['edge_media_preview_like', 'edge_liked_by']));
  if (likes === 'absent') return null;
  const children = field(media, 'edge_sidecar_to_children', 'edges');
  const nodes = Array.isArray(children) ? children.slice(0, MAX_MEDIA).map((edge) => field(edge, 'node')) : [media];
  const counts = {
    views: readCount(media, ['video_play_count', 'video_view_count']),
    likes,
    comments: firstCount(edgeCounts(media, OLDER_COMMENTS)),
    shares: 'absent',
  } as const;
  return detailsOf(media, 'id', media.owner, counts, {
    caption: asText(field(media, 'edge_media_to_caption', 'edges', 0, 'node', 'text')),
    postedAt: asUnixTime(media.taken_at_timestamp),
    thumbnailUrl: asUrl(media.display_url),
    mediaUrls: nodes
      .map((node) => asUrl(field(node, 'video_url')) ?? asUrl(field(node, 'display_url')))
      .filter((url) => url !== null),
  });
}

/** `number` names the field with the number of an account; null if the owner or a count cannot be read. */
function detailsOf(
  media: JsonObject,
  number: 'pk' | 'id',
  user: unknown,
  counts: Readonly<Record<'views' | 'likes' | 'comments' | 'shares', Count>>,
  post: ReadPost['post'],
): ReadPost | null {
  const owner = readOwner(user, number);
  if (owner === null || Object.values(counts).includes('drifted')) return null;
  const { comments, shares, ...hideable } = counts;
  const { views, likes } = media.like_and_view_counts_disabled === true ? HIDDEN : hideable;
  return {
    owner: { ...owner, secUid: null },
    coauthors: readCoauthors(media, number),
    post,
    stats: { views: known(views), likes: known(likes), comments: known(comments), shares: known(shares), saves: null },
  };
}

/** The account's number is `pk`; `id` is another one (`1784…`) on the new forms and the number itself on the older. */
function readOwner(
  user: unknown,
  number: 'pk' | 'id',
): { handle: string; accountId: string; displayName: string | null } | null {
  const handle = asText(field(user, 'username'), 100);
  const accountId = asDigits(field(user, number));
  if (handle === null || handle === '' || accountId === null) return null;
  return { handle, accountId, displayName: asText(field(user, 'full_name'), 300) };
}

/** Those that cannot be read are left out: no reading fails for them. */
function readCoauthors(media: JsonObject, number: 'pk' | 'id') {
  const { coauthor_producers: users } = media;
  return Array.isArray(users) ? users.slice(0, MAX_COAUTHORS).flatMap((user) => readOwner(user, number) ?? []) : [];
}

/** Null for a post without caption, undefined for a caption that cannot be read. */
function readCaption(caption: unknown): string | null | undefined {
  if (caption === null || caption === undefined) return null;
  return asText(field(caption, 'text')) ?? undefined;
}

type Count = number | 'hidden' | 'absent' | 'drifted';
const HIDDEN: Readonly<Record<'views' | 'likes', Count>> = { views: 'hidden', likes: 'hidden' };

const readCount = (object: JsonObject, names: readonly string[]): Count =>
  firstCount(names.map((name) => object[name]));

const edgeCounts = (media: JsonObject, names: readonly string[]): readonly unknown[] =>
  names.map((name) => (media[name] === null ? null : field(media, name, 'count')));

/** The first that is a number; a null leaves it to the next name. Negative and absurd numbers stand for hidden ones. */
function firstCount(values: readonly unknown[]): Count {
  let outcome: Count = 'absent';
  for (const value of values) {
    if (value === undefined) continue;
    const count = asCount(value);
    if (count !== null && count <= ABSURD_COUNT) return count;
    if (value !== null) return count !== null || Number.isInteger(value) ? 'hidden' : 'drifted';
    outcome = 'hidden';
  }
  return outcome;
}

function known(count: Count): number | null {
  return typeof count === 'number' ? count : null;
}

function readUrls(media: JsonObject): Pick<ReadPost['post'], 'thumbnailUrl' | 'mediaUrls'> {
  const parts = Array.isArray(media.carousel_media) && media.carousel_media.length > 0 ? media.carousel_media : [media];
  const mediaUrls = parts
    .slice(0, MAX_MEDIA)
    .map((part: unknown) => firstUrl(field(part, 'video_versions'), urlOf) ?? imageUrl(part))
    .filter((url) => url !== null);
  const cover = asUrl(media.display_uri) ?? imageUrl(media);
  return {
    thumbnailUrl: cover ?? parts.map((part: unknown) => imageUrl(part)).find((url) => url !== null) ?? null,
    mediaUrls,
  };
}

const urlOf = (version: unknown): unknown => field(version, 'url');

function imageUrl(part: unknown): string | null {
  if (!isObject(part)) return null;
  return firstUrl(field(part, 'image_versions2', 'candidates'), urlOf) ?? asUrl(part.display_uri);
}
