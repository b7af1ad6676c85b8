/** Waiting for room, by those who have many jobs to enqueue and lose nothing by enqueueing them later. */
export interface RoomWait {
  /** Resolves once there is room, or after a moment. */
  wait(): Promise<void>;
  /** Call it when there may be room: then those that wait continue. */
  look(): void;
  /** Counts a job that is done. One that only waits elsewhere now is none. */
  countDone(): void;
}

export interface RoomWaitOptions {
  /** Whether there is room now. */
  readonly isRoomy: () => boolean;
  /** Whether another moment is worth it, after one in which so many jobs were done. */
  readonly isDraining: (done: number) => boolean;
}

/** Longer than a quick receiver takes for the jobs that are ahead. */
const MOMENT_MS = 250;
/** After a wait in vain nobody waits for so long: what is slow holds up nothing that comes after it. */
const REST_MS = 2_000;

export function createRoomWait({ isRoomy, isDraining }: RoomWaitOptions): RoomWait {
  let coming: { readonly room: Promise<void>; readonly end: () => void } | undefined;
  let restsUntil = 0;
  let done = 0;

  function end(): void {
    coming?.end();
    coming = undefined;
  }

  function start(): Promise<void> {
    const { promise: room, resolve } = Promise.withResolvers<void>();
    done = 0;
    const timer = setInterval(() => {
      if (isDraining(done)) {
        done = 0;
        return;
      }
      restsUntil = performance.now() + REST_MS;
      end();
    }, MOMENT_MS);
    coming = {
      room,
      end: () => {
        clearInterval(timer);
        resolve();
      },
    };
    return room;
  }

  return {
    async wait() {
      if (isRoomy() || performance.now() < restsUntil) return;
      await (coming?.room ?? start());
    },
    look() {
      if (coming !== undefined && isRoomy()) end();
    },
    countDone() {
      done += 1;
    },
  };
}
