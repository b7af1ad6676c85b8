/** What the log line of a request costs, as the standalone host writes it. */
import { devNull } from 'node:os';
import { pino } from 'pino';
import type { Logger } from '../../../core/ports/logger.ts';
import { createLogger } from '../../../hosts/standalone/logger.ts';
import { type BenchRow, MICROSECONDS } from '../bench.ts';
import { processorTimed, sideBySide } from '../rounds.ts';

/** The logger of the hosts at their default level, except for where the lines go. */
export const createHostLogger = (): Logger => createLogger('info', devNull);

export function measureLogLine(quick: boolean): Promise<BenchRow> {
  // Processor time is counted in steps: fewer lines may take none.
  const lines = quick ? 5_000 : 50_000;
  const costOf = (logger: Logger) => async () => {
    const milliseconds = await processorTimed(() => {
      for (let line = 0; line < lines; line += 1) {
        const requestId = `req_${line.toString(16).padStart(16, '0')}`;
        const fields = { requestId, method: 'GET', route: 'listCampaigns', status: 200, caller: 'token:12', ms: 3 };
        logger.info(fields, 'request');
      }
    });
    return (milliseconds * 1_000) / lines;
  };
  const bare = pino({ level: 'info', base: undefined }, pino.destination({ dest: devNull, sync: false }));
  return sideBySide({
    name: 'log line of a request',
    unit: MICROSECONDS,
    subject: costOf(createHostLogger()),
    reference: { name: 'pino without redaction', measure: costOf(bare) },
    rounds: quick ? 1 : 11,
    aim: { of: 'figure', atMost: 15 },
  });
}
