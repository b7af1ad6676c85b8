/** The library configuration of the standalone host, with the parts that optional packages bring. */
import { importFailure, MissingPackageError } from '../../adapters/package-loader/index.ts';
import type { NotaryAdapter, ZkProverAdapter } from '../../core/ports/adapter-values.ts';
import { ConfigurationError, type CredenceConfig } from '../../plugins/compose/config.ts';
import type { CredencePlugin } from '../../plugins/compose/plugin.ts';
import { type Environment, EnvironmentError, toConfig } from './environment.ts';
import { furtherPlatforms } from './platforms.ts';

/** What this host takes from each package. The cast keeps the compiler from looking for a package that may not be installed. */
interface Packages {
  readonly '@credence/blind-notary': {
    blindNotary(options: object): CredencePlugin;
    mpcNotary(options: object): NotaryAdapter;
  };
  readonly '@credence/console': { credenceConsole(): CredencePlugin };
  readonly '@credence/groth16': { groth16(options: object): ZkProverAdapter };
}

const LOADED: { readonly [N in keyof Packages]: () => Promise<Packages[N]> } = {
  '@credence/blind-notary': () => import('@credence/blind-notary' as string),
  '@credence/console': () => import('@credence/console' as string),
  '@credence/groth16': () => import('@credence/groth16' as string),
};

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
  const warnings: string[] = [];
  /** @param variables those that ask for it, if one of them is set */
  async function wanted<N extends keyof Packages>(
    name: N,
    what: string,
    variables: readonly (keyof Environment)[],
  ): Promise<Packages[N] | null> {
    try {
      return await LOADED[name]();
    } catch (error) {
      const failure = importFailure(error, name, what);
      if (!(failure instanceof MissingPackageError)) throw failure;
      const asking = variables.find((variable) => given[variable]);
      if (asking !== undefined) throw new EnvironmentError(`${asking}: ${failure.message}`);
      warnings.push(`${failure.message}. This host runs without it.`);
      return null;
    }
  }

  const plugins: CredencePlugin[] = [];
  const { zk, notary: { sessions, ...notary } = {}, ...config } = toConfig(env, await furtherPlatforms(env));
  let services = config.services ?? [];
  if (sessions !== undefined && services.includes('notary')) {
    const loaded = await wanted('@credence/blind-notary', 'A blind notary', ['MPC_SESSIONS', 'CONFIG_FILE']);
    if (loaded !== null) plugins.push(loaded.blindNotary(sessions));
  }
  if (env.CONSOLE) {
    const loaded = await wanted('@credence/console', 'The console', ['CONSOLE']);
    if (loaded !== null) plugins.push(loaded.credenceConsole());
  }
  const madeNotaries = config.remoteNotaries?.map(async (each, index) => {
    const { mode, ...options } = Object(each);
    if (mode !== 'blind') return options;
    const loaded = await wanted('@credence/blind-notary', 'A blind notary', ['REMOTE_NOTARIES_FILE', 'CONFIG_FILE']);
    return inEntry(`remoteNotaries.${index}`, () => loaded?.mpcNotary(options));
  });
  const remoteNotaries = madeNotaries && (await Promise.all(madeNotaries));
  const { prover = 'groth16', ...options } = zk ?? {};
  let zkProver: ZkProverAdapter | undefined;
  if (services.includes('zk-prover')) {
    if (prover === 'http')
      zkProver = (await import('../../adapters/http-prover/index.ts')).httpProver(options as never);
    else if (prover === 'fake') zkProver = (await import('../../adapters/fake-prover/index.ts')).fakeProver(options);
    else {
      const loaded = await wanted('@credence/groth16', 'The service zk-prover', ['ZK_PROVER', 'SERVICES']);
      zkProver = loaded?.groth16(options);
    }
    if (zkProver === undefined) services = services.filter((name) => name !== 'zk-prover');
  }
  return { config: { ...config, notary, remoteNotaries, services, plugins, zkProver }, warnings };
}

/** Returns what `make` returns. If it refuses its options, the mistakes name the entry of the list instead of the adapter. */
function inEntry<T>(entry: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const issues = error.issues.map((issue) => ({ ...issue, field: issue.field.replace(/^\w+/, entry) }));
    throw new ConfigurationError(error.message, { issues });
  }
}
