/** Posts, accounts and comments in the shapes of Instagram's web: page and GraphQL (`xig…`), REST, and the older GraphQL. */
import { shortcodeToPk } from 'credence/adapters/instagram';
import type { WorldComment } from '../comment-thread.ts';
import type { WorldLiker, WorldPost, WorldProfile } from '../world.ts';

type Shape = Readonly<Record<string, unknown>>;

export function pkOf(post: WorldPost): string {
  return shortcodeToPk(post.contentId) ?? '0';
}

/** A number of another account space: taking it for the account's own is a mistake that shows. */
function fbidOf(accountId: string): string {
  return `1784${accountId.slice(-13).padStart(13, '0')}`;
}

/** `if_not_gated_logged_out` of the page, and with play and share counts `items[0]` of REST. */
export function mediaShape(post: WorldPost, hideCounts: boolean): Shape {
  const isVideo = post.kind === 'video';
  const isHidden = hideCounts || post.counts.likes === null;
  const [first = null] = post.mediaUrls;
  return {
    pk: pkOf(post),
    code: post.contentId,
    taken_at: post.createdAt,
    user: { ...userShape(post.owner), polaris_ordered_timeline_connection: { edges: [{ node: timelineNode(post) }] } },
    caption: post.caption === null ? null : { text: post.caption },
    like_count: isHidden ? -1 : post.counts.likes,
    like_and_view_counts_disabled: isHidden,
    comment_count: post.counts.comments,
    display_uri: post.thumbnailUrl,
    image_versions2: { candidates: post.thumbnailUrl === null ? [] : [{ url: isVideo ? post.thumbnailUrl : first }] },
    ...(isVideo ? { video_versions: [{ url: first }] } : {}),
    ...(post.kind === 'carousel'
      ? { carousel_media: post.mediaUrls.map((url) => ({ image_versions2: { candidates: [{ url }] } })) }
      : {}),
    coauthor_producers: [],
    id: `POLARIS_${pkOf(post)}`,
  };
}

export function restMediaShape(post: WorldPost, hideCounts: boolean): Shape {
  return {
    ...mediaShape(post, hideCounts),
    id: `${pkOf(post)}_${post.owner.accountId}`,
    ...(post.kind === 'video' ? { play_count: post.counts.views } : {}),
    reshare_count: post.counts.shares,
  };
}

/** `xdt_shortcode_media`, as data providers still hand it on. */
export function olderMediaShape(post: WorldPost): Shape {
  const isVideo = post.kind === 'video';
  return {
    id: pkOf(post),
    shortcode: post.contentId,
    owner: { id: post.owner.accountId, username: post.owner.handle, full_name: post.owner.displayName },
    taken_at_timestamp: post.createdAt,
    display_url: post.thumbnailUrl,
    ...(isVideo ? { video_url: post.mediaUrls[0], video_play_count: post.counts.views } : {}),
    edge_media_to_caption: { edges: post.caption === null ? [] : [{ node: { text: post.caption } }] },
    edge_media_preview_like: { count: post.counts.likes ?? -1 },
    edge_media_to_parent_comment: { count: post.counts.comments },
    ...(post.kind === 'carousel'
      ? { edge_sidecar_to_children: { edges: post.mediaUrls.map((url) => ({ node: { display_url: url } })) } }
      : {}),
  };
}

/** The same post as the owner's timeline repeats it on its own page: with the code, without counts. */
function timelineNode(post: WorldPost): Shape {
  return {
    pk: pkOf(post),
    code: post.contentId,
    caption: post.caption === null ? null : { text: post.caption },
    display_uri: post.thumbnailUrl,
    user: { pk: post.owner.accountId, username: post.owner.handle, id: fbidOf(post.owner.accountId) },
  };
}

export function userShape(profile: WorldProfile): Shape {
  return {
    pk: profile.accountId,
    id: fbidOf(profile.accountId),
    username: profile.handle,
    full_name: profile.displayName,
    is_private: profile.isPrivate,
    is_verified: profile.isVerified,
    profile_pic_url: profile.avatarUrl,
  };
}

/** `xig_user_by_username` of the page. */
export function pageProfileShape(profile: WorldProfile): Shape {
  return {
    ...userShape(profile),
    biography: profile.bio,
    follower_count: profile.followers,
    following_count: profile.following,
    all_media_count: null,
  };
}

/** `data.user` of `web_profile_info`. */
export function webProfileShape(profile: WorldProfile): Shape {
  return {
    id: profile.accountId,
    username: profile.handle,
    full_name: profile.displayName,
    biography: profile.bio,
    is_private: profile.isPrivate,
    is_verified: profile.isVerified,
    edge_followed_by: { count: profile.followers },
    edge_follow: { count: profile.following },
    edge_owner_to_timeline_media: { count: profile.media },
    profile_pic_url: profile.avatarUrl,
    profile_pic_url_hd: profile.avatarUrl,
  };
}

/** `data.user` of the profile query with a session. */
export function sessionProfileShape(profile: WorldProfile): Shape {
  return {
    ...pageProfileShape(profile),
    media_count: profile.media,
    hd_profile_pic_url_info: { url: profile.avatarUrl },
  };
}

/** A comment of the logged-out query. */
export function commentNode(comment: WorldComment): Shape {
  return {
    pk: comment.id,
    text: comment.text,
    created_at: comment.createdAt,
    comment_like_count: comment.likes,
    user: { pk: comment.accountId, username: comment.handle },
  };
}

/** A comment of REST: a reply count of zero is left out. */
export function restComment(comment: WorldComment, preview: readonly WorldComment[] = []): Shape {
  return {
    ...commentNode(comment),
    ...(comment.parentId === null ? {} : { parent_comment_id: comment.parentId }),
    ...(comment.replies === 0
      ? {}
      : {
          child_comment_count: comment.replies,
          has_more_head_child_comments: comment.replies > preview.length,
          has_more_tail_child_comments: false,
          preview_child_comments: preview.map((reply) => restComment(reply)),
        }),
  };
}

export function likerShape(liker: WorldLiker): Shape {
  return {
    pk: liker.accountId,
    username: liker.handle,
    full_name: liker.displayName,
    is_private: liker.isPrivate,
    is_verified: liker.isVerified,
    profile_pic_url: `https://media.example/instagram/${liker.handle}.jpg`,
  };
}
