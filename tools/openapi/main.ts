/** `npm run check:openapi`: the OpenAPI document of all services against the rules that Redocly recommends. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { blindNotary } from '@credence/blind-notary';
import { credenceConsole } from '@credence/console';
import { fakeProver } from '../../adapters/fake-prover/index.ts';
import { createCredence } from '../../plugins/compose/index.ts';

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
  plugins: [blindNotary(), credenceConsole()],
});
const file = `${FOLDER}/credence.json`;
writeFileSync(file, await (await credence.fetch(new Request(URL_OF_DOCUMENT))).text());
const { status } = spawnSync(`${HERE}/node_modules/.bin/redocly`, ['lint', file, `--config=${HERE}/redocly.yaml`], {
  stdio: 'inherit',
  env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
});
process.exitCode = status ?? 1;
