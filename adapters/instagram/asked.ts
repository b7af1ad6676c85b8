/** What one call asks for, as it is handed to the functions that read it. */
import type { PostRef } from '../../core/platforms/post-url.ts';
import type { CallTime } from '../scraping/index.ts';
import type { InstagramContext } from './context.ts';
import type { PostAddress } from './post-address.ts';
import { shortcodeToPk } from './shortcode.ts';

interface Asked {
  readonly context: InstagramContext;
  readonly time: CallTime;
}

export interface AskedPost extends Asked, PostAddress {
  /** What every request for it says. */
  readonly about: { readonly subject: 'post'; readonly referer: string };
}

export interface AskedProfile extends Asked {
  readonly handle: string;
  /** What every request to the API for it says. There are other ways, so none is waited for. */
  readonly about: { readonly subject: 'profile'; readonly referer: string; readonly patient: false };
}

export function askedPost(context: InstagramContext, time: CallTime, ref: PostRef): AskedPost {
  const path = `/p/${ref.contentId}/`;
  return {
    context,
    time,
    ref,
    pk: shortcodeToPk(ref.contentId) ?? '',
    path,
    about: { subject: 'post', referer: path },
  };
}

export function askedProfile(context: InstagramContext, time: CallTime, handle: string): AskedProfile {
  return { context, time, handle, about: { subject: 'profile', referer: `/${handle}/`, patient: false } };
}
