/**
 * The reference pages that are made from the code. When one of them is out of date:
 * `npx vitest run test/unit/docs -u` writes it again.
 */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ERROR_CATALOGUE, type ErrorKind } from '../../../core/errors.ts';
import { describeEnvironment, FIELDS, readEnvironment, toConfig } from '../../../hosts/standalone/environment.ts';
import { resolveConfig } from '../../../plugins/compose/config.ts';
import { configFields, valueAt } from '../../support/config-fields.ts';

const ADVICE: Readonly<Record<ErrorKind, string>> = {
  invalid: 'fix the request',
  unauthenticated: 'send a valid token',
  forbidden: 'use a token with the required role',
  'not-found': 'check the URL, id or handle',
  conflict: 'read the current state, then decide',
  unprocessable: 'fix the URL, choose another post, or have this one changed on the platform',
  'rate-limited': 'wait as long as `Retry-After` says',
  upstream: 'try again later',
  unsupported: 'do not retry',
  internal: 'try again; report it with the request id if it persists',
};

/** Most of these failures are the same each time: a proof that does not hold, a query that finds nothing. */
const READ_THE_MESSAGE = 'read the message; fix what it names, or try again if it names nothing';
const ADVICE_OF_CODE: Readonly<Partial<Record<string, string>>> = {
  INTERNAL_SERVER_ERROR: READ_THE_MESSAGE,
  PROOF_GENERATION_FAILED: READ_THE_MESSAGE,
};

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function errorsPage(): string {
  const rows = Object.entries(ERROR_CATALOGUE)
    .toSorted(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, kind, description }]) => [
      `\`${code}\``,
      String(status),
      description,
      ADVICE_OF_CODE[code] ?? ADVICE[kind],
    ]);
  return `# Errors

Rely on the code; the message is for people and may change. The body of a failure is \`{ error: { code, message, details?, requestId } }\`
on the engagement and lookup routes, \`{ apiVersion, success: false, error: { code, message } }\` under \`/api/v2.0\`, and
\`{ success: false, error }\` with a text under \`/api/v1\`. In a batch each URL has its own \`error: { code, message }\`. The OpenAPI
document lists the codes of each operation.

${table(['Code', 'Status', 'Meaning', 'What to do'], rows)}

\`BATCH_TIMEOUT\` is a code of single URLs in a batch only. Library users get the same as \`DomainError\` (\`isDomainError(error, code)\`).
`;
}

/** The value of a field when nothing is set: in the library, and where it differs the other one of the host. */
function libraryDefault(field: string): string | null {
  const [library, host] = [{}, toConfig(readEnvironment({}))].map((config) => valueAt(resolveConfig(config), field));
  return isDeepStrictEqual(library, host) ? null : `\`${JSON.stringify(library)}\``;
}

