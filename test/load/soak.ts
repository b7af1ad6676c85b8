/** `npm run soak`: a host under sustained load, with sweeps and deliveries beside it. Ends with 1 when something is wrong. */
import { parseArgs } from 'node:util';
import { digits } from '../bench/measure.ts';
import { type SoakFigures, type SoakReport, soak } from './soak-run.ts';

const DEFAULT_STALL_MS = 250;

const USAGE = `Credence, soak test: the standalone host on SQLite under sustained load.

Usage: npm run soak [-- [--minutes N] [--stall MS] [--quick] [--json] [--help]]

  --minutes N  how long, 10 by default, at most 60
  --stall MS   the longest time that the event loop may be held up at once, ${DEFAULT_STALL_MS} by default
  --quick      five seconds: shows that it works; memory and delays are not judged
  --json       the report as JSON on stdout

It ends with 1 when a request failed, an event was not delivered, the event loop was held up (p99 of 50 ms
or more, or longer than --stall at once) or memory grew (resident memory is judged from five minutes on).`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    json: { type: 'boolean' },
    quick: { type: 'boolean' },
    minutes: { type: 'string', default: '10' },
    stall: { type: 'string', default: String(DEFAULT_STALL_MS) },
  },
});

if (values.help) {
  console.log(USAGE);
} else {
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && minutes <= 60)) {
    console.error('--minutes takes a number above 0 and up to 60. See --help.');
    process.exit(2);
  }
  const maxStallMs = Number(values.stall);
  if (!(maxStallMs > 0)) {
    console.error('--stall takes a number of milliseconds above 0. See --help.');
    process.exit(2);
  }
  const seconds = values.quick ? 5 : minutes * 60;
  const report = await soak({
    seconds,
    judgeFigures: values.quick !== true,
    maxStallMs,
    onFigures: (figures) => console.error(line(figures)),
  });
  console.log(values.json ? JSON.stringify(report, null, 2) : summary(report));
  process.exitCode = report.problems.length === 0 ? 0 : 1;
}

function line({ second, delay, rss, heapUsed, requests, delivered }: SoakFigures): string {
  const memory = `${digits(rss / 2 ** 20)} MB resident, ${digits(heapUsed / 2 ** 20)} MB heap`;
  return `${second} s: ${requests} reads, ${delivered} events, event loop p99 ${digits(delay.p99)} ms, ${memory}`;
}

function summary(report: SoakReport): string {
  const { delay, rss, heap } = report;
  const megabytes = (bytes: number) => `${digits(bytes / 2 ** 20)} MB`;
  return [
    `${report.requests} reads (${digits(report.requestsPerSecond)}/s), p99 ${digits(report.latencyP99)} ms`,
    `${report.sweeps} sweeps, ${report.batches} batches, ${report.delivered} of ${report.expectedEvents} events delivered`,
    `event loop delay: p50 ${digits(delay.p50)} ms, p99 ${digits(delay.p99)} ms, longest ${digits(delay.max)} ms`,
    `resident memory: ${megabytes(rss.early)} early on, ${megabytes(rss.late)} at the end`,
    `heap after a collection: ${megabytes(heap.early)} early on, ${megabytes(heap.late)} at the end`,
    ...(report.problems.length === 0 ? ['all well'] : ['', 'PROBLEMS', ...report.problems.map((text) => `  ${text}`)]),
  ].join('\n');
}
