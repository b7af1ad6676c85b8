import type { PlatformDescriptor } from '../../core/platforms/descriptor.ts';
import { instagramOwnership } from './ownership-rules.ts';
import { canonicalUrl, parseUrl } from './post-url.ts';

/** What Instagram is called, and what its URLs and handles look like. The id of a post is its shortcode. */
export const instagramDescriptor: PlatformDescriptor = {
  name: 'instagram',
  label: 'Instagram',
  hosts: ['instagram.com', 'www.instagram.com', 'm.instagram.com', 'instagr.am', 'www.instagr.am'],
  contentTypes: ['post'],
  parseUrl,
  canonicalUrl,
  postUrlForms: [
    { shown: '/p/…', path: /^\/p\/[^/]+\/?$/ },
    { shown: '/reel/…', path: /^\/reel\/[^/]+\/?$/ },
    { shown: '/reels/…' },
    { shown: '/tv/…' },
    { shown: '/user/p/…' },
    { shown: '/user/reel/…' },
    { shown: '/user/reels/…' },
    { shown: '/user/tv/…' },
    { shown: '/share/…' },
    { shown: 'instagr.am/p/…' },
  ],
  // Letters, digits, dots and underscores; a dot neither first, last nor doubled.
  isHandle: (handle) => /^(?!\.)(?!.*\.\.)[a-z0-9._]{1,30}(?<!\.)$/.test(handle),
  actions: ['comment', 'like'],
  sweepsReplies: true,
  ownership: instagramOwnership,
};
