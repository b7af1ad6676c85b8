/** A post as the readers of this adapter address it. */
import { DomainError } from '../../core/errors.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import { shortcodeToPk } from './shortcode.ts';

/** A post's place in Instagram's APIs. */
export interface PostAddress {
  readonly ref: PostRef;
  readonly pk: string;
  /** The path of the post's page. */
  readonly path: string;
}

/** @throws `INVALID_REQUEST` for a reference to another platform's post, or one whose id is no shortcode */
export function addressOf(ref: PostRef): PostAddress {
  const pk = ref.platform === 'instagram' ? shortcodeToPk(ref.contentId) : null;
  if (pk === null) throw new DomainError('INVALID_REQUEST', 'This is no reference to an Instagram post.');
  return { ref, pk, path: `/p/${ref.contentId}/` };
}
