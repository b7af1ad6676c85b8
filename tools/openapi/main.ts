/** `npm run check:openapi`: the OpenAPI documents of the host and of the notary against the rules that Redocly recommends. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { credenceConsole } from '@credence/console';
import { fakeProver } from '../../adapters/fake-prover/index.ts';
import { silentLogger } from '../../core/ports/logger.ts';
import { readNotaryEnvironment } from '../../hosts/notary/environment.ts';
import { createNotaryService } from '../../hosts/notary/service.ts';
import { createCredence } from '../../plugins/compose/index.ts';
import { credenceFetch } from '../../plugins/fetch/index.ts';

const HERE = import.meta.dirname;
const FOLDER = `${HERE}/../../reports/openapi`;
const URL_OF_DOCUMENT = 'https://credence.test/openapi.json';
mkdirSync(FOLDER, { recursive: true });

const credence = createCredence({
  storage: { url: 'sqlite::memory:' },
  secrets: { key: new Uint8Array(32) },
  publicUrl: 'https://credence.test',
  services: ['engagement', 'web-prover', 'zk-prover', 'notary'],
  zkProver: fakeProver(),
  plugins: [credenceConsole()],
});
const environment = readNotaryEnvironment({ NOTARY_KEY_FILE: `${FOLDER}/notary.key`, NOTARY_TOKENS: 'a'.repeat(32) });
const notary = createNotaryService(environment, silentLogger);
for (const [name, fetch] of [
  ['host', credence.fetch],
  ['notary', credenceFetch(notary)],
] as const) {
  writeFileSync(`${FOLDER}/${name}.json`, await (await fetch(new Request(URL_OF_DOCUMENT))).text());
}
await notary.close();
const files = ['host.json', 'notary.json'].map((name) => `${FOLDER}/${name}`);
const { status } = spawnSync(`${HERE}/node_modules/.bin/redocly`, ['lint', ...files, `--config=${HERE}/redocly.yaml`], {
  stdio: 'inherit',
  env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
});
process.exitCode = status ?? 1;
