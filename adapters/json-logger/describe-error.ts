const MOST_CAUSES = 10;

/** What is logged of an error: its type, message and stack, each with those of its causes, and its fields. */
export function describeError(error: Error): object {
  const all = [error, ...causesOf(error)];
  const { errors } = error as { readonly errors?: unknown };
  return {
    ...withoutCause(error),
    type: error.constructor?.name ?? error.name,
    message: all.map(({ message }) => message).join(': '),
    stack: all.map(({ stack, message }) => stack ?? message).join('\ncaused by: '),
    ...(Array.isArray(errors) ? { aggregateErrors: errors } : {}),
  };
}

function causesOf(error: Error): readonly Error[] {
  const causes: Error[] = [];
  for (let { cause } = error; cause instanceof Error && causes.length < MOST_CAUSES; { cause } = cause) {
    causes.push(cause);
  }
  return causes;
}

/** The own fields of an error. Its causes are in the message already. */
function withoutCause(error: Error): object {
  const { cause, ...fields } = error;
  return cause instanceof Error ? fields : { ...error };
}
