/** Figures for Prometheus, and spans. Every instance has its own registry; nothing is registered globally. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isDomainError } from '../../core/errors.ts';
import { RescheduleError } from '../../core/ports/job-queue.ts';
import type { Observed, ObservedKind, Telemetry } from '../../core/ports/telemetry.ts';
import { CONTENT_TYPE, createRegistry, type Histogram, type Registry } from './prometheus.ts';
import { createTracing, type StartedSpan } from './tracing.ts';

/** Seconds: from a read of the storage to a proof. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** What the names of a kind of work are called. */
const LABELS: Readonly<Record<ObservedKind, string>> = {
  request: 'route',
  job: 'type',
  delivery: 'transport',
  platform: 'call',
  proof: 'step',
};

const EVENT_LOOP_RESOLUTION_MS = 20;

/** See `createTelemetry`. */
export async function createRecorder(): Promise<Telemetry> {
  const registry = createRegistry();
  const tracing = await createTracing();
  const durations = createDurations(registry);
  const processFigures = createProcessFigures(registry);

  async function run<T>(
    { kind, name }: Observed,
    work: () => Promise<T>,
    outcomeOf: (result: T) => string,
    span?: StartedSpan,
  ): Promise<T> {
    const started = performance.now();
    const finish = (outcome: string, isFailure: boolean) => {
      durations[kind].observe({ [LABELS[kind]]: name, outcome }, (performance.now() - started) / 1_000);
      span?.end(outcome, isFailure);
    };
    try {
      const result = await work();
      const outcome = outcomeOf(result);
      finish(outcome, kind === 'request' && outcome >= '500');
      return result;
    } catch (error) {
      const outcome = outcomeOfError(error);
      finish(outcome, outcome !== 'later');
      throw error;
    }
  }

  return {
    observe(what, work, outcomeOf = () => 'ok') {
      if (tracing?.isOn() !== true) return run(what, work, outcomeOf);
      return tracing.inSpan(what, LABELS[what.kind], (span) => run(what, work, outcomeOf, span));
    },
    async metrics() {
      processFigures.measure();
      return { contentType: CONTENT_TYPE, text: registry.text() };
    },
    close: async () => processFigures.close(),
  };
}

function createDurations({ histogram }: Registry): Readonly<Record<ObservedKind, Histogram>> {
  const durations = (kind: string, help: string) => histogram(`credence_${kind}_duration_seconds`, help, BUCKETS);
  return {
    request: durations('request', 'Requests answered, by route and status.'),
    job: durations('job', 'Runs of background jobs, by type and outcome.'),
    delivery: durations('delivery', 'Tries of webhook deliveries, by outcome.'),
    platform: durations('platform_call', 'Reads of platforms, waiting for the pace included, by call and outcome.'),
    proof: durations('proof', 'Web proofs made and compressed, by step and outcome.'),
  };
}

/** Memory, processor time and the delay of the event loop, which is measured from the first scrape on. */
function createProcessFigures({ counter, gauge }: Registry) {
  const delay = gauge('credence_event_loop_delay_seconds', 'Delay of the event loop since the last scrape.');
  const memory = gauge('process_resident_memory_bytes', 'Resident memory.');
  const cpu = counter('process_cpu_seconds_total', 'Processor time used.');
  let loop: ReturnType<typeof monitorEventLoopDelay> | undefined;
  return {
    measure() {
      memory.set({}, process.memoryUsage.rss());
      const { user, system } = process.cpuUsage();
      cpu.set({}, (user + system) / 1e6);
      if (loop === undefined) {
        loop = monitorEventLoopDelay({ resolution: EVENT_LOOP_RESOLUTION_MS });
        loop.enable();
        return;
      }
      for (const percent of [50, 99]) {
        delay.set({ quantile: String(percent / 100) }, loop.percentile(percent) / 1e9);
      }
      loop.reset();
    },
    close: () => void loop?.disable(),
  };
}

/** From a small set: messages would make a label of every failure. */
function outcomeOfError(error: unknown): string {
  if (error instanceof RescheduleError) return 'later';
  return isDomainError(error) ? error.code : 'error';
}
