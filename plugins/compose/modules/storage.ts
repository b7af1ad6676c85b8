/** The storage that the host passed, or that `storage.url` names. */

import { createMongoStorage } from '../../../adapters/mongodb/index.ts';
import { createPostgresStorage } from '../../../adapters/postgres/index.ts';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import type { CopyableStorage } from '../../../core/ports/record-store.ts';
import { ContainerModule } from '../container.ts';
import { provide } from '../token.ts';
import { named, TOKENS } from '../tokens.ts';

export const storageModule = new ContainerModule((options) => {
  provide(options, TOKENS.storage, named('config'), ({ config: { storage } }) =>
    'open' in storage ? storage : storageOf(storage.url),
  );
});

/** The storage at a URL that was checked, not opened. */
export function storageOf(url: string): CopyableStorage {
  if (url.startsWith('sqlite:')) return createSqliteStorage({ path: url.slice('sqlite:'.length) });
  return url.startsWith('mongodb') ? createMongoStorage({ url }) : createPostgresStorage({ url });
}
