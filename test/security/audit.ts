/** `npm run audit`. Not part of the suite: it needs the network, and its answer changes without the source. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';

const report = z.object({
  metadata: z.object({ vulnerabilities: z.record(z.string(), z.number()) }),
  vulnerabilities: z.record(z.string(), z.object({ severity: z.string(), range: z.string() })),
});
const failure = z.object({ message: z.string() });

const USAGE = `Are there known holes of severity high or worse in what is installed with the package?

Usage: npm run audit [-- --help]

It ends with 1 when there are. A registry that cannot be asked is said so and is no failure.`;

const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
if (values.help) console.log(USAGE);
else audit();

function audit(): void {
  const { stdout, stderr } = spawnSync('npm', ['audit', '--omit=dev', '--audit-level=high', '--json'], {
    cwd: resolve(import.meta.dirname, '../..'),
    encoding: 'utf8',
    timeout: 120_000,
  });
  const answer = parse(stdout);
  const found = report.safeParse(answer);
  if (!found.success) {
    const why = failure.safeParse(answer).data?.message;
    console.log(`SKIPPED: the registry gave no audit report (${why ?? stderr.trim().split('\n')[0]}).`);
    return;
  }
  const { high = 0, critical = 0, moderate = 0, low = 0 } = found.data.metadata.vulnerabilities;
  console.log(`Production dependencies: ${critical} critical, ${high} high, ${moderate} moderate, ${low} low.`);
  for (const [name, { severity, range }] of Object.entries(found.data.vulnerabilities)) {
    console.log(`  ${severity}: ${name} ${range}`);
  }
  process.exitCode = high + critical > 0 ? 1 : 0;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
