import type { PlatformDescriptor } from '../../core/platforms/descriptor.ts';
import { tiktokOwnership } from './ownership-rules.ts';
import { canonicalUrl, creationTime, parseUrl, SHORT_LINK_HOSTS, shownUrl } from './post-url.ts';

/** What TikTok is called, and what its URLs and handles look like. The id of a post is its number. */
export const tiktokDescriptor: PlatformDescriptor = {
  name: 'tiktok',
  label: 'TikTok',
  hosts: [
    'tiktok.com',
    'www.tiktok.com',
    'm.tiktok.com',
    'tiktokv.com',
    'www.tiktokv.com',
    'm.tiktokv.com',
    ...SHORT_LINK_HOSTS,
  ],
  contentTypes: ['post'],
  parseUrl,
  canonicalUrl: (contentId) => canonicalUrl(contentId),
  shownUrl,
  postedAt: creationTime,
  postUrlForms: [
    { shown: '/@user/video/…', path: /^\/@[^/]+\/video\/[^/]+\/?$/ },
    { shown: '/@user/photo/…' },
    { shown: '/share/video/…' },
    { shown: '/player/v1/…' },
    { shown: '/embed/…' },
    { shown: '/v/….html' },
    { shown: '/t/…' },
    { shown: 'vm.tiktok.com/…' },
    { shown: 'vt.tiktok.com/…' },
    { shown: 'lite.tiktok.com/t/…' },
  ],
  // Nicknames that are all digits exist; TikTok's own limit is 24 characters, older accounts have more.
  isHandle: (handle) => /^(?!\.)[a-z0-9._]{1,32}(?<!\.)$/.test(handle),
  actions: ['comment'],
  sweepsReplies: false,
  ownership: tiktokOwnership,
};