function configurationPage(): string {
  const rows = describeEnvironment()
    .split('\n')
    .map((line) => {
      const [, name, description, fallback] = /^ {2}(\S+) +(.*?)(?: \[([^\]]*)\])?$/.exec(line) ?? [];
      if (name === undefined || description === undefined) throw new Error(`not understood: ${line}`);
      const field = FIELDS.get(name);
      const other = field === undefined ? null : libraryDefault(field);
      const defaults = [fallback === undefined ? '' : `\`${fallback}\``, other === null ? '' : `in code ${other}`];
      return [
        `\`${name}\``,
        field === undefined ? 'the host alone' : `\`${field}\``,
        defaults.filter((text) => text !== '').join('; '),
        description,
      ];
    });
  const withVariable = new Set(FIELDS.values());
  const inCodeOnly = configFields()
    .filter(({ path }) => !withVariable.has(path))
    .map(({ path, description }) => [`\`${path}\``, description]);
  return `# Configuration

The standalone host is configured by environment variables, validated at boot; an empty one counts as unset. \`npm start -- --help\`
prints the same list. A library user passes the fields that are named here under "In code" to \`createCredence\`:

\`\`\`ts
import { createCredence } from 'credence';

createCredence({ storage: { url: 'sqlite:./credence.db' }, jobs: { run: false }, platforms: { pacing: 'safe' } });
\`\`\`

There lists are arrays; \`secrets.replaced\` and \`jobs.run\` are \`true\` or \`false\`; ports, seconds, days and the scale are numbers, the
ids of platforms texts. Of \`REMOTE_NOTARIES_FILE\` it takes the content, as an array of objects, of \`TLS_EXTRA_CA_FILE\` an
array of PEM texts. Files are read at boot; only \`TRUSTED_NOTARIES_FILE\` is read again when it changes. \`DATA_DIR\` only moves the defaults of \`storage.url\`, \`secrets.keyFile\` and
\`notary.key.file\`, which in code are under \`./data\`. With
\`sqlite::memory:\` neither key is written anywhere unless you name its file. Each start makes new ones, but an existing key of a notary is used.

${table(['Variable', 'In code', 'Default', 'Meaning'], rows)}

## Fields without a variable

${table(['In code', 'Meaning'], inCodeOnly)}

An authentication of your own and modules that replace parts are the second argument, \`CredenceOptions\`.

## Adapters as values

In code, a part can be chosen by its adapter instead of by options. Each value takes every option of its adapter, checks them
at once, and opens nothing. An instance loads the packages of the adapters that it uses, and no others. It closes its values when it
stops: make new ones for another instance, also after a hot reload.

\`\`\`ts
import { createCredence } from 'credence';
import { bullmq } from 'credence/adapters/bullmq-jobs';
import { groth16 } from 'credence/adapters/groth16-prover';
import { localNotary } from 'credence/adapters/local-notary';
import { mongodb } from 'credence/adapters/mongodb';
import { redis } from 'credence/adapters/redis-rate-limiter';

createCredence({
  storage: mongodb({ url: 'mongodb://127.0.0.1:27017/credence', maxPoolSize: 200 }),
  jobs: { queue: bullmq({ url: 'redis://127.0.0.1:6379', concurrency: { 'deliver-webhook': 128 } }), leaseSeconds: 30 },
  rateLimiter: redis({ url: 'redis://127.0.0.1:6379', prefix: 'engagement' }),
  services: ['engagement', 'web-prover', 'zk-prover'],
  notary: localNotary({ key: { file: './notary.key' }, concurrency: 16 }),
  zkProver: groth16({ artifacts: './ceremony' }),
});
\`\`\`

${table(
  ['In code', 'Values', 'Instead of'],
  [
    ['`storage`', '`sqlite({ path })`, `mongodb({ url })`, a `Storage`', '`storage.url`'],
    ['`jobs` or `jobs.queue`', '`leased()`, `bullmq({ url })`, a `JobQueueAdapter`', '`jobs.queue`'],
    ['`rateLimiter`', '`redis({ url })`, a `RateLimiterAdapter`', '`redisUrl`, `redisPrefix`'],
    ['`notary`', '`localNotary()`, `httpNotary({ url, token, fingerprint })`, a `NotaryAdapter`', '`notary`'],
    ['`remoteNotaries`', '`httpNotary({ … })`, `NotaryAdapter`s, mixed with options', ''],
    ['`zkProver`', '`groth16()`, `httpProver({ url, token })`, `fakeProver()`, a `ZkProverAdapter`', '`zk`'],
    ['`clock`', 'a `Clock`', 'the clock of the system'],
    ['`logger`', "a `Logger`: pino, Fastify's, `silentLogger`", 'JSON lines on stderr'],
  ],
)}

An adapter of your own is an object with \`create\`, which gets the clock, the logger and what else the type names. Everything else
named in \`TOKENS\` can be replaced by a module with \`rebind\`.

## Platforms as values

In code, \`platforms\` may be a list instead: exactly these platforms are registered, and the API knows no other. Each value takes
what the fields above say for all platforms (\`pacing\`, \`proxyUrl\`, \`userAgent\`, \`transport\`) and its own options:

\`\`\`ts
import { createCredence } from 'credence';
import { instagram } from 'credence/adapters/instagram';
import { tiktok } from 'credence/adapters/tiktok';

createCredence({ platforms: [instagram({ sessionIds: [process.env.INSTAGRAM_SESSION ?? ''] }), tiktok()] });
\`\`\`

\`platforms.extra\` adds values to the platforms that are registered by default. A platform of your own is an object with a
\`descriptor\` and \`create\` (type \`PlatformAdapter\`); CONTRIBUTING.md says how to write one. \`withSources(instagram(), […])\` reads
a platform through several sources in order. Two platforms with the same name or host are a \`ConfigurationError\`.

## Reading platforms your own way

Platforms compare a client's TLS handshake and headers with those of browsers. If they refuse the built-in client, send the
requests yourself: \`platforms.transport\` is a function for one request, like \`fetch\` (type \`SendRequest\`), or an object with
\`send\`, \`forget\` and \`close\` if it holds connections (type \`ScrapingTransport\`). Use it for a client that imitates a browser's
TLS, or for a headless browser:

\`\`\`ts
import { createCredence, type SendRequest } from 'credence';

// Yours.
declare const browserLikeClient: { request: SendRequest };
declare const signer: { sign(url: string, userAgent: string, signal: AbortSignal): Promise<string> };

createCredence({
  platforms: {
    userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36',
    transport: (request) => browserLikeClient.request(request),
    tiktok: { sign: (url, { userAgent, signal }) => signer.sign(url, userAgent, signal) },
  },
});
\`\`\`

- Redirects: do not follow them. Hand back the status and the \`location\` header.
- Headers: names in lower case, and every \`set-cookie\` line as a list. Cookies, pacing, retries and rotation stay with Credence.
  Keep \`cookie\` and the headers that begin with \`x-\`; a client that imitates a browser may put its own in place of the others.
- Deadline: \`signal\` fires after 15 seconds, or when the caller gives up. Credence continues then, even if the transport does not stop.
- Size: \`body\` is a \`Uint8Array\`, decompressed. Stop at \`maxBodyBytes\` (8 MiB); a larger body is refused.
- Proxy: \`proxyUrl\` is \`SCRAPER_PROXY_URL\` with \`{session}\` replaced. Requests with one \`connectionKey\` may share connections; others
  must not.
- Failures: an error counts as a broken connection. The request is sent twice more. An answer of another shape is
  \`PLATFORM_UNAVAILABLE\` with the reason \`transport-answer\`.

\`platforms.tiktok.sign\` gets the URL of an API request and resolves to the URL to send: same origin and path, with the signature
added to the query.

## Files

What the host makes in \`DATA_DIR\` is its user's own: directories \`0700\`, the database with its log and the key files \`0600\`. What
is there already keeps its mode.

A key file that the host's own user owns is refused when anyone else may read it. One that belongs to another user, or lies on a
read-only mount, may be readable by others, as secrets are that Kubernetes (\`0440\`, \`0644\`) and Docker (\`0444\`) mount; it is
refused when its group or others may write it.
`;
}

describe('the reference pages are those of this code', () => {
  it('errors', async () => {
    await expect(errorsPage()).toMatchFileSnapshot('../../../docs/errors.md');
  });

  it('configuration', async () => {
    await expect(configurationPage()).toMatchFileSnapshot('../../../docs/configuration.md');
  });
});
