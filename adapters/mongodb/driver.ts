/** The MongoDB driver, loaded when a storage is first opened: hosts on another storage do without it. */
type Driver = typeof import('mongodb');

let loaded: Driver | undefined;

export async function loadDriver(): Promise<Driver> {
  loaded ??= await import('mongodb');
  return loaded;
}

/** Tells whether this is an error of the driver's class `name`. Without the driver there are none. */
export function isDriverError<N extends ErrorClass>(error: unknown, name: N): error is InstanceType<Driver[N]> {
  return loaded !== undefined && error instanceof loaded[name];
}

type ErrorClass =
  | 'MongoBulkWriteError'
  | 'MongoClientClosedError'
  | 'MongoNetworkError'
  | 'MongoNotConnectedError'
  | 'MongoServerError'
  | 'MongoServerSelectionError'
  | 'MongoTopologyClosedError';
