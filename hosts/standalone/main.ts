/** The standalone host: `npm start`. */
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { printable } from '../../core/printable.ts';
import { packageVersion } from '../../plugins/compose/version.ts';
import { LISTEN_BACKLOG } from '../../plugins/http/server-limits.ts';
import { outliveReaders } from './closed-pipe.ts';
import { describeEnvironment, readEnvironment, variableNames, variableOf, variablesOfPaths } from './environment.ts';
import { EnvironmentError } from './environment-values.ts';
import { holdPort } from './held-port.ts';
import { hostConfig } from './host-config.ts';
import { nodeVersionRefusal } from './node-version.ts';
import { onShutdown } from './shutdown.ts';
import { explainFailure, namingVariable } from './start-failure.ts';
import { warnAboutUnknownVariables } from './unknown-variables.ts';
import { endWithWrapper } from './wrapper.ts';

const REQUEST_GRACE_MS = 10_000;
/** For a start that failed: longer than running jobs are waited for. */
const STOP_GRACE_MS = 20_000;

const USAGE = `Credence, the standalone host.

Usage: npx credence start [--help | --version]
In a clone of the repository: npm start [-- --help | --version]

It is configured by environment variables:
${describeEnvironment()}

It prints "listening on http://HOST:PORT" on stdout when it is ready, and logs JSON lines to stderr. As a notary, it prints the
fingerprint of its key before that.
SIGTERM and SIGINT stop it: requests, jobs and deliveries in flight are finished first.`;

/** Only this machine reaches a host that listens there. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

async function main(): Promise<void> {
  const refusal = nodeVersionRefusal();
  if (refusal !== undefined) throw new EnvironmentError(refusal);
  outliveReaders();
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } } });
  if (values.help) return console.log(USAGE);
  if (values.version) return console.log(packageVersion());

  endWithWrapper();
  const environment = readEnvironment(process.env);
  const { config, warnings: missing } = await hostConfig(environment);
  const releasePort = await holdPort(environment.PORT, environment.HOST);
  // Loaded late, so that help and mistakes in the configuration are answered at once.
  const [{ createCredence }, { createApp }] = await Promise.all([
    import('../../plugins/compose/index.ts'),
    import('./app.ts'),
  ]);
  const { createLogger } = await import('./logger.ts');
  const logger = createLogger(environment.LOG_LEVEL);
  const warnings = [...warnAboutUnknownVariables(process.env, variableNames), ...missing];
  for (const warning of warnings) logger.warn({}, warning);
  const isNotary = config.services?.includes('notary') === true;
  const modules = [
    ...(isNotary ? [(await import('./notary-key.ts')).printedFingerprint] : []),
    ...(isLoopback(environment.HOST) ? [(await import('./local-receivers.ts')).localReceivers] : []),
  ];
  const credence = createCredence(config, { logger, modules });
  const app = await createApp(credence, { trustProxy: environment.TRUST_PROXY });
  credence.attach(app.server);
  const shutdown = onShutdown(logger, async () => {
    // Requests that take longer, a sweep say, are cut off: their progress is saved.
    await Promise.race([app.close(), sleep(REQUEST_GRACE_MS)]);
    await credence.stop();
  });
  try {
    const { generatedAdminToken } = await credence.start();
    // Before anything else can fail: it cannot be had again.
    if (generatedAdminToken !== undefined) {
      console.log(`admin token, shown only now: ${generatedAdminToken}`);
    }
    if (shutdown.begun()) return;
    await releasePort();
    await app.listen({ port: environment.PORT, host: environment.HOST, backlog: LISTEN_BACKLOG });
  } catch (error) {
    if (shutdown.begun()) return logger.warn({ err: error }, 'stopped before it was ready');
    // Jobs may be running already: what this process took is given back, or others would wait for its leases to end.
    await Promise.race([credence.stop(), sleep(STOP_GRACE_MS)]).catch((err: unknown) =>
      logger.error({ err }, 'stopping failed'),
    );
    throw error;
  }
  const { port } = app.server.address() as AddressInfo;
  const host = environment.HOST.includes(':') ? `[${environment.HOST}]` : environment.HOST;
  console.log(`listening on http://${host}:${port}`);
  // A browser opens no address that stands for every one of this machine.
  const url = `http://${['0.0.0.0', '[::]'].includes(host) ? 'localhost' : host}:${port}`;
  for (const [path, name] of [
    ['/console', 'console:  '],
    ['/docs', 'API docs: '],
  ] as const) {
    if (credence.routes.some((route) => route.path === path)) console.log(`${name}${url}${path}`);
  }
}

try {
  await main();
} catch (error) {
  const { text, exitCode } = namingVariable(
    explainFailure(error, variableOf, process.env.HOST),
    variablesOfPaths(process.env),
  );
  console.error(printable(text));
  process.exit(exitCode);
}
