/** The console's files of a run of the tests (`globalSetup`), built if the sources have changed since the last time. */
import { buildConsoleIfStale } from '../../tools/console.ts';

export default async function setup(): Promise<void> {
  try {
    await buildConsoleIfStale();
  } catch (error) {
    const line = '='.repeat(100);
    const reason = error instanceof Error ? error.message : String(error);
    console.warn(
      `\n${line}\n  NO CONSOLE: its tests will fail. Run npm ci, then npm run build:console.\n  ${reason}\n${line}\n`,
    );
  }
}
