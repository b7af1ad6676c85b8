/** `channels.list` as a profile. */
import { normaliseHandle } from '../../core/platforms/handle.ts';
import type { PlatformProfile } from '../../core/ports/platform.ts';
import { asCount, asIsoTime, asText, DRIFTED, isObject, type JsonObject, type Verdict } from '../scraping/index.ts';
import { channelNotFound, ownerUnknown } from './answers.ts';
import { onlyItemOf } from './list.ts';
import { largestOf } from './video.ts';

/** The owner of a video. */
export interface Owner {
  readonly handle: string;
  readonly accountId: string;
  readonly secUid: null;
  readonly displayName: string | null;
}

/** The channel of a handle. */
export function readChannel(body: JsonObject, handle: string): Verdict<PlatformProfile> {
  const channel = onlyChannel(body, channelNotFound());
  if (channel.kind !== 'ok') return channel;
  const { id, snippet, statistics } = channel.value;
  const bio = asText(snippet.description);
  const isHidden = isObject(statistics) && statistics.hiddenSubscriberCount === true;
  if (!isObject(statistics) || handleOf(snippet) !== handle || bio === null) return DRIFTED;
  const followerCount = isHidden ? null : asCount(statistics.subscriberCount);
  const mediaCount = asCount(statistics.videoCount);
  if ((followerCount === null && !isHidden) || mediaCount === null) return DRIFTED;
  return {
    kind: 'ok',
    value: {
      platform: 'youtube',
      handle,
      accountId: id,
      secUid: null,
      displayName: asText(snippet.title, 300),
      bio,
      profilePictureUrl: largestOf(snippet.thumbnails),
      // The API does not tell who is verified, and shows public channels only.
      isVerified: null,
      isPrivate: false,
      followerCount,
      followingCount: null,
      mediaCount,
      createdAt: asIsoTime(snippet.publishedAt),
    },
  };
}

/** The channel that a video belongs to. One without a handle, which YouTube made itself, goes by its id. */
export function readOwner(body: JsonObject, channelId: string): Verdict<Owner> {
  const channel = onlyChannel(body, ownerUnknown());
  if (channel.kind !== 'ok') return channel;
  const { id, snippet } = channel.value;
  if (id !== channelId) return DRIFTED;
  const handle = snippet.customUrl === undefined ? id : handleOf(snippet);
  if (handle === null) return DRIFTED;
  return { kind: 'ok', value: { handle, accountId: id, secUid: null, displayName: asText(snippet.title, 300) } };
}

function onlyChannel(
  body: JsonObject,
  missing: Verdict<never>,
): Verdict<{ readonly id: string; readonly snippet: JsonObject; readonly statistics: unknown }> {
  const item = onlyItemOf(body);
  if (item === undefined) return missing;
  if (!isObject(item) || !isObject(item.snippet)) return DRIFTED;
  const id = asText(item.id, 64);
  // Every channel has it; an object without is no channel.
  if (id === null || id === '' || asIsoTime(item.snippet.publishedAt) === null) return DRIFTED;
  return { kind: 'ok', value: { id, snippet: item.snippet, statistics: item.statistics } };
}

function handleOf({ customUrl }: JsonObject): string | null {
  const text = asText(customUrl, 100);
  return text?.startsWith('@') === true ? normaliseHandle(text) : null;
}
