/** The library configuration of the standalone host, with the parts that optional packages bring. */
import type { CredenceConfig } from '../../plugins/compose/config.ts';
import type { CredencePlugin } from '../../plugins/compose/plugin.ts';
import { type Environment, EnvironmentError, toConfig } from './environment.ts';
import { furtherPlatforms } from './platforms.ts';

/** What this host takes from each package. The cast keeps the compiler from looking for a package that may not be installed. */
const PACKAGES = {
  '@credence/console': () => import('@credence/console' as string) as Promise<{ credenceConsole(): CredencePlugin }>,
} as const;

type Loaded<N extends keyof typeof PACKAGES> = Awaited<ReturnType<(typeof PACKAGES)[N]>>;

/** The package, or null if it is not installed. */
async function load<N extends keyof typeof PACKAGES>(name: N): Promise<Loaded<N> | null> {
  try {
    return (await PACKAGES[name]()) as Loaded<N>;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_MODULE_NOT_FOUND' && message.startsWith(`Cannot find package '${name}'`)) return null;
    throw error;
  }
}

export interface HostConfig {
  readonly config: CredenceConfig;
  /** What this host does without, since a package is not installed. */
  readonly warnings: readonly string[];
}

/**
 * Composes what the environment asks for. A default that needs a package which is not installed is left out with a warning.
 * @param given the variables as they are set, to tell a default from a wish
 * @throws EnvironmentError for a variable that asks for what is not installed
 */
export async function hostConfig(
  env: Environment,
  given: Readonly<Record<string, string | undefined>> = process.env,
): Promise<HostConfig> {
  const plugins: CredencePlugin[] = [];
  const warnings: string[] = [];
  if (env.CONSOLE) {
    const loaded = await load('@credence/console');
    if (loaded !== null) plugins.push(loaded.credenceConsole());
    else if (given.CONSOLE) throw new EnvironmentError(`CONSOLE: ${missing('@credence/console')}`);
    else warnings.push(`There is no console: ${missing('@credence/console')}`);
  }
  return { config: { ...toConfig(env, await furtherPlatforms(env)), plugins }, warnings };
}

const missing = (name: string) => `the package ${name} is not installed. Install it: npm install ${name}`;
