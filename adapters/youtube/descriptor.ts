import type { PlatformDescriptor } from '../../core/platforms/descriptor.ts';
import { canonicalUrl, parseUrl, SHORT_HOSTS } from './post-url.ts';

/** Letters and digits of any script; dots, also the middle one, not at the ends. Counted in characters, not in UTF-16 units. */
const HANDLE = /^(?![.·])[\p{L}\p{M}\p{N}._·-]{3,30}(?<![.·])$/u;

/** Alone or at the end of a URL; no letter case but this. */
const CHANNEL_ID = /(?:^@?|\/)UC[A-Za-z0-9_-]{22}\/?$/;

/**
 * What YouTube is called, and what its URLs and handles look like. The id of a post is the id of the video. A channel id is no
 * handle: upper and lower case differ in it.
 */
export const youtubeDescriptor: PlatformDescriptor = {
  name: 'youtube',
  label: 'YouTube',
  hosts: [
    'youtube.com',
    'www.youtube.com',
    'm.youtube.com',
    'music.youtube.com',
    'youtube-nocookie.com',
    'www.youtube-nocookie.com',
    'youtubekids.com',
    'www.youtubekids.com',
    ...SHORT_HOSTS,
  ],
  contentTypes: ['post'],
  parseUrl,
  canonicalUrl,
  postUrlForms: [
    { shown: '/watch?v=…', path: /^\/watch\/?$/ },
    { shown: '/shorts/…', path: /^\/shorts\/[^/]+\/?$/ },
    { shown: 'youtu.be/…', path: /^\/[A-Za-z0-9_-]{11}\/?$/ },
    { shown: '/live/…' },
    { shown: '/embed/…' },
    { shown: '/v/…' },
  ],
  isHandle: (handle) => HANDLE.test(handle),
  whyNoHandle: (raw) =>
    CHANNEL_ID.test(raw)
      ? 'This is the id of a YouTube channel: give its handle, such as @name, which the page of the channel shows. Write a handle that looks like an id in lower case.'
      : null,
  // Nobody is shown who liked a video.
  actions: ['comment'],
  sweepsReplies: true,
};
