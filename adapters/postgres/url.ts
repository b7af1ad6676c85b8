/** The connection string: a file of its own, so that a configuration can be checked without loading the driver. */
import { z } from 'zod';
import { isInstalled, loadedAtOnce, missingPackage } from '../package-loader/index.ts';

/** A connection string that the driver can read. The messages quote nothing of it, since it may hold a password. */
export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\/.+/, { error: 'a PostgreSQL URL begins with postgres:// or postgresql://', abort: true })
  .superRefine((url, context) => {
    const message = unreadable(url);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

/** Loads the driver. In a bundle it is not found, and then `open()` refuses the URL. */
function unreadable(url: string): string | undefined {
  if (!isInstalled('pg')) return missingPackage('pg', 'PostgreSQL');
  const driver = loadedAtOnce('pg') as typeof import('pg') | undefined;
  try {
    if (driver !== undefined) new driver.Client({ connectionString: url });
    return undefined;
  } catch {
    return 'the PostgreSQL driver cannot read the URL: check its host, database and options, and that user and password are percent-encoded';
  }
}
