/** `npm run check:openapi`: the OpenAPI documents of the host and of the notary against Redocly's and Spectral's recommended rules. */
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { credenceConsole } from '@credence/console';
import { silentLogger } from '../../core/ports/logger.ts';
import { readNotaryEnvironment } from '../../hosts/notary/environment.ts';
import { createNotaryService } from '../../hosts/notary/service.ts';
import { createCredence } from '../../plugins/compose/index.ts';
import { credenceFetch } from '../../plugins/fetch/index.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const SETTINGS = ['redocly.yaml', '.redocly.lint-ignore.yaml', 'spectral.yaml'];

async function hostDocument(): Promise<string> {
  const credence = createCredence({
    storage: { url: 'sqlite::memory:' },
    secrets: { key: new Uint8Array(32) },
    publicUrl: 'https://credence.test',
    services: ['engagement', 'web-prover', 'zk-prover', 'notary'],
    plugins: [credenceConsole()],
  });
  return (await credence.fetch(new Request('https://credence.test/openapi.json'))).text();
}

async function notaryDocument(folder: string): Promise<string> {
  const notary = createNotaryService(
    readNotaryEnvironment({
      NOTARY_KEY_FILE: join(folder, 'notary.key'),
      NOTARY_TOKENS: 'a-token-that-nobody-is-told',
      NOTARY_URL: 'https://notary.test',
    }),
    silentLogger,
  );
  const answer = await credenceFetch(notary)(new Request('https://notary.test/openapi.json'));
  await notary.close();
  return answer.text();
}

/** Lints `openapi.json` of a folder; returns what was found. */
function lint(folder: string): string {
  const run = (tool: string, ...args: string[]) =>
    spawnSync(process.execPath, [join(HERE, 'node_modules', '.bin', tool), ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
    });
  const redocly = run('redocly', 'lint', 'openapi.json', '--config=redocly.yaml', '--format=json');
  const { problems } = JSON.parse(redocly.stdout) as {
    problems: { ruleId: string; message: string; location: unknown; ignored?: boolean }[];
  };
  const spectral = run(
    'spectral',
    'lint',
    'openapi.json',
    '--ruleset=spectral.yaml',
    '--fail-severity=hint',
    '--quiet',
  );
  return [
    ...problems
      .filter(({ ignored }) => ignored !== true)
      .map(({ ruleId, message, location }) => `Redocly ${ruleId}: ${message} ${JSON.stringify(location)}`),
    ...(spectral.status === 0 ? [] : [`Spectral:\n${spectral.stdout}${spectral.stderr}`]),
  ].join('\n');
}

const folder = await mkdtemp(join(tmpdir(), 'credence-openapi-'));
try {
  for (const name of SETTINGS) await cp(join(HERE, name), join(folder, name));
  for (const [name, document] of [
    ['host', await hostDocument()],
    ['notary', await notaryDocument(folder)],
  ] as const) {
    await writeFile(join(folder, 'openapi.json'), document);
    const found = lint(folder);
    console.log(`${name}: ${found === '' ? 'no findings' : `\n${found}`}`);
    if (found !== '') process.exitCode = 1;
  }
} finally {
  await rm(folder, { recursive: true });
}
