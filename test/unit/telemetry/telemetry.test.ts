import { type Attributes, type Span, type SpanOptions, type Tracer, trace } from '@opentelemetry/api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { worksOf } from '../../../adapters/leased-jobs/index.ts';
import { createTelemetry } from '../../../adapters/telemetry/index.ts';
import { DomainError } from '../../../core/errors.ts';
import { RescheduleError } from '../../../core/ports/job-queue.ts';
import { jobFigures } from '../../../plugins/compose/figures.ts';
import { observedHandlers } from '../../../plugins/compose/observed.ts';

interface RecordedSpan {
  readonly name: string;
  readonly attributes: Attributes;
  failed: boolean;
  ended: boolean;
}

const spans: RecordedSpan[] = [];

function startSpan(name: string, options: SpanOptions): Span {
  const recorded: RecordedSpan = { name, attributes: { ...options.attributes }, failed: false, ended: false };
  spans.push(recorded);
  const none = trace.wrapSpanContext({ traceId: '1'.repeat(32), spanId: '1'.repeat(16), traceFlags: 1 });
  return Object.assign(none, {
    setAttribute(key: string, value: string | number) {
      recorded.attributes[key] = value;
      return none;
    },
    setStatus() {
      recorded.failed = true;
      return none;
    },
    end() {
      recorded.ended = true;
    },
  });
}

beforeAll(() => {
  const tracer = {
    startSpan,
    startActiveSpan: (name: string, options: SpanOptions, _context: unknown, run: (span: Span) => unknown) =>
      run(startSpan(name, options)),
  } as unknown as Tracer;
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
});
afterAll(() => trace.disable());

it('counts and traces what was done, by name and outcome', async () => {
  const telemetry = createTelemetry();
  spans.length = 0;
  expect(await telemetry.observe({ kind: 'request', name: 'getPost' }, async () => 503, String)).toBe(503);
  const failure = new DomainError('POST_NOT_FOUND', 'The text names @somebody.');
  await expect(
    telemetry.observe({ kind: 'platform', name: 'tiktok.getPost' }, () => Promise.reject(failure)),
  ).rejects.toBe(failure);
  const { text, contentType } = await telemetry.metrics();
  expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(text).toContain('credence_request_duration_seconds_count{route="getPost",outcome="503"} 1');
  expect(text).toContain(
    'credence_platform_call_duration_seconds_count{call="tiktok.getPost",outcome="POST_NOT_FOUND"} 1',
  );
  expect(text).not.toContain('somebody');
  expect(spans).toEqual([
    {
      name: 'request getPost',
      attributes: { 'credence.route': 'getPost', 'credence.outcome': '503', 'http.response.status_code': 503 },
      failed: true,
      ended: true,
    },
    {
      name: 'platform tiktok.getPost',
      attributes: { 'credence.call': 'tiktok.getPost', 'credence.outcome': 'POST_NOT_FOUND' },
      failed: true,
      ended: true,
    },
  ]);
  await telemetry.close();
});

it('a job that is postponed did not fail', async () => {
  const telemetry = createTelemetry();
  spans.length = 0;
  const handlers = observedHandlers(
    {
      'issue-reward': async () => {
        throw new RescheduleError(new Date(), 'later');
      },
    },
    telemetry,
  );
  const run = worksOf(handlers)
    .get('issue-reward')
    ?.run({ attemptId: 1 }, { run: 1, signal: new AbortController().signal });
  await expect(run).rejects.toThrow(RescheduleError);
  expect(spans).toMatchObject([{ name: 'job issue-reward', failed: false, ended: true }]);
  await telemetry.metrics();
  const { text } = await telemetry.metrics();
  expect(text).toContain('credence_job_duration_seconds_count{type="issue-reward",outcome="later"} 1');
  expect(text).toMatch(/^credence_event_loop_delay_seconds\{quantile="0.99"\} /m);
  expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m);
  await telemetry.close();
});

it('instances count apart', async () => {
  const [one, other] = [createTelemetry(), createTelemetry()];
  await one.observe({ kind: 'proof', name: 'prove' }, async () => undefined);
  expect((await one.metrics()).text).toContain('step="prove"');
  expect((await other.metrics()).text).not.toContain('step="prove"');
  await Promise.all([one.close(), other.close()]);
});

it('jobs are counted by state; a queue that cannot be asked has no figures', async () => {
  const stats = async () => ({ queued: 3, running: 2, dead: 1 });
  expect(await jobFigures({ queue: { stats } })()).toContain('credence_jobs{state="queued"} 3');
  const away = jobFigures({ queue: { stats: () => Promise.reject(new Error('away')) } });
  expect(await away()).not.toMatch(/^credence_jobs\{/m);
});
