import { createMongoCopyEnd } from '../../adapters/mongodb/copy-end.ts';
import { createSqliteCopyEnd } from '../../adapters/sqlite/copy-end.ts';
import type { CopyEnd } from '../../core/ports/copy-end.ts';

/** The store at this URL, as one end of a copy. */
export function copyEndOf(url: string): CopyEnd {
  return url.startsWith('sqlite:')
    ? createSqliteCopyEnd({ path: url.slice('sqlite:'.length) })
    : createMongoCopyEnd({ url });
}
