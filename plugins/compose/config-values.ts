/** What single options may be. */
import { z } from 'zod';
import { mongoUrl } from '../../adapters/mongodb/options.ts';
import { missingPackages } from '../../adapters/package-loader/index.ts';
import { postgresUrl } from '../../adapters/postgres/url.ts';
import { isStandardSecret } from '../../core/engagement/webhooks/secret.ts';

/** Scheme, host and port alone. */
export const origin = z
  .string()
  .refine(
    (text) => /^https?:/.test(text) && URL.parse(text)?.origin === text,
    'must be an origin, for example https://app.example',
  );

/** Read as they are, these would open another database, which is empty. */
const ODD_SQLITE_PATH = /^sqlite:(?:\s|~|file:|.*\?|.*\s$)/is;

const withoutSqlite = () =>
  missingPackages([{ field: 'storage.url', neededBy: 'SQLite', packages: ['better-sqlite3'] }]);

/** `sqlite://` would make the first folder of a relative path a host name, and the path one from the root. */
export const storageUrl = z
  .string()
  .regex(/^(sqlite:\s*\S.*|mongodb(\+srv)?:\/\/.+|postgres(ql)?:\/\/.+)$/, {
    error: 'must start with sqlite:, postgres:// or mongodb://, and name a file or a host',
    abort: true,
  })
  .refine(
    (text) => !/^sqlite:\/\/(?!\/)/.test(text),
    'must be sqlite:data/x.db for a relative path, sqlite:/data/x.db for an absolute one',
  )
  .refine(
    (text) => !ODD_SQLITE_PATH.test(text),
    'must be sqlite:data/x.db for a relative path, sqlite:/data/x.db for an absolute one, without "?", "~/", "file:" or blanks at its ends',
  )
  .superRefine((text, context) => {
    const ofServer = text.startsWith('mongodb') ? mongoUrl : postgresUrl;
    const refused = text.startsWith('sqlite:') ? withoutSqlite() : ofServer.safeParse(text).error?.issues;
    for (const { message } of refused ?? []) context.addIssue({ code: 'custom', message });
  });

/** Signs calls of `/web-proofs/callback`. */
export const callbackSecret = z
  .string()
  .regex(/^whsec_.{16,1024}$/, { error: 'must be whsec_ and at least 16 characters of base64', abort: true })
  .refine(isStandardSecret, 'must be whsec_ and padded base64');

/** Of a file, a folder or a program. */
export const path = z.string().min(1);
export const keptDays = (most: number) =>
  z.union([z.int().min(1).max(most), z.literal('off')], `must be a number of days from 1 to ${most}, or off`);
export const scale = z.number().min(0.0001).max(1).default(1);
