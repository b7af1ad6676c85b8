/**
 * Figures for Prometheus (prom-client) and spans through the OpenTelemetry API, which do nothing until the host sets an SDK
 * up. Every instance has its own registry; nothing is registered globally.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  type Attributes,
  context,
  ProxyTracerProvider,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { Counter, Gauge, Registry } from 'prom-client';
import { isDomainError } from '../../core/errors.ts';
import { RescheduleError } from '../../core/ports/job-queue.ts';
import type { CanaryFigures, Observed, ObservedKind, Telemetry } from '../../core/ports/telemetry.ts';
import { type BlindFigures, createBlindFigures } from './blind-figures.ts';
import { createDurations, type Durations } from './durations.ts';
import { createSessionFigures } from './session-figures.ts';

interface KindFacts {
  readonly metric: string;
  readonly help: string;
  readonly label: string;
  readonly span: SpanKind;
}

const KINDS: Readonly<Record<ObservedKind, KindFacts>> = {
  request: {
    metric: 'credence_request_duration_seconds',
    help: 'Requests answered, by route and status.',
    label: 'route',
    span: SpanKind.SERVER,
  },
  job: {
    metric: 'credence_job_duration_seconds',
    help: 'Runs of background jobs, by type and outcome.',
    label: 'type',
    span: SpanKind.CONSUMER,
  },
  delivery: {
    metric: 'credence_delivery_duration_seconds',
    help: 'Tries of webhook deliveries, by outcome.',
    label: 'transport',
    span: SpanKind.CLIENT,
  },
  platform: {
    metric: 'credence_platform_call_duration_seconds',
    help: 'Reads of platforms, waiting for the pace included, by call and outcome.',
    label: 'call',
    span: SpanKind.CLIENT,
  },
  proof: {
    metric: 'credence_proof_duration_seconds',
    help: 'Web proofs made and compressed, by step and outcome.',
    label: 'step',
    span: SpanKind.INTERNAL,
  },
};

const EVENT_LOOP_RESOLUTION_MS = 20;

/** See `createTelemetry`. */
export function createRecorder(): Telemetry {
  const registry = new Registry();
  const registers = [registry];
  const tracer = trace.getTracer('credence');
  const durations: Readonly<Record<ObservedKind, Durations>> = {
    request: createDurations(KINDS.request),
    job: createDurations(KINDS.job),
    delivery: createDurations(KINDS.delivery),
    platform: createDurations(KINDS.platform),
    proof: createDurations(KINDS.proof),
  };
  const jobs = new Gauge({
    name: 'credence_jobs',
    help: 'Jobs in the queue that all processes share.',
    labelNames: ['state'],
    registers,
  });
  const eventLoop = new Gauge({
    name: 'credence_event_loop_delay_seconds',
    help: 'Delay of the event loop since the last scrape.',
    labelNames: ['quantile'],
    registers,
  });
  const memory = new Gauge({ name: 'process_resident_memory_bytes', help: 'Resident memory.', registers });
  const cpu = new Counter({ name: 'process_cpu_seconds_total', help: 'Processor time used.', registers });
  const canaryFigures = createCanaryFigures(registers);
  const sessionFigures = createSessionFigures(registers);
  let blindFigures: BlindFigures | undefined;
  const blind = () => {
    blindFigures ??= createBlindFigures(registers);
    return blindFigures;
  };
  let loop: ReturnType<typeof monitorEventLoopDelay> | undefined;
  let cpuSeconds = 0;

  function measureProcess(): void {
    memory.set(process.memoryUsage.rss());
    const { user, system } = process.cpuUsage();
    const used = (user + system) / 1e6;
    cpu.inc(Math.max(0, used - cpuSeconds));
    cpuSeconds = used;
    if (loop === undefined) {
      loop = monitorEventLoopDelay({ resolution: EVENT_LOOP_RESOLUTION_MS });
      loop.enable();
      return;
    }
    for (const percent of [50, 99]) {
      eventLoop.set({ quantile: String(percent / 100) }, loop.percentile(percent) / 1e9);
    }
    loop.reset();
  }

  function finish({ kind, name }: Observed, outcome: string, started: number, span: Span | null): void {
    const seconds = (performance.now() - started) / 1_000;
    durations[kind].add(name, outcome, seconds);
    if (span === null) return;
    span.setAttribute('credence.outcome', outcome);
    if (kind === 'request') span.setAttribute('http.response.status_code', Number(outcome));
    span.end();
  }

  async function run<T>(
    what: Observed,
    work: () => Promise<T>,
    outcomeOf: (result: T) => string,
    span: Span | null,
  ): Promise<T> {
    const started = performance.now();
    try {
      const result = await work();
      const outcome = outcomeOf(result);
      if (what.kind === 'request' && outcome >= '500') span?.setStatus({ code: SpanStatusCode.ERROR });
      finish(what, outcome, started, span);
      return result;
    } catch (error) {
      const outcome = outcomeOfError(error);
      if (outcome !== 'later') span?.setStatus({ code: SpanStatusCode.ERROR });
      finish(what, outcome, started, span);
      throw error;
    }
  }

  return {
    observe(what, work, outcomeOf = () => 'ok') {
      if (!isTraced()) return run(what, work, outcomeOf, null);
      const attributes: Attributes = { [`credence.${KINDS[what.kind].label}`]: what.name };
      const options = { kind: KINDS[what.kind].span, attributes };
      return tracer.startActiveSpan(`${what.kind} ${what.name}`, options, parentOf(what), (span) =>
        run(what, work, outcomeOf, span),
      );
    },
    blindSessionEnded: (figures) => blind().ended(figures),
    async metrics(now) {
      measureProcess();
      if (now.blind !== undefined) blind().now(now.blind);
      jobs.reset();
      canaryFigures(now.canaries ?? []);
      sessionFigures(now.sessions ?? []);
      if (now.jobs !== null) for (const [state, count] of Object.entries(now.jobs)) jobs.set({ state }, count);
      const histograms = Object.values(durations).map((each) => each.text());
      return { contentType: registry.contentType, text: [...histograms, await registry.metrics()].join('\n') };
    },
    async close() {
      loop?.disable();
      registry.clear();
    },
  };
}

