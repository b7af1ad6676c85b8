/** `credence webhooks replay`: sends events again that a webhook did not take. */
import { type Command, InvalidArgumentError } from 'commander';
import { warningsOf } from '../../plugins/client/warnings.ts';
import type { Surroundings } from './api-commands.ts';
import { call, type Target } from './call.ts';
import { groupOf, type Operation, operationNamed } from './operations.ts';
import { format } from './output.ts';
import { createProgress, type ShowProgress } from './progress.ts';
import { UsageError } from './usage-error.ts';

interface Logged {
  readonly event: string;
  readonly attemptId: number | null;
  readonly challengeId: number | null;
  readonly status: string;
  readonly createdAt: string;
}

interface ReplayOptions {
  readonly since: Date;
  readonly until?: Date;
  readonly status: string;
  readonly dryRun?: true;
  readonly json?: boolean;
}

const STATUSES = ['failed', 'cancelled', 'succeeded', 'pending'];
const PAGE_SIZE = 100;
/** The host limits redeliveries: each call waits as long as it is told. */
const MOST_WAITS = 60;

const AGES: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time of ISO 8601, or an age: `90m`, `6h`, `2d`. */
export function timeOf(text: string, now = Date.now()): Date {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return new Date(now - Number(count) * (AGES[unit] ?? 0));
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text) : null;
  if (time === null || Number.isNaN(time.getTime())) {
    throw new InvalidArgumentError('Give a time such as 2026-11-22T09:00:00Z, or an age such as 90m, 6h or 2d.');
  }
  return time;
}

/** Adds `replay` to the group `webhooks`. */
export function addReplayCommand(
  program: Command,
  operations: readonly Operation[],
  around: Surroundings & { readonly showProgress: ShowProgress | undefined },
): void {
  groupOf(program, 'webhooks')
    .command('replay')
    .description('sends events again, with the ids that they had, to all webhooks and subscribers that want them')
    .argument('<brand-id>')
    .argument('<webhook-id>', 'whose log of deliveries says what to send again')
    .requiredOption('--since <time>', 'events from this time on: ISO 8601, or an age such as 6h', (text) =>
      timeOf(text),
    )
    .option('--until <time>', 'events before this time', (text) => timeOf(text))
    .option('--status <names>', `deliveries that ended so, comma separated: ${STATUSES.join(', ')}`, 'failed,cancelled')
    .option('--dry-run', 'only tells what would be sent')
    .addHelpText('after', '\nExample:\n  credence webhooks replay 1 3 --since 6h --dry-run')
    .action(async (brandId: string, webhookId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ReplayOptions>();
      const statuses = options.status.split(',');
      const unknown = statuses.filter((status) => !STATUSES.includes(status));
      if (unknown.length > 0) throw new UsageError(`--status takes ${STATUSES.join(', ')}; not ${unknown.join(', ')}.`);
      const target = await around.target(command);
      const found = await wanted(target, operations, { brandId, webhookId }, { ...options, statuses });
      const rows = options.dryRun === true ? toSend(found) : await send(target, operations, found, around.showProgress);
      around.print(format(options.json === true ? { data: rows } : rows, options.json === true ? 'json' : 'text'));
    });
}

/** An attempt and its events, in the order of the attempts' first events. Test events and events of platforms have no attempt. */
interface Due {
  readonly attemptId: number;
  readonly challengeId: number;
  readonly events: Set<string>;
}

async function wanted(
  target: Target,
  operations: readonly Operation[],
  path: { readonly brandId: string; readonly webhookId: string },
  { since, until, statuses }: Pick<ReplayOptions, 'since' | 'until'> & { readonly statuses: readonly string[] },
): Promise<readonly Due[]> {
  const list = operationNamed(operations, 'webhooks', 'listDeliveries');
  const isOld = ({ createdAt }: Logged) => new Date(createdAt) < since;
  const due = new Map<number, Due>();
  // Newest first: new deliveries move the pages on, so that some are seen twice and none is missed.
  for (let page = 1; ; page += 1) {
    const answer = await call(target, list, { path, query: { page, limit: PAGE_SIZE }, body: {} });
    const { data } = answer as { readonly data: readonly Logged[] };
    for (const one of data) {
      const { attemptId, challengeId, event, createdAt, status } = one;
      if (attemptId === null || challengeId === null || isOld(one) || !statuses.includes(status)) continue;
      if (until !== undefined && new Date(createdAt) >= until) continue;
      const events = due.get(attemptId)?.events ?? new Set();
      // Moved behind those that are newer: the last ones are the oldest.
      due.delete(attemptId);
      due.set(attemptId, { attemptId, challengeId, events: events.add(event) });
    }
    const last = data.at(-1);
    if (data.length < PAGE_SIZE || last === undefined || isOld(last)) return [...due.values()].reverse();
  }
}

const toSend = (due: readonly Due[]) => due.map(({ events, ...rest }) => ({ ...rest, events: [...events].join(' ') }));

async function send(
  target: Target,
  operations: readonly Operation[],
  due: readonly Due[],
  show: ShowProgress | undefined,
) {
  const redeliver = operationNamed(operations, 'attempts', 'redeliver');
  const progress = createProgress(show, due.length);
  const outcomes: { readonly outcome: string; readonly warning?: string }[] = [];
  try {
    for (const { attemptId, challengeId, events } of due) {
      const input = { path: { challengeId, attemptId }, query: {}, body: { events: [...events] } };
      const outcome = call(target, redeliver, input, MOST_WAITS).then(
        (answer) => {
          const [warning] = warningsOf(answer);
          return { outcome: 'queued', ...(warning === undefined ? {} : { warning }) };
        },
        (error: Error & { code?: string }) => {
          // The attempt has moved on: what the event said is not so any more.
          if (error.code === 'EVENT_NOT_ELIGIBLE' || error.code === 'NOT_FOUND') return { outcome: error.code };
          throw error;
        },
      );
      outcomes.push(await outcome);
      progress.at(outcomes.length);
    }
  } finally {
    progress.end();
  }
  return toSend(due).map((row, at) => ({ ...row, ...outcomes[at] }));
}
