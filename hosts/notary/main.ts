/** The standalone notary: `node hosts/notary/main.ts`. Someone other than the prover should run it. */
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { printable } from '../../core/printable.ts';
import { LISTEN_BACKLOG } from '../../plugins/http/server-limits.ts';
import { EnvironmentError } from '../standalone/environment-values.ts';
import { createLogger } from '../standalone/logger.ts';
import { nodeVersionRefusal } from '../standalone/node-version.ts';
import { onShutdown } from '../standalone/shutdown.ts';
import { explainFailure, namingVariable } from '../standalone/start-failure.ts';
import { warnAboutUnknownVariables } from '../standalone/unknown-variables.ts';
import { endWithWrapper } from '../standalone/wrapper.ts';
import { describeNotaryEnvironment, notaryVariableNames, readNotaryEnvironment } from './environment.ts';

const USAGE = `Credence notary: makes HTTPS requests for provers and signs what came back.

Usage: npx credence notary [--help]
In a clone of the repository: npm run notary [-- --help]

It is configured by environment variables:
${describeNotaryEnvironment()}

It sees the credentials in every request that it makes. In blind sessions the prover makes the request, and the notary sees what
the proof shows. It prints its key's fingerprint, which provers pin, and
"listening on http://HOST:PORT" on stdout when it is ready, and logs JSON lines to stderr.`;

async function main(): Promise<void> {
  const refusal = nodeVersionRefusal();
  if (refusal !== undefined) throw new EnvironmentError(refusal);
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) return console.log(USAGE);
  endWithWrapper();
  const environment = readNotaryEnvironment(process.env);
  // Loaded late, so that help is answered at once, and a package that is missing is named without a stack.
  const { createApp } = await import('../standalone/app.ts');
  const { createNotaryService } = await import('./service.ts');
  const logger = createLogger(environment.LOG_LEVEL);
  for (const warning of warnAboutUnknownVariables(process.env, notaryVariableNames)) logger.warn({}, warning);
  const service = createNotaryService(environment, logger);
  const app = await createApp(service);
  service.attach(app.server);
  onShutdown(logger, async () => {
    // Blind sessions keep their connections open, and the application waits for these.
    await Promise.all([app.close(), service.close()]);
  });
  await app.listen({ port: environment.PORT, host: environment.HOST, backlog: LISTEN_BACKLOG });
  const { port } = app.server.address() as AddressInfo;
  const host = environment.HOST.includes(':') ? `[${environment.HOST}]` : environment.HOST;
  console.log(`notary key fingerprint: ${service.fingerprint}`);
  console.log(`listening on http://${host}:${port}`);
}

try {
  await main();
} catch (error) {
  const { text, exitCode } = namingVariable(explainFailure(error, undefined, process.env.HOST), [
    ['NOTARY_KEY_FILE', process.env.NOTARY_KEY_FILE || './data/notary.key'],
  ]);
  console.error(printable(text));
  process.exit(exitCode);
}
