/** Waiting for room, by those who have many jobs to enqueue and lose nothing by enqueueing them later. */
export interface RoomWait {
  /** Resolves once there is room, or after a moment. */
  wait(): Promise<void>;
  /** Call it when a job has left: if there is room, those that wait continue. */
  look(): void;
}

export interface RoomWaitOptions {
  /** Whether there is room now. */
  readonly isRoomy: () => boolean;
  /** Whether another moment is worth it, after one in which so many jobs have left. */
  readonly isDraining: (left: number) => boolean;
}

/** Longer than a quick receiver takes for the jobs that are ahead. */
const MOMENT_MS = 250;
/** After a wait in vain nobody waits for so long: what is slow holds up nothing that comes after it. */
const REST_MS = 2_000;

export function createRoomWait({ isRoomy, isDraining }: RoomWaitOptions): RoomWait {
  let coming: { readonly room: Promise<void>; readonly end: () => void } | undefined;
  let restsUntil = 0;
  let left = 0;

  function end(): void {
    coming?.end();
    coming = undefined;
  }

  function start(): Promise<void> {
    const { promise: room, resolve } = Promise.withResolvers<void>();
    left = 0;
    const timer = setInterval(() => {
      if (isDraining(left)) {
        left = 0;
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
      left += 1;
      if (coming !== undefined && isRoomy()) end();
    },
  };
}
