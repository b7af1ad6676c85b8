/** The console as a plugin: `createCredence({ plugins: [credenceConsole()] })`. */
import { randomBytes } from 'node:crypto';
import {
  bearerIn,
  ContainerModule,
  type Credence,
  type CredencePlugin,
  checkOptions,
  DomainError,
  definePage,
  fileRoute,
  html,
  joined,
  LOGO_URL,
  late,
  type Mountable,
  PARTS,
  pageReply,
  partOf,
  provide,
  type Reply,
  type Route,
  stylesheet,
  TOKENS,
  token,
  wholeDocument,
  wholePage,
} from 'credence/kit';
import { z } from 'zod';
import { type ConsoleEntry, loadConsoleFiles } from './files.ts';
import { BEGIN_SESSION, createSessions, type Sessions, withSessions } from './sessions.ts';

/** How the console is served. */
export interface ConsoleOptions {
  /**
   * Where a browser keeps who is signed in. `cookie`: for twelve hours, in all tabs. `memory`: until the page is closed or reloaded.
   * @default 'cookie'
   */
  readonly session?: 'cookie' | 'memory';
}

const consoleOptions = z.strictObject({ session: z.enum(['cookie', 'memory']).optional() });

const SESSIONS = token<Sessions>('console-sessions');

/** Serves the console at `/console` below every mount of the instance. */
export function credenceConsole(options: ConsoleOptions = {}): CredencePlugin {
  const hasSessions = hasSessionsOf('credenceConsole', options);
  const parts = new ContainerModule((bindings) => {
    provide(bindings, SESSIONS, { secretBox: TOKENS.secretBox, clock: TOKENS.clock }, createSessions);
    const needed = { config: TOKENS.config, identify: PARTS.identify, sessions: SESSIONS };
    provide(bindings, TOKENS.routes, needed, ({ config: { services }, identify, sessions }) =>
      createConsoleRoutes({ hasIdentify: identify !== undefined, services, sessions: hasSessions ? sessions : null }),
    );
    if (hasSessions) {
      bindings.onActivation(PARTS.dispatcher, (context, dispatcher) => withSessions(dispatcher, context.get(SESSIONS)));
    }
  });
  return { name: 'console', modules: [parts] };
}

/**
 * The API of an instance with the console, which the instance itself is without. Mount it where only operators can reach it:
 * `internalApp.register(credenceFastify(withConsole(credence)), { prefix: '/operations' })`.
 */
export function withConsole(credence: Credence, options: ConsoleOptions = {}): Mountable {
  const hasSessions = hasSessionsOf('withConsole', options);
  if (credence.routes.some(({ id }) => id === 'console')) return credence;
  const sessions = hasSessions
    ? createSessions({ secretBox: partOf(credence, TOKENS.secretBox), clock: partOf(credence, TOKENS.clock) })
    : null;
  const { hasIdentify, services, dispatcher } = credence;
  return {
    ...credence,
    routes: [...credence.routes, ...createConsoleRoutes({ hasIdentify, services, sessions })],
    dispatcher: sessions === null ? dispatcher : withSessions(dispatcher, sessions),
  };
}

function hasSessionsOf(caller: string, options: ConsoleOptions): boolean {
  return checkOptions(caller, consoleOptions, options).session !== 'memory';
}

const NOT_BUILT = html`<h1>The console is not built</h1>
<p>Run <code>npm run build:console</code>, then start again.</p>`;

/** The package always has the files beside it. */
const NOT_IN_BUNDLE = html`<h1>The console is not in a bundle</h1>
<p>Its files are in the package <code>@credence/console</code>. Mark it as external in your bundler, then build again.</p>`;

/** Sources run in a clone of the repository only. A CommonJS bundle has no URL of a module. */
const isSource = () => (import.meta.url as string | undefined)?.endsWith('.ts') === true;

/** The page tells the app what it needs to know of it. */
interface ConsoleSetting {
  /** The host has an authentication of its own, which may know who calls: the app asks before it asks for a token. */
  readonly hasIdentify: boolean;
  /** What the instance serves. The app leaves out the pages of others. */
  readonly services: readonly string[];
  /** They keep who is signed in; null: the page does, until it is closed. */
  readonly sessions: Sessions | null;
}

function createConsoleRoutes(setting: ConsoleSetting): Route[] {
  const { sessions } = setting;
  const readFiles = late(() => loadConsoleFiles());
  return [
    definePage('console', 'GET /console', {
      access: 'public',
      statuses: [200],
      handle: async () => {
        const built = await readFiles();
        if (built === null) {
          const advice = isSource() ? NOT_BUILT : NOT_IN_BUNDLE;
          return wholePage(200, 'Credence console', advice, stylesheet(':root{color-scheme:light dark}'));
        }
        return consolePage(built, setting);
      },
    }),
    fileRoute('consoleFile', '/console/files/{file}', {
      name: /^[\w-]{1,100}\.(js|css)$/,
      find: async (name) => (await readFiles())?.files.get(name),
      missing: 'There is no file of this name. Load /console again.',
    }),
    ...(sessions === null ? [] : sessionRoutes(sessions)),
  ];
}

/** The page knows a scheme that a host behind a proxy does not see. */
const isSecure = (input: { readonly baseUrl: string; header(name: string): string | undefined }) =>
  [input.header('origin'), input.baseUrl].some((url) => url?.startsWith('https:'));

function sessionRoutes(sessions: Sessions): Route[] {
  // Beside the page and not below it: a browser then sends the cookie to the API too.
  const path = '/console-session';
  return [
    definePage(BEGIN_SESSION, `POST ${path}`, {
      access: 'token',
      brand: 'any',
      idempotencyKeys: false,
      statuses: [204],
      handle: async (input) => {
        const bearer = bearerIn(input.header('authorization'));
        if (bearer === undefined) throw new DomainError('UNAUTHORIZED', 'Send `Authorization: Bearer <token>`.');
        return { status: 204, headers: { 'set-cookie': sessions.begin(bearer, isSecure(input)) } };
      },
    }),
    definePage('endConsoleSession', `DELETE ${path}`, {
      access: 'public',
      statuses: [204],
      handle: async (input) => ({ status: 204, headers: { 'set-cookie': sessions.end(isSecure(input)) } }),
    }),
  ];
}

const NONCE_BYTES = 16;
/** Below the page, so that links relative to it work behind any prefix. */
const FOLDER = 'console/files/';

/** The page. Styles that the app adds to it carry the nonce, a new one for each answer. */
function consolePage({ script, styles }: ConsoleEntry, { hasIdentify, services, sessions }: ConsoleSetting): Reply {
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  const links = styles.map((name) => html`<link rel="stylesheet" href="${FOLDER + name}">`);
  const page = wholeDocument(
    'Credence console',
    html`<meta name="color-scheme" content="light dark">
<link rel="icon" href="${LOGO_URL}">
<meta property="csp-nonce" nonce="${nonce}">
${joined(links)}
<script type="module" src="${FOLDER + script}"></script>`,
    html`<div id="app" data-identify="${hasIdentify ? 'host' : 'token'}" data-services="${services.join(' ')}" data-session="${sessions ? 'cookie' : 'memory'}">
<p>The console did not start. Reload the page. If this stays, the host is down, or the browser is too old.</p></div>
<noscript><p>The console needs scripts: allow them for this page.</p></noscript>`,
  );
  const policy = `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; connect-src 'self'; img-src 'self' data: https:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'`;
  return pageReply(200, page, policy);
}
