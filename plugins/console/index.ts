/** The console as a plugin: `createCredence({ plugins: [credenceConsole()] })`. */
import {
  ContainerModule,
  type Credence,
  type CredencePlugin,
  type Mountable,
  PARTS,
  provide,
  TOKENS,
} from 'credence/kit';
import { createConsoleRoutes } from './routes.ts';

/** Serves the console at `/console` below every mount of the instance. */
export function credenceConsole(): CredencePlugin {
  const routes = new ContainerModule((options) => {
    provide(options, TOKENS.routes, { config: TOKENS.config, identify: PARTS.identify }, ({ config, identify }) =>
      createConsoleRoutes({ hasIdentify: identify !== undefined, services: config.services }),
    );
  });
  return { name: 'console', modules: [routes] };
}

/**
 * The API of an instance with the console, which the instance itself is without. Mount it where only operators can reach it:
 * `internalApp.register(credenceFastify(withConsole(credence)), { prefix: '/operations' })`.
 */
export function withConsole(credence: Credence): Mountable {
  if (credence.routes.some(({ id }) => id === 'console')) return credence;
  return { ...credence, routes: [...credence.routes, ...createConsoleRoutes(credence)] };
}
