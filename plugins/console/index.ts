/** The console as a plugin: `createCredence({ plugins: [credenceConsole()] })`. */
import {
  ContainerModule,
  type Credence,
  type CredencePlugin,
  checkOptions,
  type Mountable,
  PARTS,
  partOf,
  provide,
  TOKENS,
  token,
} from 'credence/kit';
import { z } from 'zod';
import { createConsoleRoutes } from './routes.ts';
import { createSessions, type Sessions, withSessions } from './sessions.ts';

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
