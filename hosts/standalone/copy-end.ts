import type { CopyEnd } from '../../core/ports/copy-end.ts';
import { storageUrl } from '../../plugins/compose/config-values.ts';

/** The store of a URL, to be copied from or into. @throws RangeError for what is no URL of a store */
export async function copyEndOf(url: string): Promise<CopyEnd> {
  const checked = storageUrl.safeParse(url);
  if (!checked.success || url.includes(':memory:')) {
    throw new RangeError(`A store ${checked.error?.issues[0]?.message ?? 'must be a file'}.`);
  }
  if (url.startsWith('sqlite:')) {
    const { createSqliteCopyEnd } = await import('../../adapters/sqlite/copy-end.ts');
    return createSqliteCopyEnd({ path: url.slice('sqlite:'.length) });
  }
  const { createMongoCopyEnd } = await import('../../adapters/mongodb/copy-end.ts');
  return createMongoCopyEnd({ url });
}