/** Gauges of canaries; the function sets them to what all processes know from the storage. */
function createCanaryFigures(registers: Registry[]): (canaries: readonly CanaryFigures[]) => void {
  const labelNames = ['platform', 'canary'];
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `credence_canary_${name}`, help, labelNames, registers });
  const up = gauge('up', '1 if the last reading of the canary was as before, 0 if it drifted or failed.');
  const missing = gauge('missing_fields', 'Fields that earlier readings had and the last one lacks.');
  const read = gauge('last_read_timestamp_seconds', 'When the canary was read last.');
  const success = gauge('last_success_timestamp_seconds', 'When a reading was last as before.');
  const duration = gauge('read_duration_seconds', 'How long the last reading took.');
  return (canaries) => {
    for (const each of [up, missing, read, success, duration]) each.reset();
    for (const one of canaries) {
      const labels = { platform: one.platform, canary: one.target };
      up.set(labels, one.verdict === 'ok' ? 1 : 0);
      missing.set(labels, one.missing.length);
      read.set(labels, one.readAt.getTime() / 1_000);
      if (one.lastOkAt !== null) success.set(labels, one.lastOkAt.getTime() / 1_000);
      duration.set(labels, one.durationMs / 1_000);
    }
  };
}

const NO_PROVIDER = new ProxyTracerProvider().getDelegate();

/** Whether the host has set an SDK up, which it may do at any time. Spans that do nothing still take their microseconds. */
function isTraced(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== NO_PROVIDER;
}

/** The framework's own instrumentation goes first; without one the caller's headers tell. */
function parentOf({ headers }: Observed) {
  const active = context.active();
  if (headers === undefined || trace.getSpan(active) !== undefined) return active;
  return propagation.extract(active, headers);
}

/** From a small set: messages would make a label of every failure. */
function outcomeOfError(error: unknown): string {
  if (error instanceof RescheduleError) return 'later';
  return isDomainError(error) ? error.code : 'error';
}
