/** Spans through the OpenTelemetry API, if the host has installed it. They do nothing until the host sets an SDK up. */
import type { Attributes, Span, SpanKind } from '@opentelemetry/api';
import type { Observed, ObservedKind } from '../../core/ports/telemetry.ts';

/** A span that was begun. */
export interface StartedSpan {
  end(outcome: string, isFailure: boolean): void;
}

export interface Tracing {
  /** Whether the host has set an SDK up, which it may do at any time. Spans that do nothing still take their microseconds. */
  isOn(): boolean;
  /** Runs the work inside a span, which the work ends. */
  inSpan<T>(what: Observed, label: string, work: (span: StartedSpan) => Promise<T>): Promise<T>;
}

const KINDS = {
  request: 'SERVER',
  job: 'CONSUMER',
  delivery: 'CLIENT',
  platform: 'CLIENT',
  proof: 'INTERNAL',
} as const satisfies Readonly<Record<ObservedKind, keyof typeof SpanKind>>;

/** Returns null if the host has no OpenTelemetry. */
export async function createTracing(): Promise<Tracing | null> {
  let api: typeof import('@opentelemetry/api');
  try {
    api = await import('@opentelemetry/api');
  } catch {
    return null;
  }
  const { context, ProxyTracerProvider, propagation, SpanKind, SpanStatusCode, trace } = api;
  const tracer = trace.getTracer('credence');
  const noProvider = new ProxyTracerProvider().getDelegate();

  /** The framework's own instrumentation goes first; without one the caller's headers tell. */
  function parentOf({ headers }: Observed) {
    const active = context.active();
    if (headers === undefined || trace.getSpan(active) !== undefined) return active;
    return propagation.extract(active, headers);
  }

  const started = (span: Span, { kind }: Observed): StartedSpan => ({
    end(outcome, isFailure) {
      if (isFailure) span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute('credence.outcome', outcome);
      if (kind === 'request') span.setAttribute('http.response.status_code', Number(outcome));
      span.end();
    },
  });

  return {
    isOn() {
      const provider = trace.getTracerProvider();
      return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== noProvider;
    },
    inSpan(what, label, work) {
      const attributes: Attributes = { [`credence.${label}`]: what.name };
      const options = { kind: SpanKind[KINDS[what.kind]], attributes };
      return tracer.startActiveSpan(`${what.kind} ${what.name}`, options, parentOf(what), (span) =>
        work(started(span, what)),
      );
    },
  };
}
