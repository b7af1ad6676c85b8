/** The connection string: a file of its own, so that a configuration can be checked without loading the driver. */
import { z } from 'zod';
import { isInstalled, loadedAtOnce, missingPackage } from '../package-loader/index.ts';
import { weakSetting } from './url-settings.ts';

/**
 * A connection string. Its own settings (`tls`, `retryWrites` …) hold. Reads go to the primary, and writes wait for the
 * journals of a majority of the servers. A `readPreference`, `w` or `journal` that says otherwise is refused, and so is
 * what the driver cannot read. The messages quote nothing else of it, since it may hold a password.
 */
export const mongoUrl = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\/.+/, {
    error: 'a MongoDB URL begins with mongodb:// or mongodb+srv://',
    abort: true,
  })
  .superRefine((url, context) => {
    const message = weakSetting(url) ?? unreadable(url);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

const HINT = 'check its hosts, database and options, and that user and password are percent-encoded';

/** Loads the driver. In a bundle it is not found, and then `open()` refuses the URL. */
function unreadable(url: string): string | undefined {
  if (!isInstalled('mongodb')) return missingPackage('mongodb', 'MongoDB');
  const driver = loadedAtOnce('mongodb') as typeof import('mongodb') | undefined;
  try {
    if (driver !== undefined) new driver.MongoClient(url).db();
    return undefined;
  } catch (error) {
    const unsupported =
      error instanceof Error ? /^options? [\w, ]{1,100} (is|are) not supported$/.exec(error.message)?.[0] : undefined;
    return `the MongoDB driver cannot read the URL: ${unsupported ?? HINT}`;
  }
}
